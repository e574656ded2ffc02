"""Messages between partitions: bytes, seals and the sliding window."""
