"""Open descriptors of the platform's processes, to find leaks after faults."""

from __future__ import annotations

import psutil

from mininet_labs.demo.services import Service

STANDARD = 3
"""Standard input, output and error: all descriptors of a worker before its first task."""


def open_descriptors(services: list[Service]) -> dict[str, int]:
    """Return the numbers of descriptors of services and their child processes."""
    return {service.name: _of(service) for service in services if service.process is not None}


def leaked(before: dict[str, int], after: dict[str, int]) -> int:
    """Count the additional descriptors of all services that had started to work before."""
    return sum(max(0, after[name] - count) for name, count in before.items() if count > STANDARD)


def _of(service: Service) -> int:
    assert service.process is not None
    try:
        parent = psutil.Process(service.process.pid)
        return sum(process.num_fds() for process in (parent, *parent.children(recursive=True)))
    except psutil.NoSuchProcess:
        return 0
