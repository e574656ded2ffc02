"""The soak: the running platform under events while requests and budgets change and things fail."""
