"""The jobs, what a run has to compute, and its course from options to files."""
