"""REST views for first use: the demo, test events, and connecting switches."""
