"""Networks, tables and tries as arrays for the methods of aggregation."""
