"""Networks, tables and tries as arrays, which the methods compute with."""
