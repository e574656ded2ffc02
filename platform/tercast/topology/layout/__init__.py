"""Where the switches of a topology lie in a picture: computed once, and kept while others come and go.

Positions are in units in which a link is about `LINK` long; x grows to the right, y downwards.
"""
