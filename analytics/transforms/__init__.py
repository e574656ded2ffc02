"""Pure transforms, one module a job: DataFrames of valid rows in, a DataFrame of results out."""
