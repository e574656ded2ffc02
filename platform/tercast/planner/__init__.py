"""The planner: requests in, differences of tables out."""
