"""Column generation over label domains: relaxation, pricing, the method; trees share what they can."""
