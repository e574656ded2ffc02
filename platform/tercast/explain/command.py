"""The `explain` command: offline with a scenario and its plan, or on the running platform."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from tercast.client.rest_api import Api
from tercast.errors import Refused, RefusedMany, TercastError
from tercast.explain import text_report
from tercast.explain.event_values import RawValues
from tercast.explain.explanation import explain
from tercast.explain.observers import Traced
from tercast.explain.offline import event_of, situation_of
from tercast.explain.ovs_socket import OpenVSwitch
from tercast.explain.real_path import trace
from tercast.offline.plan_file import read_plan
from tercast.offline.scenario import read_scenario
from tercast.runtime.json_files import FileRefused, read_document

_DIFFERENT, _REFUSED = 1, 2

_ABOUT = (
    "Explain one event: its dz, its address and its path. For each switch, print the entry that the event "
    "matches and the origin of the entry. Print which hosts receive the event, which do not, and why. With a "
    "local Open vSwitch, or on the platform, trace the event on the real switches and report differences. "
    "Exit status: 0 explained, 1 the real switches differ, 2 the input is invalid."
)


def add_commands(commands: Any) -> None:
    """Add `explain` to the command line of `tercast`."""
    parser = commands.add_parser("explain", help="explain the path of an event", description=_ABOUT)
    parser.add_argument(
        "scenario", metavar="SCENARIO", nargs="?", help="scenario file; with PLAN, explain offline"
    )
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="output of tercast plan")
    parser.add_argument("--api", metavar="URL", help="explain on the running platform instead")
    parser.add_argument("--token-file", metavar="FILE", help="file with the API token")
    parser.add_argument(
        "--publisher",
        required=True,
        metavar="ID",
        help="an advertisement, a host, or (with --api) a publisher",
    )
    values = parser.add_mutually_exclusive_group(required=True)
    values.add_argument("--values", metavar="JSON", help='all values: {"low": 92}, or low=92,symbol=IBM')
    values.add_argument(
        "--value", action="append", nargs="+", metavar="NAME=VALUE", help="one value; repeatable"
    )
    parser.add_argument("--topic", help="topic of the event, if the publisher has no or several topics")
    parser.add_argument(
        "--ovs-run-dir",
        metavar="DIR",
        help="folder with the sockets of an Open vSwitch (fabric: RUN_DIR/s), to trace the event there, too",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Explain an event; 0, or 1 if the real switches differ, or 2 if an input is refused."""
    try:
        answer = _remote(args) if args.api is not None else _offline(args)
    except FileRefused:
        raise
    except RefusedMany as many:
        return _print_errors(*map(str, many.errors))
    except TercastError as error:
        return _print_errors(str(error))
    if args.json:
        print(json.dumps(answer, indent=1, ensure_ascii=False))
    else:
        for line in text_report.lines(answer):
            print(line.encode("utf-8", "backslashreplace").decode("utf-8"))
    real = answer.get("real")
    return _DIFFERENT if real is not None and real["same"] is False else 0


def _offline(args: argparse.Namespace) -> Mapping[str, Any]:
    if args.scenario is None or args.plan is None:
        raise Refused((), "missing", "SCENARIO or PLAN is missing; give both, or --api URL")
    situation = situation_of(read_document(args.scenario, read_scenario), read_document(args.plan, read_plan))
    found = explain(situation, event_of(situation, args.publisher, _read_values(args), args.topic))
    if args.ovs_run_dir is None:
        return found.to_json()
    eyes = Traced(found, situation.topology, OpenVSwitch(args.ovs_run_dir))
    return {**found.to_json(), "real": trace(found, eyes).to_json()}


def _remote(args: argparse.Namespace) -> Mapping[str, Any]:
    if args.scenario is not None:
        raise Refused((), "ambiguous", "SCENARIO and --api exclude each other; remove one")
    if args.ovs_run_dir is not None:
        detail = "--ovs-run-dir and --api exclude each other; the platform uses TERCAST_OVS_RUN_DIR"
        raise Refused((), "ambiguous", detail)
    parameters = {"publisher": args.publisher, "values": _written(args)}
    if args.topic is not None:
        parameters["topic"] = args.topic
    api = Api.with_token_file(args.api, args.token_file)
    answer: Any = api.get("api/v1/explain/", **parameters)
    return answer  # type: ignore[no-any-return]


def _read_values(args: argparse.Namespace) -> RawValues:
    if args.values is not None:
        return RawValues.parse(args.values)
    return RawValues.pairs(item for items in args.value for item in items)


def _written(args: argparse.Namespace) -> str:
    """The values in the syntax of the API."""
    if args.values is not None:
        return str(args.values)
    items = [item for items in args.value for item in items]
    for item in items:
        if "," in item:
            raise Refused(
                ("values",), "bad_value", "a value contains a comma; give all values as --values JSON", item
            )
    return ",".join(items)


def _print_errors(*lines: str) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return _REFUSED
