"""Title generation: select words of a section and order them (Deshpande, Barzilay, Karger 2007, section 6)."""
