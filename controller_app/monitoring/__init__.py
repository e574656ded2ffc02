"""Events, alarms, counters and metrics."""
