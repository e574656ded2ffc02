"""Kinds of change at a switch, in the order in which they are taken: all additions first."""

SUBSCRIBE, ADVERTISE, UNSUBSCRIBE, UNADVERTISE = range(4)
"""The opposite of a kind is two further."""
