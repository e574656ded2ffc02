"""Features of a switch are read when it connects, and missing ones are reported."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app.switch.features import cut_table, decode_groups, decode_meters, decode_tables
from tests.support.controller.controller_harness import dpid

GROUP, METER, TABLE = 8, 11, 12
A = 0xA1


def oxm(number: int, size: int, masked: bool = False) -> bytes:
    return struct.pack("!HBB", 0x8000, number << 1 | masked, size * (1 + masked))


FIELDS = [
    oxm(0, 4),
    oxm(3, 6, True),
    oxm(5, 2),
    oxm(12, 4, True),
    oxm(27, 16, True),
    b"\xff\xff\0\x08\0\0\0\1",
]
REWRITES = [oxm(3, 6), oxm(12, 4), oxm(27, 16)]


def prop(kind: int, *items: bytes) -> bytes:
    body = b"".join(items)
    return struct.pack("!HH", kind, 4 + len(body)) + body + bytes(-(4 + len(body)) % 8)


def table(
    number=0, capacity=500, fields=FIELDS, rewrites=REWRITES, actions=(0, 25), instructions=(4,)
) -> bytes:
    ids = [[struct.pack("!HH", kind, 4) for kind in kinds] for kinds in (instructions, actions)]
    properties = prop(0, *ids[0]) + prop(6, *ids[1]) + prop(8, *fields) + prop(14, *rewrites)
    head = struct.pack("!HB5x32sQQII", 64 + len(properties), number, b"t", 0, 0, 0, capacity)
    return head + properties


GROUPS = struct.pack("!II4I4I", 15, 7, 32, 16, 0, 0, 0, 0, 0, 0)
METERS = struct.pack("!IIIBBxx", 24, 1 << 1, 15, 8, 0)


def connected(network, controller, features) -> dict:
    fake = network.make(A)
    fake.faults.features = features
    fake.start()
    controller.await_switches(dpid(A))
    return controller.get("/v1/switches")[0]


def test_all_features_are_reported(network, controller) -> None:
    both = table(1, 9, fields=[]) + table()
    switch = connected(network, controller, {TABLE: [both], GROUP: [GROUPS], METER: [METERS]})
    assert switch["features"] == {"capacity": 500, "groups": 32, "meters": 24}
    assert (switch["problems"], switch["lacks"]) == ([], [])


def test_a_switch_without_features_has_no_problem_and_lacks_all(network, controller) -> None:
    switch = connected(network, controller, {})
    assert switch["features"] == {"capacity": None, "groups": None, "meters": None}
    assert (switch["problems"], switch["lacks"]) == ([], ["table_features", "groups", "meters"])


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (table(fields=[one for one in FIELDS if one != oxm(27, 16, True)]), "match ipv6_dst with a mask"),
        (table(fields=[*FIELDS[1:]]), "match in_port"),
        (table(rewrites=REWRITES[1:]), "rewrite eth_dst"),
        (table(actions=(0,)), "rewrite fields"),
        (table(instructions=(1, 3)), "apply actions"),
    ],
)
def test_what_is_needed_and_not_there_is_a_problem(network, controller, bad, says) -> None:
    (problem,) = connected(network, controller, {TABLE: [bad]})["problems"]
    assert problem.startswith("table 0: it cannot ") and says in problem
    assert "switch_problem" in controller.alarm_names()


def test_a_switch_that_is_silent_to_such_questions_serves_all_the_same(network, controller) -> None:
    fake = network.make(A)
    fake.faults.mute = frozenset({METER})
    fake.start()
    controller.await_switches(dpid(A))
    assert "meters" in controller.get("/v1/switches")[0]["lacks"]


def test_only_the_table_that_matters_is_kept_of_a_long_answer() -> None:
    parts = [table(1, 9, fields=[]) + table(), table(2) * 250]
    assert [cut_table(part, 0) for part in parts] == [table(), b""]


@given(st.binary(max_size=300), st.integers(0, 300))
def test_no_bytes_break_the_reader(data: bytes, cut: int) -> None:
    for garbled in (data, table()[:cut], table()[:cut] + data):
        list(decode_tables([garbled]))
        assert cut_table(garbled, 0) in garbled
        decode_groups([garbled])
        decode_meters([garbled])
