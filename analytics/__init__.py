"""Spark jobs over telemetry: sizes of tables, delays of events and requests, needless traffic."""
