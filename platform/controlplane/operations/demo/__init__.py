"""First steps of an installation, to the first event: demo network, test events, switches."""
