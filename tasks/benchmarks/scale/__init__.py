"""How well many problems are shared among workers."""
