"""PLEROMA (Middleware 2014), figures 7(g) and 7(h), and a comparison with exchanged sets."""

from __future__ import annotations

from mininet_labs.figures.experiments import control_load, exchanged_sets
from mininet_labs.figures.experiments.control_load import ControlLoadExperiment, ControlLoadScale
from mininet_labs.figures.experiments.exchanged_sets import ExchangeExperiment, ExchangeScale
from mininet_labs.figures.figure import (
    Experiment,
    Panel,
    PaperClaim,
    PaperFigure,
    ParameterChoice,
    Size,
    columns,
)
from mininet_labs.figures.rules import Ordered, Trend, Within
from mininet_labs.figures.workloads import partitioned

SEEDS = {Size.TINY: (1,), Size.QUICK: (1, 2, 3, 4, 5), Size.FULL: tuple(range(1, 11))}
TO_TEN = tuple(range(1, 11))
CONTROL_LOAD_SCALES = {
    Size.TINY: ControlLoadScale((1, 2, 3), (5, 10, 20)),
    Size.QUICK: ControlLoadScale(TO_TEN, (100, 200, 400)),
    Size.FULL: ControlLoadScale(TO_TEN, (100, 200, 400)),
}
EXCHANGE_SCALES = {
    Size.TINY: ExchangeScale((1, 3), 10),
    Size.QUICK: ExchangeScale(TO_TEN, 400),
    Size.FULL: ExchangeScale(TO_TEN, 400),
}

_REQUESTS = (
    ParameterChoice("attributes", "2, values 0 to 1023", "ours", "range given; number not given"),
    ParameterChoice("filters", "uniform", "paper"),
    ParameterChoice("widths of ranges", f"1 to {partitioned.WIDEST}", "ours", "not given"),
    ParameterChoice("publishers", partitioned.PUBLISHERS, "ours", "advertise everything; not given"),
    ParameterChoice("dz per filter", partitioned.CELLS, "ours", "not given"),
    ParameterChoice("hosts of requests", "random", "paper"),
    ParameterChoice(
        "partitions",
        "switches in their order, nearly equal parts, joined by a breadth-first tree",
        "ours",
        "not given; with cycles, forwarded requests duplicate events",
    ),
)


def _control_load_choices(size: Size) -> tuple[ParameterChoice, ...]:
    scale = CONTROL_LOAD_SCALES[size]
    return (
        ParameterChoice(
            "networks",
            "20 switches: ring with a host at each; fat tree, 8 edge switches with a host",
            "paper",
        ),
        *_REQUESTS,
        ParameterChoice(
            "second widths of ranges", f"1 to {control_load.SECOND_WIDEST}", "ours", "wide filters; ring only"
        ),
        ParameterChoice(
            "second publishers", control_load.SECOND_PUBLISHERS, "ours", "twice as many; ring only"
        ),
        ParameterChoice("controllers", list(scale.controllers), "paper", "1 to 10"),
        ParameterChoice("subscriptions", list(scale.subscriptions), "paper", "100, 200, 400"),
    )


def _exchange_choices(size: Size) -> tuple[ParameterChoice, ...]:
    scale = EXCHANGE_SCALES[size]
    return (
        ParameterChoice("network", "ring of 20 switches, a host at each", "paper", "that of 7(g) and 7(h)"),
        *_REQUESTS,
        ParameterChoice("controllers", list(scale.partitions), "paper", "1 to 10"),
        ParameterChoice("subscriptions", scale.subscriptions, "paper", "the largest number of 7(g) and 7(h)"),
        ParameterChoice("delay of a message", "5 to 50 ms, uniform", "ours", "of the simulation; not given"),
        ParameterChoice(
            "round trip, s", exchanged_sets.ROUND_TRIP, "ours", "twice the mean delay, for forwarded requests"
        ),
        ParameterChoice(
            "cut",
            "the first border, for 29 s",
            "ours",
            "longer than any recovery; from 3 partitions on, all partitions remain connected",
        ),
    )


CONTROL_LOAD = Experiment(
    name="pleroma-control-load",
    measure=ControlLoadExperiment(CONTROL_LOAD_SCALES).rows,
    choices=_control_load_choices,
    seconds={Size.TINY: 1, Size.QUICK: 20, Size.FULL: 40},
    seeds=SEEDS,
)
EXCHANGE = Experiment(
    name="pleroma-exchange",
    measure=ExchangeExperiment(EXCHANGE_SCALES).rows,
    choices=_exchange_choices,
    seconds={Size.TINY: 1, Size.QUICK: 130, Size.FULL: 260},
    seeds=SEEDS,
)


def _series(size: Size) -> dict[str, tuple[str, ...]]:
    """Return the series of each network, from the most to the fewest subscriptions."""
    most_first = sorted(CONTROL_LOAD_SCALES[size].subscriptions, reverse=True)
    return {
        network.name: tuple(control_load.series(network, number) for number in most_first)
        for network in control_load.NETWORKS
    }


def _received_claims(size: Size) -> tuple[PaperClaim, ...]:
    claims = []
    for network, names in _series(size).items():
        claims += [
            PaperClaim(
                f"falls, {network}",
                "For each subscription workload, the average controller overhead reduces with increasing "
                "number of controllers.",
                "6.6",
                Trend("received", names, "falls"),
            ),
            PaperClaim(
                f"order, {network}",
                "If the number of subscriptions is significantly increased, the benefit of partitioning "
                "increases as well.",
                "6.6",
                Ordered("received", names, at=-1),
            ),
        ]
    return tuple(claims)


def _total_claims(size: Size) -> tuple[PaperClaim, ...]:
    claims = []
    for network, names in _series(size).items():
        claims += [
            PaperClaim(
                f"rises, {network}",
                "The generated (control) traffic increases.",
                "6.6",
                Trend("total", names, "rises"),
            ),
            PaperClaim(
                f"order, {network}",
                "The comparative increase in control traffic for 400 subscriptions is less than 200 "
                "subscriptions which in turn is less than 100 subscriptions.",
                "6.6",
                Ordered("total", names),
            ),
        ]
    return tuple(claims)


def _exchange_claims(_size: Size) -> tuple[PaperClaim, ...]:
    sets = (exchanged_sets.APART, exchanged_sets.TOGETHER)
    return (
        PaperClaim(
            "fewer messages",
            "Ours: sets that are exchanged for all requests together need fewer messages than forwarded "
            "requests.",
            "not in the paper",
            Ordered("messages", (exchanged_sets.TOGETHER, exchanged_sets.FORWARDED)),
        ),
        PaperClaim(
            "entries",
            "Ours: partitions need at most 1 % more entries than one undivided planner.",
            "not in the paper",
            Within("entries_share", sets, 0, 1.01),
        ),
        PaperClaim(
            "guarantees",
            "Ours: no event is duplicated, and none is lost at rest or inside a partition.",
            "not in the paper",
            Within("violations", (exchanged_sets.APART,), 0, 0),
        ),
    )


def _panels(value: str, label: str) -> tuple[Panel, ...]:
    networks = tuple(Panel(value, label, network.name, network.name) for network in control_load.NETWORKS)
    return (*networks, Panel(value, label, "second values of parameters", control_load.VARIANTS))


FIGURES = (
    PaperFigure(
        paper="pleroma",
        number="7g",
        title="Requests received by a controller",
        x_label="controllers",
        experiments=(CONTROL_LOAD,),
        panels=_panels("received", "requests of a controller, relative to one controller"),
        claims=_received_claims,
        select=columns("received"),
    ),
    PaperFigure(
        paper="pleroma",
        number="7h",
        title="Requests received by all controllers",
        x_label="controllers",
        experiments=(CONTROL_LOAD,),
        panels=_panels("total", "requests of all controllers, relative to one controller"),
        claims=_total_claims,
        select=columns("total"),
    ),
    PaperFigure(
        paper="pleroma",
        number="federation",
        title="Exchanged sets and forwarded requests",
        x_label="partitions",
        experiments=(EXCHANGE,),
        panels=(
            Panel("messages", "messages between controllers"),
            Panel("entries", "entries of all switches"),
            Panel("gap", "time from the cut of a border to rest, s"),
        ),
        claims=_exchange_claims,
        select=columns("messages", optional=("entries", "entries_share", "gap", "violations")),
        note=(
            "This figure is ours. The simulation of forwarded requests has no tables, so the series has no "
            "entries. Its time after a cut is computed: that of the exchanged sets, plus one round trip for "
            "each request of the busiest border, because the paper sends them one at a time. Both series of "
            "exchanged sets have the same entries; one is drawn."
        ),
    ),
)
