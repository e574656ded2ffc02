"""REST views of the papers' experiments."""
