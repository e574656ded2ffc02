"""Output of `ovs-ofctl` as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_STATISTICS = {"cookie", "duration", "table", "n_packets", "n_bytes", "priority", "idle_age", "hard_age"}
_FIELD = re.compile(r"([a-z_0-9]+)(?:=([^, ]+))?")
_PORT = re.compile(
    r"port +\"?(?P<port>\w+)\"?: rx pkts=(?P<rx_packets>\d+), bytes=(?P<rx_bytes>\d+).*?"
    r"tx pkts=(?P<tx_packets>\d+), bytes=(?P<tx_bytes>\d+)",
    re.DOTALL,
)
DEFAULT_PRIORITY = 32768


@dataclass(frozen=True, slots=True)
class FlowReading:
    """An entry as the switch reports it; `match` has the text of each field, "" for a protocol."""

    table: int
    priority: int
    cookie: int
    packets: int
    bytes: int
    match: Mapping[str, str]
    actions: str


@dataclass(frozen=True, slots=True)
class PortReading:
    """Counters of a port in its switch: `rx` counts what a host or a link sent to it."""

    rx_packets: int
    rx_bytes: int
    tx_packets: int
    tx_bytes: int


def parse_flows(text: str) -> list[FlowReading]:
    """Return the entries in the output of `ovs-ofctl dump-flows`, in its order."""
    return [_flow(line.strip()) for line in text.splitlines() if " actions=" in line]


def parse_ports(text: str) -> dict[int, PortReading]:
    """Return the counters by port number from `ovs-ofctl dump-ports`, without the local port."""
    found = [match.groupdict() for match in _PORT.finditer(text)]
    return {
        int(row.pop("port")): PortReading(**{key: int(value) for key, value in row.items()})
        for row in found
        if row["port"].isdigit()
    }


def _flow(line: str) -> FlowReading:
    head, _, actions = line.partition(" actions=")
    fields = {name: value or "" for name, value in _FIELD.findall(head)}
    return FlowReading(
        table=int(fields.get("table", "0")),
        priority=int(fields.get("priority", DEFAULT_PRIORITY)),
        cookie=int(fields.get("cookie", "0"), 16),
        packets=int(fields["n_packets"]),
        bytes=int(fields["n_bytes"]),
        match={name: value for name, value in fields.items() if name not in _STATISTICS},
        actions=actions,
    )
