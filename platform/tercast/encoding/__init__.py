"""From filters to sets of dz."""
