"""The planner session: batches, pushes to switches, and confirmations."""
