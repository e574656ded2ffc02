"""REST views of audits."""
