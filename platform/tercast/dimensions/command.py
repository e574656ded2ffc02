"""The `dimensions` command: choose the indexed attributes from past events."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from tercast.dimensions.proposal import propose
from tercast.dimensions.spectral import THRESHOLD
from tercast.dimensions.workload import Workload
from tercast.errors import Refused, RefusedMany
from tercast.offline.scenario import Scenario, read_scenario
from tercast.runtime.json_files import STANDARD_OUTPUT, FileRefused, read_document, read_lines, write_json
from tercast.simulation.port_index import PortIndex
from tercast.simulation.publications import Publications


def add_commands(subparsers: Any) -> None:
    """Add `dimensions`; the parsed arguments have a `run(args)` that returns the exit status."""
    text = "Choose indexed attributes from past events, with PLEROMA's ranking and with a greedy method."
    parser = subparsers.add_parser("dimensions", help="choose the attributes to index", description=text)
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file (JSON)")
    parser.add_argument(
        "--events", metavar="EVENTS", required=True, help="past events as JSON lines, as for simulate"
    )
    parser.add_argument(
        "--threshold",
        type=_share,
        default=THRESHOLD,
        help="share of the leading eigenvector that PLEROMA's choice must cover (default %(default)s)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=STANDARD_OUTPUT,
        help="output file; - is standard output (default)",
    )
    parser.set_defaults(run=run_dimensions)


def run_dimensions(args: argparse.Namespace) -> int:
    """Run `tercast dimensions`; 0, or 1 if no topic has a subscription and two events."""
    scenario = read_document(args.scenario, read_scenario)
    workloads = read_workloads(scenario, args.events)
    limit = scenario.limits.max_dz_per_filter
    found = {
        name: propose(workload, scenario.depth, limit, args.threshold).to_json()
        for name, workload in workloads.items()
        if workload.subscriptions and len(workload.events) > 1
    }
    write_json(args.output, {"topics": found})
    for name in workloads.keys() - found.keys():
        print(f"{name}: no choice; a subscription and two events are needed", file=sys.stderr)
    return 0 if found else 1


def read_workloads(scenario: Scenario, events: str) -> dict[str, Workload]:
    """Read live subscriptions and a file's events by topic; FileRefused for an invalid event."""
    final = scenario.final
    reader = Publications(
        final.topics, final.live, scenario.filters, scenario.depth, PortIndex(final.topology)
    )
    by_topic: dict[str, list[dict[str, Any]]] = {name: [] for name in scenario.final.topics}
    for number, event in read_lines(events):
        try:
            publication = reader.read(event)
        except Refused as refused:
            raise FileRefused([f"{events}:{number}: {refused}"]) from None
        except RefusedMany as many:
            raise FileRefused([f"{events}:{number}: {refused}" for refused in many.errors]) from None
        by_topic[publication.ad.topic].append(dict(publication.values))
    return {
        name: Workload(
            topic,
            tuple(
                (subscription.host, scenario.filters[subscription.id])
                for subscription in final.subscriptions(name)
                if subscription.id in scenario.filters
            ),
            tuple(by_topic[name]),
        )
        for name, topic in final.topics.items()
    }


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share; use a number above 0 and at most 1")
    return value
