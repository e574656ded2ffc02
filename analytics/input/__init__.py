"""Telemetry as input: its files, the rows that count, and the cut-off of a run."""
