"""Meaning and cost of a filter that a user types. Nothing is stored."""
