"""The best cut trees of small event spaces are as good as the best of all trees that can be listed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from space_bound import SIDE, false_positives, fewest_false_positives, learned_false_positives, small

from tercast.errors import Refused

CUTS = [[name, value] for name in "xy" for value in range(1, SIDE)]


def test_the_best_tree_with_one_and_two_cuts() -> None:
    workload = small(1, 10)
    best = fewest_false_positives(workload, 3)
    ones = [false_positives(workload, [cut, 1, 1]) for cut in CUTS]
    assert best[1] == min(ones) < best[0]
    twos = []
    for first in CUTS:
        for second in CUTS:
            for nodes in ([first, second, 1, 1, 1], [first, 1, second, 1, 1]):
                try:
                    twos.append(false_positives(workload, nodes))
                except Refused as refused:
                    assert refused.code == "useless_cut"
    assert best[2] == min(twos) < best[1]


def test_no_learned_tree_is_better_than_the_best() -> None:
    workload = small(2, 40)
    best = fewest_false_positives(workload, 16)
    for leaves in (2, 4, 8, 16):
        assert learned_false_positives(workload, leaves) >= best[leaves - 1]
