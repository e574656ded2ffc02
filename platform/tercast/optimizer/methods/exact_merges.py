"""The exact choice of merge points, by dynamic programming over what has to be saved: what greedy ones miss.

It is too slow to be a method for large tables, and gains little; it tells how far a result is from it.
"""

from __future__ import annotations

import numpy as np

from tercast.optimizer.kernels.merges import least_cost
from tercast.optimizer.methods.greedy_merges import merge_costs
from tercast.optimizer.methods.switch_forest import SwitchForest


def least_merge_cost(forest: SwitchForest, budget: int, host_weight: float) -> float:
    """The least cost of merges that leave no more than `budget` entries; infinite where none do."""
    cost, _ = merge_costs(forest, host_weight)
    need = forest.entries - budget
    if need <= 0:
        return 0.0
    return float(least_cost(forest.parent, forest.here.astype(np.int64), cost, need))
