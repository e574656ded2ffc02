"""Partitions with a controller each: their tree, exchanged sets, and a simulation."""
