"""Control messages of hosts: values, bytes and seals (docs/signalling.md)."""
