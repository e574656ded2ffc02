"""Compiled kernels of the filters."""
