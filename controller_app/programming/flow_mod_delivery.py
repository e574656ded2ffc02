"""Delivery of entries and removals to a switch, in bundles or as single flow-mods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from controller_app.errors import SwitchError
from controller_app.openflow import flow_mods, messages
from controller_app.openflow.bundles import BundleAction, Control, carry, control
from controller_app.openflow.flow_entry import FlowEntry, FlowKey
from controller_app.openflow.flow_mods import add_body
from controller_app.switch.connection import Connection
from controller_app.switch.transactions import MessageBatch

WINDOW = 250
"""Single flow-mods between two barriers; so many are unconfirmed when a switch stops answering."""

PIECE = 128 * 1024
"""Bytes of a bundle between two barriers."""

SLOWEST = 2000
"""Messages of a bundle per second that a slow switch applies; its commit may take the resulting time."""

FEW = 100
"""Highest number of messages that need no confirmation before the commit."""

ROUNDS = 3
"""Bundles that are tried for a delivery. Each omits the items that the earlier ones had refused."""

NO_ROOM = "table_full"

Item = FlowEntry | FlowKey
"""Object of a flow-mod: an entry to add, or the key of an entry to remove."""

RefusedEntry = tuple[Item, SwitchError]


def flow_mod(item: Item) -> messages.OpenFlowMessage:
    """Return the message that adds the entry, or removes the entry with the key."""
    return flow_mods.add(item) if isinstance(item, FlowEntry) else flow_mods.remove(item)


class Bundle:
    """Flow-mods that take effect together or not at all: staged, then committed or discarded."""

    def __init__(self, connection: Connection, items: Sequence[Item]) -> None:
        self._connection = connection
        self._items = items
        self._id = connection.next_bundle()
        self._batch: MessageBatch | None = None
        self.failure: SwitchError | None = None

    def stage(self, confirmed: bool = True) -> None:
        """Open the bundle and send its messages.

        Args:
            confirmed: Wait until the switch has received all messages; `refused` then has those that are
                wrong in their own content. Otherwise a small bundle is only sent, so the commit is the only
                round trip.

        Raises:
            Unreachable: The connection ended, or the switch does not answer.
        """
        self._batch = self._connection.reserve(1 + len(self._items), "flow_mod in a bundle")
        pieces: Iterable[bytes] = self._pieces(self._batch.first)
        if not confirmed and len(self._items) <= FEW:
            pieces = tuple(pieces)
            if len(pieces) == 1:
                self._connection.send(pieces[0])
                return
        self._connection.transfer(pieces)

    @property
    def refused(self) -> list[RefusedEntry]:
        """The items that the switch has refused so far."""
        failures = self._batch.failures if self._batch else {}
        return [(self._items[n - 1], failure) for n, failure in sorted(failures.items()) if n]

    def commit(self) -> bool:
        """Commit the bundle.

        Returns:
            Whether all messages take effect that were not refused at the staging. If not, no message does,
            and `refused` and `failure` contain the reason.

        Raises:
            Unreachable: The connection ended, or the switch does not answer.
        """
        assert self._batch is not None, "a bundle is staged before its commit"
        if opening := self._batch.failures.get(0):
            self.discard()
            self.failure = opening
            return False
        return self._end(BundleAction.COMMIT)

    def discard(self) -> None:
        """Discard the staged messages."""
        self._end(BundleAction.DISCARD)

    def abandon(self) -> None:
        """Forget a bundle whose switch disconnected."""
        if self._batch is not None:
            self._connection.settle(self._batch)
            self._batch = None

    def _end(self, act: BundleAction) -> bool:
        patience = len(self._items) / SLOWEST
        answer = self._connection.exchange([control(self._id, act), messages.barrier()], patience)
        self.failure = answer.failures.get(0)
        return self.failure is None and Control(self._id, act.reply) in answer.parts

    def _pieces(self, first: int) -> Iterator[bytes]:
        piece = [control(self._id, BundleAction.OPEN).frame(first)]
        size = 0
        for xid, item in enumerate(self._items, first + 1):
            body = add_body(item) if type(item) is FlowEntry else flow_mod(item).body
            message = carry(self._id, body, xid)
            piece.append(message)
            size += len(message)
            if size >= PIECE:
                yield b"".join(piece)
                piece, size = [], 0
        yield b"".join(piece)


class FlowModDelivery:
    """Delivers all items that the switch accepts, in their order, and returns the refused ones.

    A bundle that fails applies nothing, so it is tried again without the refused items. A full table refuses
    only one item per bundle, and a bundle may expire while it waits for its turn. So items that remain after
    a few bundles are sent as single flow-mods, which the switch refuses one at a time.
    """

    def __init__(self, connection: Connection, items: Sequence[Item]) -> None:
        self._connection = connection
        self._items = list(items)
        self._bundle: Bundle | None = None

    def stage(self) -> None:
        """Send the messages that have no effect yet. A single message is atomic without a bundle."""
        if self._connection.bundles and len(self._items) > 1:
            self._bundle = Bundle(self._connection, self._items)
            self._bundle.stage(confirmed=False)

    def deliver(self) -> list[RefusedEntry]:
        """Let the items take effect and return the refused items.

        Raises:
            Unreachable: The connection ended, or the switch does not answer.
        """
        refused: list[RefusedEntry] = []
        for round_ in range(1, ROUNDS + 1):
            if self._bundle is None:
                break
            done = self._bundle.commit()
            named = self._bundle.refused
            self.abandon()
            refused += named
            if done:
                return refused
            gone = {item for item, _ in named}
            self._items = [item for item in self._items if item not in gone]
            if round_ < ROUNDS and not any(failure.code == NO_ROOM for _, failure in named):
                self.stage()
        return refused + send_singly(self._connection, self._items)

    def drop(self) -> None:
        """Discard the staged items on a connected switch.

        Raises:
            Unreachable: The connection ended, or the switch does not answer.
        """
        if self._bundle is not None:
            self._bundle.discard()
            self.abandon()

    def abandon(self) -> None:
        """Forget the bundle, because it has ended or its switch disconnected."""
        if self._bundle is not None:
            self._bundle.abandon()
            self._bundle = None


def send_singly(connection: Connection, items: Sequence[Item]) -> list[RefusedEntry]:
    """Send a flow-mod for each item, in windows; return the items that the switch refused."""
    if not items:
        return []
    batch = connection.reserve(len(items), "flow_mod")
    try:
        connection.transfer(_windows(items, batch.first))
    finally:
        connection.settle(batch)
    return [(items[n], failure) for n, failure in sorted(batch.failures.items())]


def _windows(items: Sequence[Item], first: int) -> Iterator[bytes]:
    for start in range(0, len(items), WINDOW):
        window = enumerate(items[start : start + WINDOW], first + start)
        yield b"".join(flow_mod(item).frame(xid) for xid, item in window)
