"""What one switch may take, as the settings say it."""

from __future__ import annotations

from dataclasses import dataclass

MOST_PORTS = 4096


@dataclass(frozen=True, slots=True)
class SwitchLimits:
    """Seconds for a whole answer in parts, and the number of ports."""

    seconds: float = 60.0
    ports: int = MOST_PORTS
