"""Partitions with a controller each: the tree of partitions, exchanged sets, and their simulation."""
