"""The planner's state, proofs of its tables, and what readers derive from it."""
