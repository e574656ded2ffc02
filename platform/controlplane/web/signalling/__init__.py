"""REST views of control messages."""
