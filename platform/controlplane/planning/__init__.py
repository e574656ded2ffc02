"""The planner's state, proofs of its tables, and rows that readers derive from it."""
