"""Output of a job: rows, result files and progress."""
