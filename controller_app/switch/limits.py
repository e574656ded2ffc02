"""Limits on one switch, from the settings."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PORTS = 4096


@dataclass(frozen=True, slots=True)
class SwitchLimits:
    """Seconds for a complete answer in parts, and the number of ports."""

    seconds: float = 60.0
    ports: int = MOST_PORTS
