"""Weights become costs: positive whole numbers in the weights' proportions, exact wherever that fits."""

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
    """The weight as an exact number; 1 where there is none, or (with a note) where it cannot be a cost."""
    if edge.weight is None:
        return Fraction(1)
    weight = _exact(edge.weight)
    if weight is None or weight <= 0:
        notes.append(
            f"weight {shown(edge.weight)} between {shown_key(edge.a)} and {shown_key(edge.b)} is no cost; "
            "1 is taken"
        )
        return Fraction(1)
    return weight


def costs(edges: Sequence[RawEdge], notes: list[str]) -> list[int]:
    """The cost of each edge, 1 to 2^31-1; notes tell the common factor, and how many costs are rounded.

    Costs are in the order of the weights: equal ones are equal, and a larger one is larger, rounded or not.
    """
    weights = [weight_of(edge, notes) for edge in edges]
    bare = sum(edge.weight is None for edge in edges)
    if 0 < bare < len(edges):
        notes.append(
            f"{quantity(bare, 'link has', 'links have')} no weight while others have one; 1 is taken"
        )
    unit = Fraction(1, math.lcm(*{weight.denominator for weight in weights}))
    wholes = [weight.numerator * (unit.denominator // weight.denominator) for weight in weights]
    distinct = sorted(set(wholes))
    for divisor in (1, math.gcd(*distinct)):
        if distinct and distinct[-1] // divisor <= LARGEST_COST:
            _tell_factor(unit * divisor, notes)
            return [whole // divisor for whole in wholes]
    return _rounded(wholes, distinct, unit, notes) if distinct else []


def _tell_factor(unit: Fraction, notes: list[str]) -> None:
    """Note what every weight was multiplied with, where a cost of 1 stands for a weight of `unit`."""
    if unit != 1:
        why = "weights have fractions" if unit < 1 else f"weights go beyond {LARGEST_COST}"
        notes.append(f"{why}; all costs are {_shown(1 / unit)} times the weights")


def _rounded(wholes: Sequence[int], distinct: Sequence[int], unit: Fraction, notes: list[str]) -> list[int]:
    """The costs next to the weights (multiples of `unit`) that keep their order; a note tells how far off.

    The largest factor is taken, whole if it can be, that leaves each room to be one above the one before.
    """
    factor = (LARGEST_COST - len(distinct)) / (distinct[-1] * unit)
    scale = (Fraction(math.floor(factor)) if factor >= 1 else factor) * unit
    table: dict[int, int] = {}
    off: dict[int, int] = {}  # of those that are not exact: by which part, in units of 2^-64
    last = 0
    for whole in distinct:
        exact = whole * scale.numerator
        nearest = (2 * exact + scale.denominator) // (2 * scale.denominator)
        last = table[whole] = max(nearest, last + 1)
        if difference := abs(last * scale.denominator - exact):
            off[whole] = (difference << 64) // exact
    worst = max(off, key=off.__getitem__)
    notes.append(
        f"weights need more digits than a cost has; costs are {_shown(scale / unit)} times the weights, "
        f"{sum(whole in off for whole in wholes)} of them rounded, "
        f"the one of weight {_shown(worst * unit)} most: by {_shown(Fraction(100 * off[worst], 1 << 64))}%"
    )
    return [table[whole] for whole in wholes]


def _shown(number: Fraction) -> str:
    """The number to six digits, however large or small it is; a whole one with all digits, up to twelve."""
    if number.denominator == 1 and number < 10**12:
        return str(number)
    quotient = Context(prec=6).divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{quotient.normalize():g}"


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
