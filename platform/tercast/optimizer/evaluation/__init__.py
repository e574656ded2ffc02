"""What tables cost: expected false positives, and who causes them."""
