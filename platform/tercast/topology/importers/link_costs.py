"""Costs of links: positive integers in proportion to the weights, exact if they fit."""

import math
import re
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from tercast.errors import shown
from tercast.runtime.wording import quantity
from tercast.topology.importers.raw_graph import RawEdge, shown_key

LARGEST_COST = 2**31 - 1
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,3})?")


def weight_of(edge: RawEdge, notes: list[str]) -> Fraction:
    """Return the weight as an exact number; 1 if it is missing or, with a note, invalid."""
    if edge.weight is None:
        return Fraction(1)
    weight = _exact(edge.weight)
    if weight is None or weight <= 0:
        notes.append(
            f"weight {shown(edge.weight)} between {shown_key(edge.a)} and {shown_key(edge.b)} is not a "
            "positive number; 1 is used"
        )
        return Fraction(1)
    return weight


def costs(edges: Sequence[RawEdge], notes: list[str]) -> list[int]:
    """Return the cost of each edge, 1 to 2^31-1, in the order of the weights.

    Equal weights have equal costs, and a larger weight has a larger cost, even after rounding. `notes`
    receives the common factor and the number of rounded costs.
    """
    weights = [weight_of(edge, notes) for edge in edges]
    bare = sum(edge.weight is None for edge in edges)
    if 0 < bare < len(edges):
        notes.append(
            f"{quantity(bare, 'link has', 'links have')} no weight, although other links have one; they get "
            "the weight 1"
        )
    unit = Fraction(1, math.lcm(*{weight.denominator for weight in weights}))
    wholes = [weight.numerator * (unit.denominator // weight.denominator) for weight in weights]
    distinct = sorted(set(wholes))
    for divisor in (1, math.gcd(*distinct)):
        if distinct and distinct[-1] // divisor <= LARGEST_COST:
            _note_factor(unit * divisor, notes)
            return [whole // divisor for whole in wholes]
    return _rounded(wholes, distinct, unit, notes) if distinct else []


def _note_factor(unit: Fraction, notes: list[str]) -> None:
    """Note the factor of all weights, if a cost of 1 is not a weight of 1 but of `unit`."""
    if unit != 1:
        why = "some weights have fractions" if unit < 1 else f"some weights exceed {LARGEST_COST}"
        notes.append(f"{why}; all link costs are {_shown(1 / unit)} times the weights")


def _rounded(wholes: Sequence[int], distinct: Sequence[int], unit: Fraction, notes: list[str]) -> list[int]:
    """Round weights, in units of `unit`, to costs in the same order; note the largest error.

    The factor is as large as possible, and an integer if it is at least 1. It leaves each cost enough range
    to be one above the previous cost.
    """
    factor = (LARGEST_COST - len(distinct)) / (distinct[-1] * unit)
    scale = (Fraction(math.floor(factor)) if factor >= 1 else factor) * unit
    table: dict[int, int] = {}
    off: dict[int, int] = {}  # of those that are not exact: their relative error, in units of 2^-64
    last = 0
    for whole in distinct:
        exact = whole * scale.numerator
        nearest = (2 * exact + scale.denominator) // (2 * scale.denominator)
        last = table[whole] = max(nearest, last + 1)
        if difference := abs(last * scale.denominator - exact):
            off[whole] = (difference << 64) // exact
    worst = max(off, key=off.__getitem__)
    notes.append(
        f"the weights of links do not fit in costs (integers up to {LARGEST_COST}); costs are "
        f"{_shown(scale / unit)} times the weights. {sum(whole in off for whole in wholes)} costs are "
        f"rounded. The largest error is {_shown(Fraction(100 * off[worst], 1 << 64))}%, at the weight "
        f"{_shown(worst * unit)}"
    )
    return [table[whole] for whole in wholes]


def _shown(number: Fraction) -> str:
    """Format a number with six digits; an integer below 10^12 with all its digits."""
    if number.denominator == 1 and number < 10**12:
        return str(number)
    quotient = Context(prec=6).divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{quotient.normalize():g}"


def _exact(weight: object) -> Fraction | None:
    """Convert a weight, with bounded digits and exponent; None if it is not a finite number."""
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
