"""Ports of the switches: those that the file names first, then the lowest free ones."""

from collections import defaultdict
from dataclasses import dataclass, field

from tercast.errors import shown

_LARGEST_PORT = 0xFFFFFF00 - 1


@dataclass(slots=True)
class Ports:
    """Hands out each port once; call `reserve` for all that the file names before the first `take`."""

    notes: list[str]
    _kept: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _given: set[tuple[str, int]] = field(default_factory=set)
    _lowest: dict[str, int] = field(default_factory=dict)

    def reserve(self, switch: str, wanted: object) -> None:
        """Keep a port that the file names from being given to others."""
        if _is_port(wanted):
            self._kept[switch].add(wanted)  # type: ignore[arg-type]

    def take(self, switch: str, wanted: object = None) -> int:
        """The wanted port, or else the lowest free one, with a note when one was wanted."""
        if _is_port(wanted) and (switch, wanted) not in self._given:
            assert isinstance(wanted, int)
            self._given.add((switch, wanted))
            return wanted
        if wanted is not None:
            self.notes.append(f"port {shown(wanted)} of {switch} cannot be had; the next free one is taken")
        port = self._lowest.get(switch, 1)
        while port in self._kept[switch]:
            port += 1
        self._lowest[switch] = port + 1
        self._given.add((switch, port))
        return port


def _is_port(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST_PORT
