"""Compiled kernels of the routing."""
