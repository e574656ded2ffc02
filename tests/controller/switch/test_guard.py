"""Limits on the messages of a peer: of the guard, of answers in parts, and of the number of connections."""

from __future__ import annotations

import struct
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app.errors import SwitchError
from controller_app.monitoring import metrics
from controller_app.monitoring.alarms import MOST as MOST_ALARMS
from controller_app.monitoring.alarms import Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.monitoring.metrics import Metrics
from controller_app.openflow.messages import Stats
from controller_app.switch import answer_bounds, message_guard
from controller_app.switch.admission import Admission, ConnectionLimits
from controller_app.switch.answer_bounds import IN_ALL, MOST, AnswerBudget, BoundedAnswer
from controller_app.switch.message_guard import Guard, Overrun

VERSION = 4


def message(kind: int, body: bytes = b"", version: int = VERSION, xid: int = 7) -> bytes:
    return struct.pack("!BBHI", version, kind, 8 + len(body), xid) + body


def element(length: int, kind: int = 2) -> bytes:
    return struct.pack("!HH", kind, length) + bytes(max(0, length - 4))


def part(kind: int, body: bytes = b"", more: bool = True) -> bytes:
    return message(19, struct.pack("!HH4x", kind, more) + body)


def packet_in(match_length: int = 12, size: int = 100) -> bytes:
    body = struct.pack("!IHBBQ", 0xFFFFFFFF, size, 1, 0, 1) + struct.pack("!HH", 1, match_length)
    return message(10, body + bytes(size))


class Wire:
    """A socket that returns its input in pieces of `piece` bytes, and records its end."""

    def __init__(self, data: bytes, piece: int = 1 << 16) -> None:
        self.data, self.piece, self.ended = data, piece, False
        self.reads = 0

    def recv(self, size: int) -> bytes:
        self.reads += 1
        taken, self.data = self.data[: min(size, self.piece)], self.data[min(size, self.piece) :]
        return taken

    def shutdown(self, how: int) -> None:
        self.ended = True


class Awaits:
    """A check that expects answers of one kind."""

    def __init__(self, kind: int) -> None:
        self.kind = kind

    def judge(self, xid: int, kind: int, size: int, more: bool) -> bool:
        return kind == self.kind

    def admits(self, packet_in: bytes) -> bool:
        return True


def heard(data: bytes, piece: int = 1 << 16, awaits: int | None = None) -> list[bytes]:
    """Return the messages that pass, in the handshake unless a kind of answer is expected."""
    one = Guard(Wire(data, piece), 1.0)
    if awaits is not None:
        one.handshake_done(Awaits(awaits))
    return list(iter(lambda: one.recv(8), b""))


HELLO = message(0, element(8, kind=1))
PORT = bytes(64)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (message(0, element(0)), "malformed hello"),
        (message(0, element(8)[:6]), "malformed hello"),
        (message(0, element(4) * 17), "more than 16 elements"),
        (message(0, element(1020)), "limit is 1024"),
        (message(2, bytes(1017)), "echo request has 1025 bytes"),
        (message(2) * 1001, "more than 1000 messages"),
        (message(6, bytes(65000)) * 5, "more than 262144 bytes"),
        (part(13, PORT * 1000) * 5, "more than 4096 ports"),
        (part(13) * 1001, "more than 1000 messages"),
        (message(10, version=9), "not OpenFlow 1.3"),
        (b"\x04\x0a\x00\x07\x00\x00\x00\x01", "shorter than a header"),
        (message(19), "too short"),
    ],
)
def test_peer_beyond_a_limit_is_disconnected_with_the_reason(data: bytes, says: str) -> None:
    wire = Wire(data)
    one = Guard(wire, 1.0)
    with pytest.raises(Overrun, match=says):
        while one.recv(8):
            pass
    assert wire.ended
    assert says in str(one.broken)


@pytest.mark.parametrize(
    ("data", "awaits"),
    [
        (part(6, bytes(8)), None),  # groups with buckets, of no length: the library never ends with them
        (part(6, bytes(8)), Stats.FLOW),
        (part(1, PORT), None),
        (message(11, bytes(40)), Stats.FLOW),
        (message(10, version=1), Stats.FLOW),
        (packet_in(match_length=1025), Stats.FLOW),
        (packet_in(size=16384), Stats.FLOW),
        (packet_in(), None),
        (message(10), Stats.FLOW),
    ],
)
def test_unexpected_messages_are_skipped_unread(data: bytes, awaits: int | None) -> None:
    assert heard(data + HELLO, awaits=awaits) == [HELLO]


def test_an_error_is_read_up_to_the_request_that_it_quotes() -> None:
    (found,) = heard(message(1, bytes(range(250)) * 100))
    assert found == message(1, bytes(range(72)))


@given(
    st.lists(st.sampled_from([HELLO, message(3, b"x"), part(1, bytes(300)), packet_in()])), st.integers(1, 50)
)
def test_messages_pass_whole_and_in_order_however_they_are_cut(frames: list[bytes], piece: int) -> None:
    assert heard(b"".join(frames), piece, awaits=1) == frames


def test_a_message_that_dribbles_in_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(message_guard, "monotonic", lambda: now[0])
    wire = Wire(HELLO + message(3, bytes(200)), piece=1)
    one = Guard(wire, 5.0)

    def dribble(size: int, recv=wire.recv) -> bytes:
        now[0] += 0.2
        return recv(size)

    wire.recv = dribble
    assert one.recv(8) == HELLO
    with pytest.raises(Overrun, match="more than 5 s for one message"):
        one.recv(8)
    assert wire.reads < 50


def test_a_peer_that_does_not_read_is_cut_off() -> None:
    class Full(Wire):
        def sendall(self, data: bytes) -> None:
            message_guard.sleep(30)

    wire = Full(b"")
    one = Guard(wire, 0.05)
    with pytest.raises(Overrun, match="did not read"):
        one.sendall(b"x")
    assert wire.ended


# Answers in parts


@pytest.mark.parametrize("kind", list(MOST))
def test_parts_and_bytes_of_an_answer_are_limited(kind: Stats) -> None:
    parts, size = MOST[kind]
    answer = BoundedAnswer(kind)
    for _ in range(parts):
        answer.add(16, 60.0)
    with pytest.raises(Overrun, match=f"{kind.name.lower()} has more than {parts} parts"):
        answer.add(16, 60.0)
    with pytest.raises(Overrun, match=f"more than {size} bytes"):
        BoundedAnswer(kind).add(size + 1, 60.0)


def test_an_answer_has_a_longest_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(answer_bounds, "monotonic", lambda: now[0])
    answer = BoundedAnswer(Stats.FLOW, began_at=now[0])
    answer.add(16, 60.0)
    now[0] += 61
    with pytest.raises(Overrun, match="did not end within 60 s"):
        answer.add(16, 60.0)


def test_every_question_that_is_asked_has_bounds() -> None:
    assert set(MOST) == set(Stats)


def test_total_size_of_answers_disconnects_the_largest() -> None:
    shared = AnswerBudget(1000)
    guards = [Guard(Wire(b""), 1.0) for _ in range(3)]
    answers = [BoundedAnswer(Stats.FLOW) for _ in range(3)]
    for one, answer in zip(guards, answers, strict=True):
        shared.open(answer, one)
    for answer, size in zip(answers, (300, 500, 200), strict=True):
        answer.add(size, 60.0)
    shared.check()
    assert [one.broken for one in guards] == [None, None, None]
    answers[0].add(1, 60.0)
    shared.check()
    assert [bool(one.broken) for one in guards] == [False, True, False]
    shared.close(answers[0])
    answers[2].add(700, 60.0)
    shared.check()
    assert guards[2].broken is None
    assert MOST[Stats.FLOW][1] < IN_ALL


# The number of connections

STEPS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["enter", "greet", "leave"])), max_size=60
)


@given(STEPS)
def test_connections_are_limited_by_address_and_in_total(steps: list[tuple[str, str]]) -> None:
    most = ConnectionLimits(connections=6, of_address=4, in_handshake=4)
    counted = Admission(most)
    alive: list[tuple[int, str]] = []
    greeting: list[tuple[int, str]] = []
    for host, step in steps:
        of_host = [one for one in alive if one[1] == host]
        if step == "enter":
            mine = Counter(name for _, name in greeting)[host]
            full = len(alive) >= 6 or len(of_host) >= 4 or len(greeting) >= 4 or mine >= 2
            assert bool(counted.refusal(host)) is full
            if not full:
                alive.append((counted.enter(host), host))
                greeting.append(alive[-1])
        elif step == "greet" and greeting:
            counted.greeted(greeting.pop(0)[0])
        elif step == "leave" and of_host:
            counted.leave(of_host[0][0])
            alive.remove(of_host[0])
            greeting = [one for one in greeting if one != of_host[0]]
        assert counted.in_handshake == len(greeting)
    for ticket, _ in alive:
        counted.leave(ticket)
    assert counted.refusal("a") is None
    assert vars(counted)["_of_host"] == Counter()


def test_the_number_of_connections_leaves_descriptors_for_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[tuple[int, int]] = []
    monkeypatch.setattr("resource.setrlimit", lambda what, limits: wanted.append(limits))
    for limits, raised, most in (
        ((1024, 1 << 20), (4496, 1 << 20), 4096),
        ((1024, 2000), (2000, 2000), 1600),
        ((-1, -1), None, 4096),
        ((65536, 65536), None, 4096),
    ):
        wanted.clear()
        monkeypatch.setattr("resource.getrlimit", lambda what, limits=limits: limits)
        assert ConnectionLimits().within_descriptors().connections == most
        assert wanted == ([] if raised is None else [raised])


def test_costly_handshakes_are_delayed(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept = [100.0], []
    monkeypatch.setattr(message_guard, "monotonic", lambda: now[0])
    monkeypatch.setattr(message_guard, "sleep", slept.append)
    one = Guard(Wire(HELLO * 4), 1.0, crowd=lambda: 7)
    one.recv(8)
    now[0] += 0.004
    one.recv(8)
    assert slept == [pytest.approx(7 * 0.004)]
    one.handshake_done(Awaits(1))
    now[0] += 0.004
    one.recv(8)
    assert len(slept) == 1


def test_labels_of_metrics_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_SWITCHES", 2)
    counts = Metrics()
    for number in (1, 2, 3, 4, 1):
        counts.connected(f"{number:016x}")
        counts.gone(f"{number:016x}")
        counts.failed(f"{number:016x}", SwitchError("bad_request", str(number), ""))
    text = counts.text()
    assert f'switch_connections_total{{dpid="{1:016x}"}} 2.0' in text
    assert 'switch_connections_total{dpid="other"} 2.0' in text
    assert f'"{3:016x}"' not in text


def test_passing_alarms_are_bounded() -> None:
    alarms = Alarms(EventRing())
    for number in range(MOST_ALARMS + 5):
        alarms.sound("late_error", "refused", 60.0, dpid=f"{number:016x}")
    standing = alarms.standing()
    assert len(standing) == MOST_ALARMS + 1
    assert (dict(standing[-1].subject), standing[-1].count) == ({"dpid": "others"}, 5)
    alarms.sound("late_error", "refused", 60.0, dpid=f"{0:016x}")
    assert standing[0].count == 2
    alarms.clear("late_error", dpid="others")
    assert alarms.has_room("late_error", MOST_ALARMS + 1, dpid="new")
