"""Speed of dependency trees, found and proved, beside the paper's variant and peers."""
