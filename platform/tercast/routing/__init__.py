"""Trees, the propagation of filters, and exact tables."""
