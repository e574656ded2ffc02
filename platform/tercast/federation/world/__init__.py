"""A simulated federation in virtual time, its faults, its judgement and its plan."""
