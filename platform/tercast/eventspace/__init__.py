"""Attributes, values, and the dz by which events and filters are addressed."""
