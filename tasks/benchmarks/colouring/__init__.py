"""Graph colouring by branch and price."""
