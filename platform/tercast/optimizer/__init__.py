"""Aggregation over whole networks: FA-LB, FA-PB, the optimum, what-if and attribution."""
