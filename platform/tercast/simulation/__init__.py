"""Events through tables."""
