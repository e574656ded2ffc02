"""The planner, which turns requests into changes of tables."""
