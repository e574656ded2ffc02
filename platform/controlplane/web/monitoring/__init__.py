"""REST views of health, metrics and alarms."""
