"""The command `federate`: run the partitions of a scenario in virtual time, with faults."""

from __future__ import annotations

import argparse
from functools import partial
from random import Random
from typing import Any

from tercast.errors import Refused
from tercast.federation.neighbour_liveness import GRACE
from tercast.federation.world.fault_run import FaultRun, start_at_rest
from tercast.federation.world.faults import read_faults
from tercast.federation.world.federated_plan import federated_plan_json, run_federation, unrest
from tercast.federation.world.federated_world import FederatedWorld, WorldOptions
from tercast.offline.run_scenario import SwitchBudgets
from tercast.offline.scenario import Scenario, read_scenario
from tercast.offline.table_report import COLUMNS, aligned, switch_rows
from tercast.runtime.json_files import STANDARD_OUTPUT, FileRefused, read_document, write_json
from tercast.runtime.latency_stats import Timing


def add_commands(subparsers: Any) -> None:
    """Add `federate`; parsed arguments have a `run(args)` that returns the status."""
    text = (
        "Run the partitions of a scenario, each with a controller that knows only its neighbours, in virtual "
        "time. Report lost and duplicated events, messages and recovery times as JSON."
    )
    parser = subparsers.add_parser("federate", help="simulate partitions with faults", description=text)
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file with partitions (JSON)")
    parser.add_argument(
        "--faults",
        metavar="FAULT",
        nargs="+",
        default=[],
        help="cut:A,B@10-20 (all borders between two partitions, from second 10 to 20), crash:A@10-20 (the "
        "controller of a partition), random:N (N random faults)",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of delays, losses and faults (default 0)")
    parser.add_argument("--loss", type=_share, default=0.0, help="share of lost messages (default 0)")
    parser.add_argument(
        "--duplication", type=_share, default=0.0, help="share of repeated messages (default 0)"
    )
    parser.add_argument(
        "--delay", type=_seconds, default=0.05, help="longest delay of a message in seconds (default 0.05)"
    )
    parser.add_argument(
        "--grace",
        type=_seconds,
        default=GRACE,
        help="seconds for which borders to a silent controller stay open (default %(default)g)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="REPORT",
        default=STANDARD_OUTPUT,
        help="output file; - is standard output (default)",
    )
    parser.set_defaults(run=run_federate)


def run_federate(args: argparse.Namespace) -> int:
    """Run `tercast federate`; the status is 1 if the federation broke one of its guarantees."""
    scenario = read_document(args.scenario, read_scenario)
    if not scenario.partitions:
        raise FileRefused([f"{args.scenario}: the scenario has no partitions; add the key partitions"])
    options = WorldOptions(
        seed=args.seed,
        delay=(min(0.005, args.delay), args.delay),
        loss=args.loss,
        duplication=args.duplication,
        grace=args.grace,
    )
    world = FederatedWorld(scenario, options)
    random = Random(args.seed)
    try:
        faults = read_faults(args.faults, world, random)
    except Refused as refused:
        raise FileRefused([f"--faults: {refused.detail}"]) from None
    start = start_at_rest(world)
    if start is None:
        raise unrest(args.scenario, world, advice="; lower --loss or --delay")
    run = FaultRun(world, faults, random).run()
    write_json(args.output, {**run.report(), "start_seconds": round(start, 3)})
    return 0 if run.holds else 1


def plan_partitions(
    name: str, scenario: Scenario, method: str, budgets: SwitchBudgets
) -> tuple[dict[str, Any], Timing, list[str]]:
    """Plan a scenario with partitions.

    Returns:
        The plan, the times of the requests, and lines with the entries of each switch. Costs are unknown,
        because no partition knows past events of the whole network.
    """
    run = run_federation(name, scenario, method, budgets)
    planners = [partition.planner for partition in run.world.partitions.values()]
    entries = aligned([COLUMNS, *(row for planner in planners for row in switch_rows(planner))])
    return federated_plan_json(run), run.timing, entries


def _number(text: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is out of range; use a number from 0 to {most:g}")
    return value


_share = partial(_number, most=0.9)
_seconds = partial(_number, most=3600.0)
