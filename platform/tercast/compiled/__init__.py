"""Alias of the command that compiles all kernels: `python -m tercast.compiled`.

The kernels are in the `kernels` packages.
"""
