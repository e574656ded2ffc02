"""Ports of the switches: the ports that the file names, then the lowest free ones."""

from collections import defaultdict
from dataclasses import dataclass, field

from tercast.errors import shown

_LARGEST_PORT = 0xFFFFFF00 - 1


@dataclass(slots=True)
class Ports:
    """Ports of switches, each assigned once.

    Call `reserve` for all ports that the file names before the first `take`.
    """

    notes: list[str]
    _kept: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    _given: set[tuple[str, int]] = field(default_factory=set)
    _lowest: dict[str, int] = field(default_factory=dict)

    def reserve(self, switch: str, wanted: object) -> None:
        """Keep a port that the file names, so that `take` assigns it only to its link."""
        if _is_port(wanted):
            self._kept[switch].add(wanted)  # type: ignore[arg-type]

    def take(self, switch: str, wanted: object = None) -> int:
        """Return the wanted port, or the lowest free one; note a wanted port that is not available."""
        if _is_port(wanted) and (switch, wanted) not in self._given:
            assert isinstance(wanted, int)
            self._given.add((switch, wanted))
            return wanted
        if wanted is not None:
            self.notes.append(f"port {shown(wanted)} of {switch} is not available; the next free one is used")
        port = self._lowest.get(switch, 1)
        while port in self._kept[switch]:
            port += 1
        self._lowest[switch] = port + 1
        self._given.add((switch, port))
        return port


def _is_port(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _LARGEST_PORT
