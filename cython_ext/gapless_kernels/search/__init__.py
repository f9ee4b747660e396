"""Branch and bound with Lagrangian bounds over dependency trees with conjunctive factors."""
