"""REST views of the request log."""
