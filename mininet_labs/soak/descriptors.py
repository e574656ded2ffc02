"""Open descriptors of the platform's processes, to see whether faults leak some."""

from __future__ import annotations

import psutil

from mininet_labs.demo.services import Service

STANDARD = 3
"""Standard input, output and error: all that a worker has before its first task."""


def open_descriptors(services: list[Service]) -> dict[str, int]:
    """By service: the descriptors of its process and of all processes below it."""
    return {service.name: _of(service) for service in services if service.process is not None}


def leaked(before: dict[str, int], after: dict[str, int]) -> int:
    """How many more there are than before, over all services that had begun to work by then."""
    return sum(max(0, after[name] - count) for name, count in before.items() if count > STANDARD)


def _of(service: Service) -> int:
    assert service.process is not None
    try:
        parent = psutil.Process(service.process.pid)
        return sum(process.num_fds() for process in (parent, *parent.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0
