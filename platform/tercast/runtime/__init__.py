"""What any process needs: strict JSON, files, log lines, and the cache of compiled kernels."""
