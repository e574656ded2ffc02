"""Compiled kernels of the encoding."""
