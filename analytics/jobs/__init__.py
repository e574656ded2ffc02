"""The jobs, the plan of a run, and its steps from options to result files."""
