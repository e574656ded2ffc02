"""Proof that tables deliver every event to exactly the hosts that subscribe to it."""
