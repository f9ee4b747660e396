"""The factors that gapless ships: budgets, counts, automata, precedence, tables; `gapless.factors` exports them."""
