"""OpenFlow messages as bytes."""
