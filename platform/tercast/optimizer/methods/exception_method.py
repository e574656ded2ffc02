"""The best entries for a budget: merges with longer prefixes as exceptions.

Each entry costs a price, and a search finds the price that meets the budget. For one price, dynamic
programming over the trie finds the best entries (see `tercast.optimizer.kernels.exceptions`). Then the
outputs of an entry shrink to those of the space that it serves. The program runs again, with these outputs
and with outputs that few events need left out.
"""

from __future__ import annotations

import numpy as np

from tercast.optimizer.arrays.table_arrays import hosts_in
from tercast.optimizer.kernels.entries import trim
from tercast.optimizer.kernels.exceptions import NEVER, choose, leanings, lossless, slot_costs, solve
from tercast.optimizer.kernels.tries import WORD, Array
from tercast.optimizer.methods.greedy_merges import greedy_merges
from tercast.optimizer.methods.selection import EntrySelection, select, tidied
from tercast.optimizer.methods.switch_forest import SwitchForest

ROUNDS = 6
"""Largest number of runs, each with the masks of the best entries so far; fewer if nothing is gained."""

PATIENCE = 2
"""Number of rounds without a gain after which the search ends."""

LEANS = (0.3, 1.0, 3.0)
"""Prices of an exception for one output, relative to that of an entry, which may serve several."""

WAY_BEYOND = 1.6
"""Largest number of entries, as a multiple of the budget, from which cheap ones are removed."""

STEPS = 40
CLOSE = 0.01
ROUGH = 0.05
"""Distance from the budget, as a share of it, at which the search for a price ends.

`CLOSE` is for the last round, and `ROUGH` for the rounds before it.
"""

WIDE = 3.0
KINDS = 16


def best_selection(
    forest: SwitchForest, budget: int, host_weight: float, rounds: int = ROUNDS
) -> EntrySelection | None:
    """Find the cheapest entries within the budget; None if there are no such entries."""
    best = greedy_merges(forest, budget, host_weight)
    nearest: EntrySelection | None = None
    same = _lossless_masks(forest)
    masks = np.stack((forest.everything, forest.out, same), axis=1)
    price, idle, host_bits = 0.0, 0, _host_bits(forest)
    for left in reversed(range(rounds)):
        programme = _Programme(forest, masks, host_weight, CLOSE if left == 0 else ROUGH)
        found = programme.search(budget, price)
        price, idle = found.price, idle + 1
        for selected in found.choices:
            whole = tidied(select(forest, selected, host_weight), host_weight)
            trimmed = _trimmed(forest, whole, budget, host_weight)
            if trimmed is not None and (best is None or trimmed.cost < best.cost):
                best, idle = trimmed, 0
            if best is None and (nearest is None or len(whole) < len(nearest)):
                nearest, idle = whole, 0
        lead = nearest if best is None else best
        if lead is None or (best is not None and best.cost == 0) or not found.price or idle == PATIENCE:
            break
        narrow = np.where(lead.selected[:, None], lead.mask, forest.everything)
        leans = [_leaning(forest, found.price * share, host_bits, host_weight) for share in LEANS]
        masks = np.stack((forest.everything, same, narrow, *leans), axis=1)
    return best


def _leaning(forest: SwitchForest, price: float, host_bits: int, host_weight: float) -> Array:
    """Return the masks that are useful if an exception costs `price` for each output."""
    return leanings(
        forest.parent,
        forest.has,
        forest.out,
        forest.charge,
        price,
        forest.link_words,
        host_bits,
        host_weight,
    )


def _host_bits(forest: SwitchForest) -> int:
    """Count the bits after those of links that any output has."""
    words = np.bitwise_or.reduce(forest.out[:, forest.link_words :], axis=0).tolist()
    return max((WORD * w + word.bit_length() for w, word in enumerate(words)), default=0)


def _lossless_masks(forest: SwitchForest) -> Array:
    """Return the masks of the smallest table that is equal to the exact one for all events."""
    kind = np.zeros(len(forest), dtype=np.int64)
    for column in forest.out.T:
        values, place = np.unique(column, return_inverse=True)
        _, first, kind = np.unique(kind * len(values) + place, return_index=True, return_inverse=True)
    idle = forest.passes & (forest.charge[:, -1] == 0)
    found = lossless(forest.parent, forest.has, idle, kind, KINDS)
    return np.where((found >= 0)[:, None], forest.out[first[found]], 0)


class _Found:
    """Result of a search: sets of entries on both sides of the budget, and the price between."""

    def __init__(self, choices: list[Array], price: float) -> None:
        self.choices = choices
        self.price = price


class _Programme:
    """The dynamic program of a forest, for given masks."""

    def __init__(self, forest: SwitchForest, masks: Array, host_weight: float, close: float) -> None:
        self.forest = forest
        self.close = close
        self.seen: list[Array] = []
        self.width = masks.shape[1]
        slots = 1 + self.width * (forest.depth + 1)
        self.offset = np.concatenate(([0], np.cumsum(slots)))
        self.costs = slot_costs(
            forest.parent,
            forest.depth,
            forest.here,
            forest.has,
            forest.passes,
            forest.out,
            forest.out_hosts,
            forest.edges,
            forest.charge,
            np.ascontiguousarray(masks),
            hosts_in(masks, forest.link_words),
            self.offset,
            host_weight,
        )

    def selected(self, price: float) -> Array:
        """Return which nodes get an entry at a price."""
        forest = self.forest
        best = solve(forest.parent, forest.depth, self.offset, self.costs, self.width, price)
        chosen: Array = choose(forest.parent, forest.depth, self.offset, best, self.width, price)
        selected: Array = chosen >= 0
        self.seen.append(selected)
        return selected

    def search(self, budget: int, guess: float) -> _Found:
        """Find the entries just within a budget, and some beyond; `guess` is a price near it, or 0."""
        found = self._bracket(budget, guess)
        for selected in self.seen:
            near = budget < selected.sum() <= budget * WAY_BEYOND
            if near and not any((selected == other).all() for other in found.choices):
                found.choices.append(selected)
        return found

    def _bracket(self, budget: int, guess: float) -> _Found:
        finite = self.costs[(self.costs > 0) & (self.costs < NEVER)]
        if not len(finite):
            return _Found([self.selected(1.0)], 0.0)
        lowest, highest = float(finite.min()) * 1e-3, float(finite.sum()) * 2
        low, high = (guess / WIDE, guess * WIDE) if guess else (lowest, highest)
        beyond, within = self.selected(low), self.selected(high)
        if beyond.sum() <= budget and low > lowest:
            low, beyond = lowest, self.selected(lowest)
        if within.sum() > budget and high < highest:
            high, within = highest, self.selected(highest)
        if beyond.sum() <= budget:
            return _Found([beyond], 0.0)
        if within.sum() > budget:
            return _Found([within], high)
        return self._narrow(budget, (low, beyond), (high, within))

    def _narrow(self, budget: int, beyond: tuple[float, Array], within: tuple[float, Array]) -> _Found:
        """Narrow the range between a price with too many entries and one that meets the budget.

        The method is false position (with Illinois' halving) on the logarithms of prices and numbers.
        """
        a, b = np.log(beyond[0]), np.log(within[0])
        over, under = _excess(beyond[1], budget), _excess(within[1], budget)
        left, right, last = beyond[1], within[1], 0
        for step in range(STEPS):
            few, many = right.sum() >= budget * (1 - self.close), left.sum() <= budget * (1 + self.close)
            if few or many or b - a < 1e-4:
                break
            middle = a + (b - a) * (over / (over - under) if step % 4 != 3 else 0.5)
            found = self.selected(float(np.exp(middle)))
            if found.sum() > budget:
                a, left, over = middle, found, _excess(found, budget)
                under = under / 2 if last > 0 else under
                last = 1
            else:
                b, right, under = middle, found, _excess(found, budget)
                over = over / 2 if last < 0 else over
                last = -1
        return _Found([right, left], float(np.exp((a + b) / 2)))


def _excess(selected: Array, budget: int) -> float:
    """Return the distance of a number of entries from a budget, on a logarithmic scale; never 0."""
    return float(np.log((selected.sum() + 0.5) / (budget + 1.0)))


def _trimmed(
    forest: SwitchForest, whole: EntrySelection, budget: int, host_weight: float
) -> EntrySelection | None:
    """Remove the cheapest entries of a selection until it meets the budget; None if it cannot."""
    if len(whole) <= budget:
        return whole
    nodes = np.flatnonzero(whole.selected)
    place = np.full(len(forest), -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    above = forest.parent[nodes]
    over = np.where(above >= 0, whole.owner[above], -1)
    over = np.where(over >= 0, place[over], -1)
    entries = whole.mask[nodes], whole.allowed[nodes], whole.total[nodes]
    left, fits = trim(over, *entries, forest.link_words, host_weight, budget)
    if not fits:
        return None
    chosen = np.zeros(len(forest), dtype=np.bool_)
    chosen[nodes[left]] = True
    return tidied(select(forest, chosen, host_weight), host_weight)
