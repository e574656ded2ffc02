"""Control messages of hosts."""
