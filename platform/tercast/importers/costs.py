"""Weights become costs: positive whole numbers, in proportion where weights have fractions."""

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from tercast.errors import shown
from tercast.importers.graph import RawEdge

LARGEST_COST = 2**31 - 1
_LARGEST_DENOMINATOR = 1000
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,3})?")


def weight_of(edge: RawEdge, notes: list[str]) -> Fraction:
    """The weight as an exact number; 1 where there is none, or (with a note) where it cannot be a cost."""
    if edge.weight is None:
        return Fraction(1)
    weight = _exact(edge.weight)
    if weight is None or weight <= 0:
        notes.append(
            f"weight {shown(edge.weight)} between {shown(edge.a)} and {shown(edge.b)} is no cost; 1 is taken"
        )
        return Fraction(1)
    return weight


def costs(edges: Sequence[RawEdge], notes: list[str]) -> list[int]:
    """The cost of each edge, 1 to 2^31-1; notes tell a common factor, and costs that had to be moved."""
    weights = [weight_of(edge, notes).limit_denominator(_LARGEST_DENOMINATOR) for edge in edges]
    factor = min(_common_denominator(weights), _LARGEST_DENOMINATOR)
    if factor > 1:
        notes.append(f"weights have fractions; all costs are {factor} times the weights")
    wanted = [round(weight * factor) for weight in weights]
    moved = sum(not 1 <= cost <= LARGEST_COST for cost in wanted)
    if moved:
        notes.append(f"{moved} weights are too small or too large for a cost; 1 or {LARGEST_COST} is taken")
    return [min(max(1, cost), LARGEST_COST) for cost in wanted]


def _common_denominator(weights: Sequence[Fraction]) -> int:
    """The least common denominator; or some number beyond the largest that counts."""
    common = 1
    for denominator in {weight.denominator for weight in weights}:
        common = math.lcm(common, denominator)
        if common > _LARGEST_DENOMINATOR:
            break
    return common


def _exact(weight: object) -> Fraction | None:
    """The number, bounded in digits and exponent; None for whatever is no finite number."""
    match weight:
        case bool():
            return None
        case int():
            return Fraction(weight)
        case float():
            return Fraction(str(weight)) if math.isfinite(weight) else None
        case str() if _NUMBER.fullmatch(weight.strip()):
            return Fraction(weight.strip())
        case _:
            return None
