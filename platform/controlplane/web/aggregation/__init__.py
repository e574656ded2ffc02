"""REST views of aggregation."""
