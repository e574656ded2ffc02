"""Common parts of all processes: strict JSON, files, log lines, and compiled kernels."""
