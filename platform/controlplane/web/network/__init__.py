"""REST views of the network."""
