"""The state of a channel: transaction ids, open requests, and late errors."""

from __future__ import annotations

import gc
import struct
import weakref
from collections.abc import Iterator

import pytest

from controller_app.errors import RequestRejected, SwitchError, Unreachable
from controller_app.openflow import messages
from controller_app.switch.connection import AHEAD, Connection

REFUSED = SwitchError("flow_mod_failed", "table_full", "the switch answered flow_mod_failed/table_full")


class Datapath:
    """Records what is sent; `answer` returns the immediate replies."""

    address = ("127.0.0.1", 1)

    def __init__(self, xid: int = 5) -> None:
        self.xid = xid
        self.sent: list[bytes] = []
        self.answer = lambda data: None

    def send(self, data: bytes) -> bool:
        self.sent.append(data)
        self.answer(data)
        return True


def connected(xid: int = 5) -> tuple[Datapath, Connection]:
    datapath = Datapath(xid)
    return datapath, Connection(datapath, dpid=1, epoch=1, reply_timeout=0.05)


def confirming(connection: Connection):
    """Reply to the barrier at the end of what was sent."""
    return lambda data: connection.on_part(struct.unpack("!I", data[-4:])[0], None, more=False)


def test_no_more_than_a_few_pieces_are_on_their_way_to_a_switch_that_confirms_none() -> None:
    datapath, connection = connected()
    made: list[int] = []

    def pieces() -> Iterator[bytes]:
        for n in range(100):
            made.append(n)
            yield bytes(8)

    with pytest.raises(Unreachable, match="no answer"):
        connection.transfer(pieces())
    assert (len(datapath.sent), len(made)) == (AHEAD, AHEAD + 1)
    assert connection._transactions.open == []


def test_pieces_go_in_order_each_with_a_barrier() -> None:
    datapath, connection = connected()
    datapath.answer = confirming(connection)
    connection.transfer(bytes((n,)) * 8 for n in range(20))
    assert [data[0] for data in datapath.sent] == list(range(20))
    assert [data[8:12] for data in datapath.sent] == [bytes((4, 20, 0, 8))] * 20
    assert connection._transactions.open == []


def test_a_refused_barrier_ends_a_transfer() -> None:
    datapath, connection = connected()
    datapath.answer = lambda data: connection.on_failure(struct.unpack("!I", data[-4:])[0], REFUSED)
    with pytest.raises(RequestRejected, match="table_full"):
        connection.transfer(bytes(8) for _ in range(20))
    assert connection._transactions.open == []


def test_a_channel_that_closes_ends_a_transfer_with_its_reason() -> None:
    datapath, connection = connected()
    datapath.answer = lambda data: connection.on_closed("switch 1 disconnected")
    with pytest.raises(Unreachable, match="switch 1 disconnected"):
        connection.transfer(bytes(8) for _ in range(20))
    assert connection._transactions.open == []


@pytest.mark.parametrize("last", [0, 5, 0xFFFFFF00, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF])
def test_ids_of_a_batch_are_in_a_row_and_none_is_zero(last: int) -> None:
    datapath, connection = connected(last)
    first, second = connection.reserve(100, "flow_mod"), connection.reserve(1, "barrier")
    ids = [batch.first + n for batch in (first, second) for n in range(batch.count)]
    assert len(set(ids)) == 101
    assert all(0 < xid <= 0xFFFFFFFF for xid in ids)
    assert datapath.xid == ids[-1]


def test_an_error_finds_its_message_until_the_batch_is_settled_and_its_kind_thereafter() -> None:
    _, connection = connected()
    batch = connection.reserve(1000, "flow_mod")
    assert connection.on_failure(batch.first + 7, REFUSED) is None
    assert batch.failures == {7: REFUSED}
    connection.settle(batch)
    assert connection.on_failure(batch.first + 8, REFUSED) == "flow_mod"
    assert connection.on_failure(batch.first + 1000, REFUSED) is None
    assert batch.failures == {7: REFUSED}


def test_an_answer_to_an_earlier_message_does_not_end_an_exchange() -> None:
    datapath, connection = connected()

    def answer(data: bytes) -> None:
        first = struct.unpack("!I", data[4:8])[0]
        connection.on_part(first, "part", more=False)
        connection.on_part(first + 1, None, more=False)

    datapath.answer = answer
    batch = connection.exchange([messages.echo(), messages.barrier()])
    assert (batch.parts, batch.failures, connection._transactions.open) == (["part"], {}, [])


class Part:
    """A part of an answer, such as the entries of a whole table."""


def test_a_channel_keeps_no_answer_but_knows_late_errors() -> None:
    datapath, connection = connected()

    def answer(data: bytes) -> None:
        connection.on_part(struct.unpack("!I", data[4:8])[0], Part(), more=False)

    datapath.answer = answer
    part = weakref.ref(connection.request(messages.echo())[0])
    gc.collect()
    assert part() is None
    assert connection.on_failure(connection._transactions._settled[-1].first, REFUSED) == "echo_request"


def test_an_answer_is_reduced_as_it_arrives() -> None:
    datapath, connection = connected()
    kept: list[int] = []

    def answer(data: bytes) -> None:
        for n in range(5):
            connection.on_part(struct.unpack("!I", data[4:8])[0], [n], more=n < 4)
            kept.append(len(connection._transactions.open[0].parts))

    datapath.answer = answer
    assert connection.request(messages.echo(), lambda part: part if part[0] == 1 else None) == [[1]]
    assert kept == [0, 1, 1, 1, 1]
