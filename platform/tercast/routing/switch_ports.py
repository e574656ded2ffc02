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
from typing import TYPE_CHECKING, Final

from tercast.tables.entries import IN_PORT, Action, Output, SetDst

if TYPE_CHECKING:
    from tercast.routing.table_overlay import TableOverlay

PortMask = int
PortBit = int

InPort = tuple[int, PortMask, PortMask]
"""For packets that enter at a port: the port, the outputs elsewhere, the hosts on the port itself."""

State = tuple[PortMask, PortMask, tuple[InPort, ...], PortMask]
"""At a cell: outputs of its entry (0: none, or TAKEN), link ports to export to, entries with an `in_port`.

Last: those of the outputs that lead back to the only port from which packets meet the entry.
"""

TAKEN: Final = -1
"""Instead of outputs: a shorter entry stands above, which no packet meets here, and none is needed."""

NOTHING: State = (0, 0, (), 0)

_MEMO_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Socket:
    """What a bit stands for: a port, and the host on it (None: a link)."""

    port: int
    host: str | None


class SwitchPorts:
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
        self.overlay: TableOverlay | None = None
        self.links: PortMask = 0
        self.hosts: PortMask = 0
        self.link_bits: dict[int, PortBit] = {}
        self.host_bits: dict[str, PortBit] = {}
        self._sockets: dict[PortBit, Socket] = {}
        self._mates: dict[PortBit, PortMask] = {}
        self._by_port: dict[int, PortMask] = {}
        self._shared: tuple[PortMask, ...] = ()
        self._width = 0
        self.version = 0
        self._free: list[PortBit] = []
        self._retired: list[PortBit] = []
        self._memo: dict[tuple[PortMask, PortMask, PortMask, PortMask], State] = {}
        self._actions: dict[PortMask | tuple[PortMask, PortMask], tuple[Action, ...]] = {}

    @property
    def width(self) -> int:
        """How many bits there have been at once."""
        return self._width

    @property
    def mates(self) -> Mapping[PortBit, PortMask]:
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

    def link_bit(self, port: int) -> PortBit:
        """The bit of a link port, given to it at the first call."""
        bit = self.link_bits.get(port)
        if bit is None:
            bit = self.link_bits[port] = self._new_bit(Socket(port, None))
            self.links |= bit
            self._regroup()
        return bit

    def host_bit(self, host: str, port: int) -> PortBit:
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

    def socket(self, bit: PortBit) -> Socket:
        """What `bit` stands for, or stood for when it was last in use."""
        return self._sockets[bit]

    def hosts_on(self, port: int) -> PortMask:
        """The bits of the hosts attached at a port."""
        return self._by_port.get(port, 0)

    def wanted(self, brought: PortMask, among: PortMask) -> PortMask:
        """Ports of `among` over which an advertisement is exported: others than the port bring it."""
        if not brought:
            return 0
        return among if brought & brought - 1 else among & ~brought

    def state(self, s0: PortMask, a0: PortMask, s1: PortMask, a1: PortMask) -> State:
        """What stands at a cell with masks S1 and A1, whose nearest ancestors have S0 and A0."""
        key = (s0, a0, s1, a1)
        state = self._memo.get(key)
        if state is None:
            if len(self._memo) >= _MEMO_LIMIT:
                self._memo.clear()
            state = self._memo[key] = self._state(*key)
        return state

    def same_below(self, a0: PortMask, a1: PortMask, seen: PortMask) -> bool:
        """Whether A0 and A1 mean the same for every cell below where S has only bits of `seen`."""
        if not seen:
            return True
        changed = a0 ^ a1
        if changed & self.links:
            return False
        ports = False
        while changed:
            mates = self._mates[changed & -changed]
            changed &= ~mates
            if bool(a0 & mates) != bool(a1 & mates):
                if seen & mates:
                    return False
                ports = True
        return not ports or (self._is_open_below(a0, seen) and self._is_open_below(a1, seen))

    def actions(self, outputs: PortMask, back: PortMask = 0) -> tuple[Action, ...]:
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

    def _state(self, s0: PortMask, a0: PortMask, s1: PortMask, a1: PortMask) -> State:
        exports = self._crossing(s1, a1) & ~self._crossing(s0, a0)
        in_ports: tuple[InPort, ...] = ()
        if s1 & a1 & self.hosts or self._shared:
            above = self._in_ports(s0, a0)
            in_ports = tuple(found for found in self._in_ports(s1, a1) if found not in above)
        entry, back = self._entry(s0, a0, s1, a1)
        return entry, exports, in_ports, back

    def _entry(self, s0: PortMask, a0: PortMask, s1: PortMask, a1: PortMask) -> tuple[PortMask, PortMask]:
        """The outputs of a plain entry, and those of them that it does without.

        It is for what comes over ports that have no entries of their own. Where that has the same outputs as
        above there is none. Where not, somebody does need one: a port that is now the only such one loses
        itself as an output, but then hosts on the others want more here than above.

        Outputs only grow down the trie, which aggregation relies on; without the others they do not.
        """
        over, here = self._served(s0, a0), self._served(s1, a1)
        if here == over:
            return 0, 0
        if here == TAKEN:
            return (TAKEN if over > 0 else 0), 0
        outputs = s1 & ~self._excluded(a1)
        return outputs, outputs & ~here

    def _served(self, s: PortMask, a: PortMask) -> PortMask:
        """The outputs for what is brought here over ports without entries of their own; TAKEN: nothing is."""
        if not a:
            return 0
        a = self._open(s, a)
        if not a:
            return TAKEN
        mates = self._mates[a & -a]
        return s if a & ~mates else s & ~mates

    def _open(self, s: PortMask, a: PortMask) -> PortMask:
        """What of A is not on a port with entries of its own, where hosts both bring and want something."""
        hosts = a & self.hosts
        if not self._shared:
            return a & ~(hosts & s)
        while hosts:
            mates = self._mates[hosts & -hosts]
            hosts &= ~mates
            if s & mates:
                a &= ~mates
        return a

    def _is_open_below(self, a: PortMask, seen: PortMask) -> bool:
        """Whether one port more or less where nobody wants anything changes nothing for cells below.

        That is so beside two other such ports, and beside one whose own bits no cell there has.
        """
        free = self._open(seen, a)
        mates = self._mates[free & -free] if free else 0
        return bool(free) and (bool(free & ~mates) or not seen & mates)

    def _excluded(self, a: PortMask) -> PortMask:
        """Bits that get nothing of what A brings, which is not empty: a port where it alone does."""
        mates = self._mates[a & -a]
        return 0 if a & ~mates else mates

    def _crossing(self, s: PortMask, a: PortMask) -> PortMask:
        """Link ports over which a subscription is exported: advertised beyond, wanted on this side."""
        if not s:
            return 0
        links = a & self.links
        return links if s & s - 1 else links & ~s

    def _in_ports(self, s: PortMask, a: PortMask) -> tuple[InPort, ...]:
        """For each port with both publishers and subscribers: where packets that enter there have to go."""
        found: list[InPort] = []
        hosts = s & self.hosts
        while hosts:
            mates = self._mates[hosts & -hosts]
            if a & mates:
                found.append((self._sockets[mates & -mates].port, s & ~mates, s & mates))
            hosts &= ~mates
        return tuple(sorted(found))

    def _make_actions(self, outputs: PortMask, back: PortMask) -> tuple[Action, ...]:
        actions: list[Action] = [
            Output(socket.port) for socket in self._sockets_of(outputs) if socket.host is None
        ]
        for mask, turns in ((outputs, False), (back, True)):
            for socket in self._sockets_of(mask):
                if socket.host is not None:
                    actions += (SetDst(socket.host), Output(IN_PORT if turns else socket.port))
        return tuple(actions)

    def _sockets_of(self, mask: PortMask) -> list[Socket]:
        sockets: list[Socket] = []
        while mask:
            bit = mask & -mask
            mask ^= bit
            sockets.append(self._sockets[bit])
        return sorted(sockets, key=lambda socket: (socket.port, socket.host or ""))

    def _new_bit(self, socket: Socket) -> PortBit:
        if self._free:
            bit = self._free.pop()
        else:
            bit = 1 << self._width
            self._width += 1
        self._sockets[bit] = socket
        return bit

    def _retire(self, bit: PortBit) -> None:
        self._retired.append(bit)
        self._regroup()

    def _regroup(self) -> None:
        """Note which bits share a port; what masks meant may have changed."""
        self.version += 1
        self._memo.clear()
        self._mates = {bit: bit for bit in self.link_bits.values()}
        self._by_port = {}
        shared: list[PortMask] = []
        by_port = sorted(self.host_bits.values(), key=lambda bit: self._sockets[bit].port)
        for port, group in groupby(by_port, key=lambda bit: self._sockets[bit].port):
            bits = list(group)
            mates = self._by_port[port] = sum(bits)
            self._mates.update(dict.fromkeys(bits, mates))
            if len(bits) > 1:
                shared.append(mates)
        self._shared = tuple(shared)
