"""``gapless demo``: a sentence that a beam parses wrongly, the best tree, and the proof."""
