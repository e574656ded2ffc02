"""Pure transforms, one module per job: from DataFrames of valid rows to results."""
