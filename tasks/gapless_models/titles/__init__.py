"""Titles of sections: word selection, word order, and the graph that joins both."""
