"""The measurements behind the figures; each yields rows for a size and a seed."""
