"""The sets that neighbours exchange, and their confirmation."""
