"""REST views of explanations."""
