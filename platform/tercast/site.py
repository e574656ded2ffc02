"""A switch as the planner sees it: its ports and hosts as bits of a mask, and what masks mean for its table.

Every link port that a tree uses and every host attached here has a bit. At any cell of a topic, S is the mask
of bits that want it (the hosts that subscribe here; the link ports beyond which somebody does) and A the mask
of bits that bring it (likewise for advertisements). All that the table says, and all that neighbours have to
know, follows from S and A.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from tercast.tables import IN_PORT, Action, Output, SetDst

if TYPE_CHECKING:
    from tercast.aggregation.overlay import Overlay

Mask = int
Bit = int

InPort = tuple[int, Mask, Mask]
"""For packets that enter at a port: the port, the outputs elsewhere, the hosts on the port itself."""

State = tuple[Mask, Mask, tuple[InPort, ...]]
"""At a cell: outputs of its entry (0: none), link ports to export to, entries with an `in_port`."""

NOTHING: State = (0, 0, ())

_MEMO_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Socket:
    """What a bit stands for: a port, and the host on it (None: a link)."""

    port: int
    host: str | None


class Site:
    """The bits of one switch, its number of exact entries, and the meaning of its masks.

    `version` grows whenever a bit comes or goes. Where `overlay` is set, aggregation stands between the exact
    entries and those that are installed.
    """

    __slots__ = (
        "_actions",
        "_by_port",
        "_free",
        "_mates",
        "_memo",
        "_retired",
        "_shared",
        "_sockets",
        "_width",
        "budget",
        "count",
        "host_bits",
        "hosts",
        "id",
        "link_bits",
        "links",
        "marked",
        "overlay",
        "version",
    )

    def __init__(self, switch: str, budget: int | None = None) -> None:
        self.id = switch
        self.budget = budget
        self.count = 0
        self.marked = False
        self.overlay: Overlay | None = None
        self.links: Mask = 0
        self.hosts: Mask = 0
        self.link_bits: dict[int, Bit] = {}
        self.host_bits: dict[str, Bit] = {}
        self._sockets: dict[Bit, Socket] = {}
        self._mates: dict[Bit, Mask] = {}
        self._by_port: dict[int, Mask] = {}
        self._shared: tuple[Mask, ...] = ()
        self._width = 0
        self.version = 0
        self._free: list[Bit] = []
        self._retired: list[Bit] = []
        self._memo: dict[tuple[Mask, Mask, Mask, Mask], State] = {}
        self._actions: dict[Mask | tuple[Mask, Mask], tuple[Action, ...]] = {}

    @property
    def width(self) -> int:
        """How many bits there have been at once."""
        return self._width

    @property
    def mates(self) -> Mapping[Bit, Mask]:
        """For each bit the bits on the same port."""
        return self._mates

    @property
    def is_shared(self) -> bool:
        """Whether any hosts share a port."""
        return bool(self._shared)

    @property
    def has_retired(self) -> bool:
        """Whether bits were dropped and are not released yet, so that a host may have had another one."""
        return bool(self._retired)

    @property
    def installed(self) -> int:
        """The number of entries in its tables: those of the overlay, where aggregation keeps one."""
        return self.count if self.overlay is None else self.overlay.count

    def link_bit(self, port: int) -> Bit:
        """The bit of a link port, given to it at the first call."""
        bit = self.link_bits.get(port)
        if bit is None:
            bit = self.link_bits[port] = self._new_bit(Socket(port, None))
            self.links |= bit
            self._regroup()
        return bit

    def host_bit(self, host: str, port: int) -> Bit:
        """The bit of a host attached at `port`, given to it at the first call."""
        bit = self.host_bits.get(host)
        if bit is None:
            bit = self.host_bits[host] = self._new_bit(Socket(port, host))
            self.hosts |= bit
            self._regroup()
        return bit

    def drop_host(self, host: str) -> None:
        """Forget the bit of a host, if it has one; no mask of any topic has it any more."""
        bit = self.host_bits.pop(host, None)
        if bit is not None:
            self.hosts ^= bit
            self._retire(bit)

    def drop_link(self, port: int) -> None:
        """Forget the bit of a link port, if it has one; no mask of any topic has it any more."""
        bit = self.link_bits.pop(port, None)
        if bit is not None:
            self.links ^= bit
            self._retire(bit)

    def release_retired(self) -> None:
        """Let bits that were dropped be given anew: nothing that is yet to be read names their owners."""
        for bit in self._retired:
            del self._sockets[bit]
        if self._retired:
            self._free += self._retired
            self._retired = []
            self._actions.clear()

    def socket(self, bit: Bit) -> Socket:
        """What `bit` stands for, or stood for when it was last in use."""
        return self._sockets[bit]

    def hosts_on(self, port: int) -> Mask:
        """The bits of the hosts attached at a port."""
        return self._by_port.get(port, 0)

    def wanted(self, brought: Mask, among: Mask) -> Mask:
        """Ports of `among` over which an advertisement is exported: others than the port bring it."""
        if not brought:
            return 0
        return among if brought & brought - 1 else among & ~brought

    def state(self, s0: Mask, a0: Mask, s1: Mask, a1: Mask) -> State:
        """What stands at a cell with masks S1 and A1, whose nearest ancestors have S0 and A0."""
        key = (s0, a0, s1, a1)
        state = self._memo.get(key)
        if state is None:
            if len(self._memo) >= _MEMO_LIMIT:
                self._memo.clear()
            state = self._memo[key] = self._state(s0, a0, s1, a1)
        return state

    def same_below(self, a0: Mask, a1: Mask, seen: Mask) -> bool:
        """Whether A0 and A1 mean the same for every cell below where S has only bits of `seen`."""
        changed = a0 ^ a1
        if changed & self.links or (self._excluded(a0) ^ self._excluded(a1)) & seen:
            return False
        hosts = changed & self.hosts
        while hosts:
            bit = hosts & -hosts
            hosts ^= bit
            mates = self._mates[bit]
            if seen & mates and bool(a0 & mates) != bool(a1 & mates):
                return False
        return True

    def actions(self, outputs: Mask, back: Mask = 0) -> tuple[Action, ...]:
        """The actions for a mask of outputs, and for one of hosts on the ingress port.

        Outputs towards switches come first: with another destination an event gets no further through them.
        """
        key = (outputs, back) if back else outputs
        actions = self._actions.get(key)
        if actions is None:
            if len(self._actions) >= _MEMO_LIMIT:
                self._actions.clear()
            actions = self._actions[key] = self._make_actions(outputs, back)
        return actions

    def _state(self, s0: Mask, a0: Mask, s1: Mask, a1: Mask) -> State:
        out0, out1 = self._outputs(s0, a0), self._outputs(s1, a1)
        exports = self._crossing(s1, a1) & ~self._crossing(s0, a0)
        in_ports: tuple[InPort, ...] = ()
        entry = out1 if out1 != out0 else 0
        if s1 & a1 & self.hosts or self._shared:
            above = self._in_ports(s0, a0, out0)
            in_ports = tuple(found for found in self._in_ports(s1, a1, out1) if found not in above)
            if self._taken_over(s1, a1):
                entry = 0
        return entry, exports, in_ports

    def _taken_over(self, s: Mask, a: Mask) -> bool:
        """Whether all that comes enters at one port, whose entries with an `in_port` say all there is to say.

        Plain entries would never be met there. Where others bring something further below they are met again,
        and stand there: the outputs are others, since the hosts on that port are among them now.
        """
        if not a & self.hosts:
            return False
        mates = self._mates[a & -a]
        return not a & ~mates and bool(s & mates)

    def _outputs(self, s: Mask, a: Mask) -> Mask:
        """Who gets what is brought here and does not come from the own port."""
        return s & ~self._excluded(a)

    def _excluded(self, a: Mask) -> Mask:
        """Bits that get nothing: all where nobody brings anything, a port where it alone does."""
        if not a:
            return -1
        mates = self._mates[a & -a]
        return 0 if a & ~mates else mates

    def _crossing(self, s: Mask, a: Mask) -> Mask:
        """Link ports over which a subscription is exported: advertised beyond, wanted on this side."""
        if not s:
            return 0
        links = a & self.links
        return links if s & s - 1 else links & ~s

    def _in_ports(self, s: Mask, a: Mask, out: Mask) -> tuple[InPort, ...]:
        """For each port with both publishers and subscribers: where packets that enter there have to go."""
        found: list[InPort] = []
        hosts = s & self.hosts
        while hosts:
            mates = self._mates[hosts & -hosts]
            if a & mates:
                found.append((self._sockets[mates & -mates].port, out & ~mates, s & mates))
            hosts &= ~mates
        return tuple(sorted(found))

    def _make_actions(self, outputs: Mask, back: Mask) -> tuple[Action, ...]:
        actions: list[Action] = [
            Output(socket.port) for socket in self._sockets_of(outputs) if socket.host is None
        ]
        for mask, turns in ((outputs, False), (back, True)):
            for socket in self._sockets_of(mask):
                if socket.host is not None:
                    actions += (SetDst(socket.host), Output(IN_PORT if turns else socket.port))
        return tuple(actions)

    def _sockets_of(self, mask: Mask) -> list[Socket]:
        sockets: list[Socket] = []
        while mask:
            bit = mask & -mask
            mask ^= bit
            sockets.append(self._sockets[bit])
        return sorted(sockets, key=lambda socket: (socket.port, socket.host or ""))

    def _new_bit(self, socket: Socket) -> Bit:
        if self._free:
            bit = self._free.pop()
        else:
            bit = 1 << self._width
            self._width += 1
        self._sockets[bit] = socket
        return bit

    def _retire(self, bit: Bit) -> None:
        self._retired.append(bit)
        self._regroup()

    def _regroup(self) -> None:
        """Note which bits share a port; what masks meant may have changed."""
        self.version += 1
        self._memo.clear()
        self._mates = {bit: bit for bit in self.link_bits.values()}
        self._by_port = {}
        shared: list[Mask] = []
        by_port = sorted(self.host_bits.values(), key=lambda bit: self._sockets[bit].port)
        for port, group in groupby(by_port, key=lambda bit: self._sockets[bit].port):
            bits = list(group)
            mates = self._by_port[port] = sum(bits)
            self._mates.update(dict.fromkeys(bits, mates))
            if len(bits) > 1:
                shared.append(mates)
        self._shared = tuple(shared)
