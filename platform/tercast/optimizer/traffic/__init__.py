"""Past events and loads of publishers, and where tables send them."""
