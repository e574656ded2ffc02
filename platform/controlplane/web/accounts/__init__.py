"""REST views of accounts and the audit trail."""
