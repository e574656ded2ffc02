"""Alias: `python -m controlplane.aggregation.job` is `controlplane.aggregation.aggregation_process`."""

from controlplane.aggregation.aggregation_process import main

if __name__ == "__main__":
    main()
