"""Steps without a switch: the size of a table during a change, and the step with the same result."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app.openflow.flow_entry import RANGES, FlowEntry, FlowKey, OutputAction, Prefix, RestEntry
from controller_app.programming.change_reader import parse_change
from controller_app.programming.change_request import ChangeStep
from controller_app.programming.table_occupancy import merge_steps, peak_occupancy
from tercast.errors import RefusedMany

WHO = {"ip": "fd00::1", "mac": "02:00:00:00:00:01"}

KEYS = [FlowKey(Prefix.parse(f"ff0e:{n}::/32"), None, 18) for n in range(1, 7)]


@st.composite
def steps(draw) -> ChangeStep:
    """Draw a step that has each key at most once."""
    says = {key: draw(st.sampled_from("-ar")) for key in KEYS}
    add = tuple(
        FlowEntry(key, (OutputAction(draw(st.integers(1, 3))),)) for key, word in says.items() if word == "a"
    )
    return ChangeStep(add, tuple(key for key, word in says.items() if word == "r"))


tables = st.dictionaries(st.sampled_from(KEYS), st.just((OutputAction(9),)))


def walk(table: dict[FlowKey, tuple], done: list[ChangeStep]) -> list[dict[FlowKey, tuple]]:
    """Return the tables after every single addition and removal."""
    seen = [dict(table)]
    for step in done:
        for entry in step.add:
            seen.append({**seen[-1], entry.key: entry.actions})
        for key in step.remove:
            seen.append({held: actions for held, actions in seen[-1].items() if held != key})
    return seen


@given(tables, st.lists(steps(), min_size=1, max_size=4))
def test_the_merged_step_leads_to_the_same_table(
    table: dict[FlowKey, tuple], listed: list[ChangeStep]
) -> None:
    one = merge_steps(listed)
    assert not {entry.key for entry in one.add} & set(one.remove)
    assert walk(table, [one])[-1] == walk(table, listed)[-1]


@given(tables, st.lists(steps(), min_size=1, max_size=4))
def test_the_highest_is_the_one_of_the_walk(table: dict[FlowKey, tuple], listed: list[ChangeStep]) -> None:
    behind_first = walk(table, listed)[1:] or [table]
    most = max(len(table), *map(len, behind_first))
    assert max(len(table), peak_occupancy(table, listed, at_once=False)) == most


@given(tables, st.lists(steps(), min_size=1, max_size=4))
def test_at_once_only_the_tables_after_the_steps_count(
    table: dict[FlowKey, tuple], listed: list[ChangeStep]
) -> None:
    after = [len(walk(table, listed[: n + 1])[-1]) for n in range(len(listed))]
    assert peak_occupancy(table, listed, at_once=True) == max(after)


def body(step: dict[str, Any]) -> dict[str, Any]:
    return {"id": "r", "switches": [{"dpid": f"{1:016x}", "limit": 1, "steps": [step]}]}


def test_a_step_says_what_happens_to_packets_that_hit_no_entry() -> None:
    rest = {"family": "ipv6", "actions": [{"output": 3}]}
    (switch,) = parse_change(body({"rest": rest}), [RANGES["ipv6"]]).switches
    assert switch.steps == (ChangeStep((), (), RestEntry(RANGES["ipv6"], (OutputAction(3),))),)
    assert merge_steps(switch.steps) == ChangeStep((), ())
    assert peak_occupancy(KEYS, switch.steps, at_once=False) == len(KEYS), "it takes no entry"


@pytest.mark.parametrize(
    ("rest", "code", "place"),
    [
        ({"family": "ipv4", "actions": []}, "unknown_family", ("family",)),
        ({"family": "ipv6", "actions": [{"output": 0}]}, "out_of_range", ("actions", 0, "output")),
        ({"family": "ipv6", "actions": [{"set_dst": WHO}]}, "no_output", ("actions",)),
    ],
)
def test_what_is_wrong_with_it_is_named(
    rest: dict[str, Any], code: str, place: tuple[str | int, ...]
) -> None:
    with pytest.raises(RefusedMany) as caught:
        parse_change(body({"rest": rest}), [RANGES["ipv6"]])
    (error,) = caught.value.errors
    assert (error.code, error.path) == (code, ("switches", 0, "steps", 0, "rest", *place))


def test_it_belongs_into_a_step() -> None:
    part = {"dpid": f"{1:016x}", "atomic": True, "rest": {"family": "ipv6", "actions": []}}
    with pytest.raises(RefusedMany):
        parse_change({"id": "r", "switches": [part]}, [RANGES["ipv6"]])
