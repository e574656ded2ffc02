"""Ordered, confirmed changes of tables."""
