"""Compiled kernels of the optimizer."""
