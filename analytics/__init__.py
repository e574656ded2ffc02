"""Spark jobs over telemetry: table sizes, delays, false positives, publisher loads and more."""
