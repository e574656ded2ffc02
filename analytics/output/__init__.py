"""What a job writes: rows, result files and its progress."""
