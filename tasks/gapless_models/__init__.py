"""Models to train and to use: taggers, parsers, title models, and the corpora that they read."""
