"""Alias: `python -m tercast.compiled` compiles all kernels. They are in the `kernels` packages."""
