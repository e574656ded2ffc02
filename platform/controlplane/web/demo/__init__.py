"""REST views of the first steps."""
