"""Alias of `python -m controlplane.aggregation.aggregation_process` for earlier callers."""

from controlplane.aggregation.aggregation_process import main

if __name__ == "__main__":
    main()
