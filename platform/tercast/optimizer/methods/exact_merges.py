"""The exact choice of merge points, by dynamic programming over the number of saved entries.

It is too slow for large tables and gains little. It measures the distance of a result from the optimum.
"""

from __future__ import annotations

import numpy as np

from tercast.optimizer.kernels.merges import least_cost
from tercast.optimizer.methods.greedy_merges import merge_costs
from tercast.optimizer.methods.switch_forest import SwitchForest


def least_merge_cost(forest: SwitchForest, budget: int, host_weight: float) -> float:
    """Compute the least cost of merges that leave at most `budget` entries; infinite if none."""
    cost, _ = merge_costs(forest, host_weight)
    need = forest.entries - budget
    if need <= 0:
        return 0.0
    return float(least_cost(forest.parent, forest.here.astype(np.int64), cost, need))
