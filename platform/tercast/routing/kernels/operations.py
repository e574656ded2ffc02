"""Kinds of change at a switch, in processing order: all additions come first."""

SUBSCRIBE, ADVERTISE, UNSUBSCRIBE, UNADVERTISE = range(4)
"""The opposite of a kind of addition has a value that is larger by two."""
