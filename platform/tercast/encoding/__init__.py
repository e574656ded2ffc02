"""Encoding of filters as sets of dz."""
