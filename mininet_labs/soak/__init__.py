"""The soak test: the running platform under events, random changes and faults."""
