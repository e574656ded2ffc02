"""Plan files: writer, and strict reader for plans of any origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

from tercast.errors import Path, Refused, shown
from tercast.eventspace import dz as dzs
from tercast.eventspace.dz import Dz
from tercast.planner.planner import Planner
from tercast.requests.reader import MAX_CELLS
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_object, expect_text
from tercast.tables.entries import IN_PORT, Action, Entry, Output, SetDst, Table
from tercast.topology.elements import MAX_PORT, LinkEnds

FORMAT = "plan/1"


@dataclass(frozen=True, slots=True)
class PlanTree:
    """A tree in a plan."""

    id: str
    topic: str
    dz: tuple[Dz, ...]
    root: str
    edges: tuple[LinkEnds, ...]


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """A request that was refused because of a budget."""

    id: str
    switches: tuple[str, ...]
    reason: str

    def to_json(self) -> dict[str, object]:
        """Write the object in a plan's `failed` list."""
        return {"id": self.id, "switches": list(self.switches), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan from a file; sets of dz are not made canonical."""

    encodings: Mapping[str, tuple[Dz, ...]]
    trees: tuple[PlanTree, ...]
    flows: Mapping[str, Table]
    pending: tuple[str, ...]
    unreachable: tuple[tuple[str, str], ...]
    failed: tuple[FailedRequest, ...]


def plan_json(planner: Planner, failed: Iterable[FailedRequest] = ()) -> dict[str, Any]:
    """Write a planner's state as a plan in JSON; `failed` are the requests that exceed a budget."""
    return {
        "format": FORMAT,
        "encodings": encodings_json(planner.encodings()),
        "trees": [tree.to_json() for tree in planner.trees()],
        "flows": {switch: [entry.to_json() for entry in table] for switch, table in planner.tables().items()},
        "pending": planner.pending(),
        "unreachable": [list(pair) for pair in planner.unreachable()],
        "failed": [failure.to_json() for failure in failed],
    }


def encodings_json(encodings: Mapping[str, Iterable[Dz]]) -> dict[str, list[str]]:
    """Write sets of dz as texts."""
    return {name: [dzs.text(dz) for dz in cells] for name, cells in encodings.items()}


def read_plan(obj: object) -> PlanFile:
    """Read a plan from its JSON object; Refused with the path of an error."""
    keys = ("format", "encodings", "trees", "flows", "pending", "unreachable", "failed")
    found = expect_object(obj, ()).get("format", FORMAT)
    if found != FORMAT:
        detail = f'{shown(found)} is not "{FORMAT}"; use a file that tercast plan wrote'
        raise Refused(("format",), "unknown_format", detail)
    fields = expect_keys(obj, (), keys, ("federation",))
    trees = _items(fields["trees"], ("trees",))
    encodings = expect_object(fields["encodings"], ("encodings",))
    flows = expect_object(fields["flows"], ("flows",))
    return PlanFile(
        {name: _read_cells(cells, ("encodings", name)) for name, cells in encodings.items()},
        tuple(_read_tree(item, ("trees", i)) for i, item in enumerate(trees)),
        {switch: _read_table(table, ("flows", switch)) for switch, table in flows.items()},
        _read_texts(fields["pending"], ("pending",)),
        tuple(
            _read_pair(item, ("unreachable", i))
            for i, item in enumerate(_items(fields["unreachable"], ("unreachable",)))
        ),
        tuple(
            _read_failure(item, ("failed", i)) for i, item in enumerate(_items(fields["failed"], ("failed",)))
        ),
    )


def _items(value: object, path: Path) -> list[object]:
    return list(expect_list(value, path))


def _read_texts(value: object, path: Path) -> tuple[str, ...]:
    return tuple(expect_text(item, (*path, i)) for i, item in enumerate(_items(value, path)))


def _read_cells(value: object, path: Path) -> tuple[Dz, ...]:
    items = _items(value, path)
    if len(items) > MAX_CELLS:
        raise Refused(path, "bad_count", f"the list has {len(items)} cells; at most {MAX_CELLS} are allowed")
    return tuple(_read_dz(item, (*path, i)) for i, item in enumerate(items))


def _read_dz(value: object, path: Path) -> Dz:
    text = expect_text(value, path)
    if len(text) > MAX_DZ_TEXT:
        detail = f"the dz has {len(text)} bits; an address holds at most {MAX_DZ_TEXT}"
        raise Refused(path, "dz_too_long", detail, text)
    return dzs.parse(text, path)


MAX_DZ_TEXT = 128


def _read_pair(value: object, path: Path) -> tuple[str, str]:
    names = _read_texts(value, path)
    if len(names) != 2:
        detail = f"the list has {len(names)} ids; write a pair [advertisement, subscription]"
        raise Refused(path, "bad_count", detail)
    return names[0], names[1]


def _read_failure(value: object, path: Path) -> FailedRequest:
    fields = expect_keys(value, path, ("id", "switches", "reason"))
    return FailedRequest(
        expect_text(fields["id"], (*path, "id")),
        _read_texts(fields["switches"], (*path, "switches")),
        expect_text(fields["reason"], (*path, "reason")),
    )


def _read_tree(value: object, path: Path) -> PlanTree:
    fields = expect_keys(value, path, ("id", "topic", "dz", "root", "edges"))
    edges = _items(fields["edges"], (*path, "edges"))
    return PlanTree(
        expect_text(fields["id"], (*path, "id")),
        expect_text(fields["topic"], (*path, "topic")),
        _read_cells(fields["dz"], (*path, "dz")),
        expect_text(fields["root"], (*path, "root")),
        tuple(_read_edge(edge, (*path, "edges", i)) for i, edge in enumerate(edges)),
    )


def _read_edge(value: object, path: Path) -> LinkEnds:
    ends = _items(value, path)
    if len(ends) != 4:
        detail = f"the list has {len(ends)} items; write an edge as [switch, port, switch, port]"
        raise Refused(path, "bad_count", detail)
    a, b = expect_text(ends[0], (*path, 0)), expect_text(ends[2], (*path, 2))
    return a, _port(ends[1], (*path, 1)), b, _port(ends[3], (*path, 3))


def _read_table(value: object, path: Path) -> Table:
    return tuple(_read_flow(flow, (*path, i)) for i, flow in enumerate(_items(value, path)))


def _read_flow(value: object, path: Path) -> Entry:
    fields = expect_keys(value, path, ("match", "priority", "actions"))
    match = expect_keys(fields["match"], (*path, "match"), ("dst",), ("in_port",))
    in_port = _port(match["in_port"], (*path, "match", "in_port")) if "in_port" in match else None
    actions = _items(fields["actions"], (*path, "actions"))
    return Entry(
        expect_text(match["dst"], (*path, "match", "dst")),
        in_port,
        expect_integer(fields["priority"], (*path, "priority")),
        tuple(
            _OUTPUTS(action["output"])
            if _is_plain_output(action)
            else _read_action(action, (*path, "actions", i))
            for i, action in enumerate(actions)
        ),
    )


def _is_plain_output(action: object) -> TypeGuard[dict[str, int]]:
    """Whether an action is a valid output to a port, the most frequent action."""
    if type(action) is not dict or len(action) != 1:
        return False
    port = action.get("output")
    return type(port) is int and 1 <= port <= MAX_PORT


def _read_action(value: object, path: Path) -> Action:
    action = expect_object(value, path)
    if "set_dst" in action:
        return _SET_DST(expect_text(expect_keys(action, path, ("set_dst",))["set_dst"], (*path, "set_dst")))
    port = expect_keys(action, path, ("output",))["output"]
    return Output(IN_PORT if port == IN_PORT else _port(port, (*path, "output")))


_OUTPUTS = lru_cache(1 << 16)(Output)
_SET_DST = lru_cache(1 << 16)(SetDst)


def _port(value: object, path: Path) -> int:
    return expect_integer(value, path, 1, MAX_PORT)
