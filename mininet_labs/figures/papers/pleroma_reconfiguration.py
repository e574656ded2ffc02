"""PLEROMA (Middleware 2014), figure 7(f): the time of one more subscription."""

from __future__ import annotations

from collections.abc import Sequence

from mininet_labs.figures.experiments import reconfiguration
from mininet_labs.figures.experiments.reconfiguration import ReconfigurationExperiment, ReconfigurationScale
from mininet_labs.figures.figure import Experiment, PaperClaim, ParameterChoice, Size
from mininet_labs.figures.rules import ClaimFinding, ClaimVerdict, Custom, Within, decided
from mininet_labs.figures.samples import Row, spearman

SEEDS = {Size.TINY: (1,), Size.QUICK: (1, 2, 3, 4, 5), Size.FULL: (1, 2, 3, 4, 5)}

RECONFIGURATION_SCALES = {
    Size.TINY: ReconfigurationScale((20, 40), (10, 20), 5),
    Size.QUICK: ReconfigurationScale((1_000, 5_000, 25_000), (125, 250, 500), 20),
    Size.FULL: ReconfigurationScale((1_000, 5_000, 10_000, 25_000), (1_000, 2_000, 4_000), 100),
}


def _reconfiguration_choices(size: Size) -> tuple[ParameterChoice, ...]:
    scale = RECONFIGURATION_SCALES[size]
    return (
        ParameterChoice("network", "fat tree, 10 switches, 8 hosts", "paper"),
        ParameterChoice("attributes", reconfiguration.ATTRIBUTES, "ours", "up to 10 in the paper; not given"),
        ParameterChoice(
            "filters", "uniform, widths 4 to 32 of 1024", "ours", "not given; few cover each other"
        ),
        ParameterChoice("dz per filter", reconfiguration.CELLS, "ours", "not given"),
        ParameterChoice("publishers", reconfiguration.PUBLISHERS, "ours", "not given"),
        ParameterChoice("deployed subscriptions", list(scale.deployed), "paper", "up to 25,000"),
        ParameterChoice(
            "deployed, Algorithm 1", list(scale.scanned), "ours", "it scans lists; more would take hours"
        ),
        ParameterChoice("further subscriptions", scale.further, "ours", "not given"),
        ParameterChoice(
            "time", "processor time of the controller, no switch", "ours", "the share of the algorithm"
        ),
    )


RECONFIGURATION = Experiment(
    name="pleroma-reconfiguration",
    measure=ReconfigurationExperiment(RECONFIGURATION_SCALES).rows,
    choices=_reconfiguration_choices,
    seconds={Size.TINY: 1, Size.QUICK: 120, Size.FULL: 5_000},
    seeds=SEEDS,
    timed=frozenset({"ms", "per_second"}),
)


def _depends_on_flows(rows: Sequence[Row]) -> ClaimFinding:
    own = [
        row
        for row in rows
        if row.get("group") == reconfiguration.REQUESTS and row["series"] == reconfiguration.ALGORITHM1
    ]
    if not own:
        return ClaimFinding(ClaimVerdict.NOT_RUN, "no requests")
    times = [row["ms"] for row in own]
    flows = spearman([row["x"] for row in own], times)
    deployed = spearman([row["deployed"] for row in own], times)
    return decided(flows > abs(deployed), [f"Spearman with flows {flows:.2f}, with deployed {deployed:.2f}"])


def reconfiguration_claims(_size: Size) -> tuple[PaperClaim, ...]:
    """Return the claims of figure 7(f)."""
    return (
        PaperClaim(
            "depends on flows",
            "It is difficult to draw a relationship between the two. This delay depends on the number of "
            "flows modified/added on arrival of a subscription.",
            "6.5",
            Custom(
                "Algorithm 1: the time correlates more with the flows that a request changes than with the "
                "number of deployed subscriptions (Spearman)",
                ("ms",),
                _depends_on_flows,
            ),
            reason=(
                "Algorithm 1 as published scans the flows of a switch for each change, and the trees and "
                "subscriptions are lists. So its own time grows with what is deployed, and requests of this "
                "workload change similar numbers of flows. The paper's time includes the switches, which "
                "dominate where few flows are deployed."
            ),
        ),
        PaperClaim(
            "54 a second",
            "Even with 25,000 already deployed subscriptions in the system, the controller is capable of "
            "processing around 54 subscriptions/second.",
            "6.5",
            Within("per_second", (reconfiguration.PLANNER,), 54, 1e9, at=-1),
        ),
    )
