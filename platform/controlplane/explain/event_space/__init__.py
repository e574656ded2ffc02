"""Projections of event spaces onto two attributes of a topic."""
