"""Compiled kernels for encoding."""
