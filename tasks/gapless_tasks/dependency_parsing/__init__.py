"""The dependency parsing job: treebanks, exact decoding, the paper's tables and figures, drawn trees."""
