"""Compiled kernels for filters."""
