"""Results of the papers' experiments, which `make figures` writes."""
