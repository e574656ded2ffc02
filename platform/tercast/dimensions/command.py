"""The commands `space` and `dimensions`: choose the event spaces of topics from past events."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

from tercast.dimensions.proposal import METHODS, propose
from tercast.dimensions.spectral import THRESHOLD
from tercast.dimensions.workload import Workload
from tercast.errors import Refused, RefusedMany
from tercast.eventspace.cut_tree import MAX_CUTS
from tercast.eventspace.topic import Topic
from tercast.offline.scenario import Scenario, read_scenario
from tercast.runtime.json_files import STANDARD_OUTPUT, FileRefused, read_document, read_lines, write_json
from tercast.simulation.port_index import PortIndex
from tercast.simulation.publications import Publications

DEFAULT_CUTS = 1_024


def add_commands(subparsers: Any) -> None:
    """Add `space` and `dimensions`; parsed arguments have a `run(args)` that returns the status."""
    text = (
        "Compare event spaces for past events: the current one, all attributes, PLEROMA's ranking, a greedy "
        "choice of attributes, and learned cuts. Half of the events are used to choose the space, the "
        "other half to measure it."
    )
    parser = subparsers.add_parser("space", help="choose the event space of topics", description=text)
    _add_arguments(parser)
    parser.add_argument(
        "--max-cuts",
        type=_cuts,
        default=DEFAULT_CUTS,
        metavar="N",
        help=f"maximum number of learned cuts of a topic, at most {MAX_CUTS} (default %(default)s)",
    )
    parser.add_argument(
        "--method",
        choices=("best", *METHODS),
        default="best",
        help="the space that --apply uses (default: the one with the fewest false positives)",
    )
    parser.add_argument(
        "--apply",
        metavar="FILE",
        help="also write the scenario with the chosen space of each topic; - is standard output",
    )
    parser.set_defaults(run=run_dimensions)
    text = "Choose indexed attributes from past events, with PLEROMA's ranking and with a greedy method."
    parser = subparsers.add_parser("dimensions", help="choose the attributes to index", description=text)
    _add_arguments(parser)
    parser.set_defaults(run=run_dimensions, max_cuts=0, apply=None, method="best")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run_dimensions(args: argparse.Namespace) -> int:
    """Run `tercast space` or `dimensions`; 1 if no topic has a subscription and two events."""
    scenario = read_document(args.scenario, read_scenario)
    workloads = read_workloads(scenario, args.events)
    limit = scenario.limits.max_dz_per_filter
    found = {
        name: propose(workload, scenario.depth, limit, args.threshold, max_cuts=args.max_cuts)
        for name, workload in workloads.items()
        if workload.subscriptions and len(workload.events) > 1
    }
    write_json(args.output, {"topics": {name: proposal.to_json() for name, proposal in found.items()}})
    for name in workloads.keys() - found.keys():
        print(
            f"{name}: no proposal; it needs at least one subscription and two events of the topic",
            file=sys.stderr,
        )
    if args.apply is not None:
        spaces = {name: proposal.space(args.method) for name, proposal in found.items()}
        write_json(args.apply, read_document(args.scenario, partial(_in_spaces, spaces=spaces)))
    return 0 if found else 1


def _in_spaces(document: object, spaces: Mapping[str, Topic]) -> dict[str, Any]:
    """Return a scenario's document with other event spaces of topics."""
    assert isinstance(document, dict)  # the scenario has been read
    topics = []
    for row in document["topics"]:
        space = spaces.get(row["name"])
        if space is not None:
            others = {key: value for key, value in row.items() if key not in ("indexed", "cuts")}
            cuts = {"cuts": space.cuts.to_json(space.attributes)} if space.cuts else {}
            row = {**others, "indexed": list(space.indexed), **cuts}
        topics.append(row)
    return {**document, "topics": topics}


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


def _cuts(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or int(text) > MAX_CUTS:
        detail = f"{text!r} is not a number of cuts; use an integer from 0 to {MAX_CUTS}"
        raise argparse.ArgumentTypeError(detail)
    return int(text)
