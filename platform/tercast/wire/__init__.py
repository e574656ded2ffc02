"""Events as bytes."""
