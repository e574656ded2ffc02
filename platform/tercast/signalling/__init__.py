"""Control messages of hosts: as values, as bytes and back, and how they are sealed (docs/signalling.md)."""
