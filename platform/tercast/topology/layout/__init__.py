"""Positions of switches in a drawing: computed once, and kept when other switches change.

A link is approximately `LINK` units long; x grows to the right, y grows downwards.
"""
