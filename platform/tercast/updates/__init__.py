"""Table updates under a limit on entries."""
