"""The `tercast` command: offline tools for scenarios, and tools for hosts."""

from __future__ import annotations

import argparse
import errno
import json
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tercast.encoding.encoder import EncodedFilter, encode
from tercast.errors import Refused, RefusedMany
from tercast.offline.plan_check import check_plan, proof_summary
from tercast.offline.plan_file import encodings_json, plan_json, read_plan
from tercast.offline.run_scenario import carry_out, read_budget_option, with_options
from tercast.offline.scenario import Scenario, read_scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.offline.table_report import entries_table
from tercast.requests.model import METHODS
from tercast.runtime.gc_tuning import reduce_gc
from tercast.runtime.json_files import STANDARD_OUTPUT, FileRefused, read_document, read_lines, write_json
from tercast.runtime.wording import percent, quantity
from tercast.simulation.publications import Publication

DONE, FAILED, REFUSED = 0, 1, 2

_EXAMPLES = """\
examples:
  tercast plan scenario.json -o plan.json --timing
  tercast plan scenario.json -o plan.json --aggregation la --budget all=600 --budget s1=32
  tercast verify scenario.json plan.json --aggregation la --budget all=600 --budget s1=32
  tercast simulate scenario.json plan.json --events events.jsonl -o report.json
  tercast encode scenario.json
  tercast explain scenario.json plan.json --publisher a1 --value low=92

Exit status: 0 success (verify: the plan is valid), 1 the check failed, 2 the input is invalid.
"""

OTHERS = {
    "tercast.client.commands": ("publish", "listen"),
    "tercast.topology.importers.command": ("import",),
    "tercast.explain.command": ("explain",),
    "tercast.dimensions.command": ("space", "dimensions"),
    "tercast.federation.command": ("federate",),
    "tercast.cli.certificates": ("certificates",),
}
"""Modules that add commands, with the names of these. Only the module of the given command is loaded."""

_OWN = frozenset({"plan", "verify", "simulate", "encode"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit status."""
    reduce_gc()
    given = sys.argv[1:] if arguments is None else arguments
    args = make_parser(given[0] if given else "").parse_args(arguments)
    command = args.run if hasattr(args, "run") else args.call
    try:
        status: int = command(args)
        if sys.stdout is not None:  # None if it was closed
            sys.stdout.flush()
    except FileRefused as refused:
        _print_lines(refused.lines)
        return REFUSED
    except OSError as error:  # those of files are `FileRefused`
        if error.errno not in (errno.EPIPE, errno.ENOSPC, errno.EDQUOT):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still buffered
        if error.errno != errno.EPIPE:
            _print_lines([f"standard output cannot be written: {error.strerror}"])
        return REFUSED
    except KeyboardInterrupt:
        return 130
    return status


def make_parser(command: str = "") -> argparse.ArgumentParser:
    """Create the parser with all installed commands, or only those of `command`'s module."""
    parser = argparse.ArgumentParser(
        prog="tercast",
        description="Publish/subscribe with filters that run in the network.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_plan(commands)
    _add_verify(commands)
    _add_simulate(commands)
    _add_encode(commands)
    for module in _modules(command):
        if find_spec(module) is not None:
            import_module(module).add_commands(commands)
    return parser


def _modules(command: str) -> Iterator[str]:
    """Yield the modules to load for a command: all of them if it is unknown."""
    if command not in _OWN:
        known = [module for module, names in OTHERS.items() if command in names]
        yield from known or OTHERS


def _add_plan(commands: Any) -> None:
    text = "Apply the requests of a scenario and write the resulting trees and tables."
    parser = commands.add_parser("plan", help="compute tables from a scenario", description=text)
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file (JSON)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PLAN",
        default=STANDARD_OUTPUT,
        help="output file; - is standard output (default)",
    )
    parser.add_argument(
        "--timing", action="store_true", help="print the planning times of the requests as a JSON line"
    )
    _add_limits(parser)
    parser.add_argument(
        "--entries",
        action="store_true",
        help="print a table to standard error: exact and installed entries of every switch, and the costs "
        "predicted from past events; --budget and --aggregation also print it",
    )
    parser.set_defaults(run=run_plan)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    """Add the options that replace the scenario's budgets and aggregation method."""
    parser.add_argument(
        "--budget",
        metavar="SWITCH=N",
        action="append",
        type=_budget,
        help="replace the scenario's budget of a switch (all=N: of every switch; N may be none); repeatable",
    )
    parser.add_argument(
        "--aggregation",
        metavar="METHOD",
        choices=METHODS,
        help=f"replace the scenario's aggregation method: {', '.join(METHODS)}",
    )


def _add_verify(commands: Any) -> None:
    text = (
        "Prove that the tables of a plan are correct for every publisher, every part of the event space and "
        "every host."
    )
    parser = commands.add_parser("verify", help="prove that a plan is correct", description=text)
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file (JSON)")
    parser.add_argument("plan", metavar="PLAN", help="output of tercast plan")
    parser.add_argument(
        "--strict", action="store_true", help="also fail on entries and copies that serve no subscription"
    )
    _add_limits(parser)
    parser.set_defaults(run=run_verify)


def _add_simulate(commands: Any) -> None:
    text = "Send events through a plan. Count expected, lost and duplicate deliveries, and redundant copies."
    parser = commands.add_parser("simulate", help="send events through a plan", description=text)
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file (JSON)")
    parser.add_argument("plan", metavar="PLAN", help="output of tercast plan")
    parser.add_argument("--events", metavar="EVENTS", required=True, help="events as JSON lines")
    parser.add_argument(
        "-o",
        "--output",
        metavar="REPORT",
        default=STANDARD_OUTPUT,
        help="output file; - is standard output (default)",
    )
    parser.set_defaults(run=run_simulate)


def _add_encode(commands: Any) -> None:
    text = (
        "Print the cells (dz) of each active filter of a scenario, with their volume and excess volume. If "
        "a volume is an estimate, volume_error is above 0, and standard error has a line about it."
    )
    parser = commands.add_parser("encode", help="print the dz sets of filters", description=text)
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file (JSON)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=STANDARD_OUTPUT,
        help="output file; - is standard output (default)",
    )
    parser.set_defaults(run=run_encode)


def run_plan(args: argparse.Namespace) -> int:
    """Run `tercast plan`."""
    scenario = _read_scenario(args.scenario)
    budgets = dict(args.budget or ())
    method = args.aggregation or scenario.aggregation.method
    lists_entries = bool(args.entries or args.budget or args.aggregation)
    if scenario.partitions:
        federation = import_module("tercast.federation.command")  # loads much that no other plan needs
        plan, timing, entries = federation.plan_partitions(args.scenario, scenario, method, budgets)
    else:
        carried = carry_out(args.scenario, scenario, method, budgets)
        plan, timing = plan_json(carried.planner, carried.failed.values()), carried.timing
        entries = entries_table(carried) if lists_entries else []
    write_json(args.output, plan)
    if args.timing:
        print(json.dumps(timing.to_json()))
    if lists_entries:
        _print_lines(entries)
    return DONE


def run_verify(args: argparse.Namespace) -> int:
    """Run `tercast verify`."""
    scenario = _read_scenario(args.scenario)
    plan = read_document(args.plan, read_plan)
    scenario = with_options(scenario, args.aggregation, dict(args.budget or ()))
    violations = [found for found in check_plan(scenario, plan) if args.strict or not found.is_surplus]
    _print_lines(map(str, violations))
    if violations:
        return FAILED
    print(proof_summary(args.plan, scenario, plan, strict=args.strict))
    return DONE


def run_simulate(args: argparse.Namespace) -> int:
    """Run `tercast simulate`."""
    scenario = _read_scenario(args.scenario)
    simulator = PlanSimulator(scenario, read_document(args.plan, read_plan))
    simulator.follow(_read_events(args.events, simulator))
    counts = simulator.counts
    write_json(args.output, counts.report())
    if counts.loops:
        _print_lines([f"{quantity(counts.loops, 'event')} entered a forwarding loop"])
    return DONE if counts.holds else FAILED


def _read_events(name: str, simulator: PlanSimulator) -> Iterator[Publication]:
    """Yield the events of a file; FileRefused with the line of an event that is not valid."""
    for number, event in read_lines(name):
        try:
            yield simulator.read(event)
        except Refused as refused:
            raise FileRefused([f"{name}:{number}: {refused}"]) from None
        except RefusedMany as many:
            raise FileRefused([f"{name}:{number}: {refused}" for refused in many.errors]) from None


def run_encode(args: argparse.Namespace) -> int:
    """Run `tercast encode`."""
    scenario = _read_scenario(args.scenario)
    limit = scenario.limits.max_dz_per_filter
    encoded = {name: encode(filter_, scenario.depth, limit) for name, filter_ in scenario.filters.items()}
    document = {
        "encodings": encodings_json({name: encoding.dz for name, encoding in encoded.items()}),
        "excess": {name: encoding.excess for name, encoding in encoded.items()},
        "volume": {name: encoding.volume for name, encoding in encoded.items()},
        "volume_error": {name: encoding.volume_error for name, encoding in encoded.items()},
    }
    write_json(args.output, document)
    _print_lines(
        _estimate_text(name, encoding) for name, encoding in encoded.items() if encoding.volume_error
    )
    return DONE


def _estimate_text(name: str, encoding: EncodedFilter) -> str:
    volume = percent(encoding.volume, encoding.volume * encoding.volume_error)
    excess = percent(encoding.excess, encoding.excess_error)
    return f"{name}: volume {volume}, excess {excess}; exact counting takes too long"


def _budget(text: str) -> tuple[str, int | None]:
    try:
        return read_budget_option(text)
    except Refused as refused:
        raise argparse.ArgumentTypeError(str(refused)) from None


def _read_scenario(name: str) -> Scenario:
    return read_document(name, read_scenario)


def _print_lines(lines: Any) -> None:
    for line in lines:
        print(line.encode("utf-8", "backslashreplace").decode("utf-8"), file=sys.stderr)
