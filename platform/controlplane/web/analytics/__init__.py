"""REST views of analytics."""
