"""Entity linking: documents with candidates, their graphs, and the readers of corpora."""
