"""Past events and loads of publishers, and their paths through tables."""
