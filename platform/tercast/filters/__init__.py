"""The filter language: syntax, values, normal forms, and matching."""
