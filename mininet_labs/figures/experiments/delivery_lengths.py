"""Experiments on false positives over the length of dz, for several papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mininet_labs.figures.experiments.deliveries import DeliveryCase, by_length, learned
from mininet_labs.figures.figure import ParameterChoice, Size
from mininet_labs.figures.samples import Row

VARIANTS = "second values"
"""Group of the rows that were measured with a second value of a parameter."""

ALGORITHM1 = "Algorithm 1"
LEARNED = "learned space"


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of an experiment on deliveries."""

    lengths: tuple[int, ...]
    subscriptions: tuple[int, ...]
    events: int


@dataclass(frozen=True, slots=True)
class DeliveryExperiment:
    """False positives and flows over the length of dz, for several numbers of subscriptions.

    Algorithm 1, the learned event space and the second values of parameters run with the smallest number of
    subscriptions, because tables grow with it. `shown` is the distribution in the names of series.
    """

    shown: str
    case: DeliveryCase
    scales: Mapping[Size, Scale]
    variants: Mapping[str, DeliveryCase] = field(default_factory=dict)

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield the rows of a seed."""
        scale = self.scales[size]
        fewest = min(scale.subscriptions)
        for length, number, network in by_length(
            self.case, seed, scale.lengths, scale.subscriptions, scale.events
        ):
            name = self.series(number)
            yield {"x": length, "series": name, **network.deliveries(number)}
            if number == fewest:
                yield {
                    "x": length,
                    "series": f"{name}, {ALGORITHM1}",
                    "flows": network.algorithm1_flows(number),
                }
        for length in scale.lengths:
            found = learned(self.case, seed, length, fewest, scale.events)
            yield {"x": length, "series": f"{self.series(fewest)}, {LEARNED}", **found}
        yield from self._variants(scale, fewest, seed)

    def _variants(self, scale: Scale, number: int, seed: int) -> Iterator[Row]:
        for variant, case in self.variants.items():
            for length, _, network in by_length(case, seed, scale.lengths, (number,), scale.events):
                series = f"{self.series(number)}, {variant}"
                yield {"x": length, "series": series, "group": VARIANTS, **network.deliveries(number)}

    def all_series(self, size: Size) -> tuple[str, ...]:
        """Return the names of the series, from the fewest to the most subscriptions."""
        return tuple(self.series(number) for number in self.scales[size].subscriptions)

    def series(self, number: int) -> str:
        """Return the name of the series with a number of subscriptions."""
        return f"{self.shown}, {number}"


def with_variants(
    case: DeliveryCase, wide: tuple[float, float], publishers: int, exponent: float | None
) -> dict[str, DeliveryCase]:
    """Return the case with second filter widths, publishers and (if any) exponent."""
    low, high = wide
    found = {
        f"widths {low:g} to {high:g}": replace(case, traffic=replace(case.traffic, widths=wide)),
        f"{publishers} publishers": replace(case, publishers=publishers),
    }
    if exponent is not None:
        found[f"exponent {exponent:g}"] = replace(case, traffic=case.traffic.with_exponent(exponent))
    return found


def delivery_choices(
    own: Sequence[ParameterChoice], scales: Mapping[Size, Scale]
) -> Callable[[Size], tuple[ParameterChoice, ...]]:
    """Return the parameters of an experiment by size."""

    def choices(size: Size) -> tuple[ParameterChoice, ...]:
        scale = scales[size]
        return (
            *own,
            ParameterChoice(
                "dz lengths", list(scale.lengths), "ours", "the axis of the picture is not in the text"
            ),
            ParameterChoice(
                "subscriptions", list(scale.subscriptions), "ours", "the legend is not in the text"
            ),
            ParameterChoice(
                "events", scale.events, "ours", "not given; as many others choose the learned space"
            ),
        )

    return choices
