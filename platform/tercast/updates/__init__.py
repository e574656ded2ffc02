"""Table updates within a limit on entries."""
