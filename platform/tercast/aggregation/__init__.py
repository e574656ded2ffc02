"""Aggregation: entries that cover more than was subscribed, so that tables fit budgets."""
