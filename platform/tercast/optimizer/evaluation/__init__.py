"""Cost of tables: expected false positives, and the subscriptions that cause them."""
