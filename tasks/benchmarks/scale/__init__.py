"""Speed-up of many problems shared among workers."""
