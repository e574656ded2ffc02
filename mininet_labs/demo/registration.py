"""Registration of a topology file in the control plane, and the progress of its tables."""

from typing import Any

from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.rest import RestClient
from mininet_labs.demo.status import ReportProgress, ignore
from tercast.runtime.wording import quantity
from tercast.topology.rest_rows import api_row


def register(rest: RestClient, topology: dict[str, Any], report: ReportProgress = ignore) -> None:
    """Register switches, links and hosts with all their fields; existing ones do not change."""
    for part, key in (("switches", ("name",)), ("links", ("a", "a_port")), ("hosts", ("name",))):
        rows = [api_row(part, row) for row in topology.get(part, ())]
        report(f"{len(rows):,} {part}")
        rest.add_missing(f"/api/v1/{part}/", rows, key)


def settling_patience(topology: dict[str, Any]) -> float:
    """Return the seconds without progress after which the tables count as stuck.

    The worker plans them in one step.
    """
    return max(120.0, 2.0 * len(topology["switches"]))


def are_tables_settled(rest: RestClient, platform: Platform) -> bool:
    """Whether no request is running, and each switch has its table over its present connection."""
    return Settling(rest, platform).ready()


class Settling:
    """Progress of a network towards the tables that the requests need."""

    def __init__(self, rest: RestClient, platform: Platform) -> None:
        self._rest, self._platform = rest, platform
        self._open = self._behind = self._switches = 0

    def ready(self) -> bool:
        """Update; return whether no request is open and every switch has its table.

        A table counts only over the present connection of its switch.
        """
        epochs = self._platform.epochs()
        switches = self._rest.all("/api/v1/switches/")
        self._switches = len(switches)
        self._behind = sum(not row["in_step"] or row["epoch"] != epochs.get(row["dpid"]) for row in switches)
        self._open = self._rest.get("/api/v1/requests/", state__in=_OPEN, limit=1, count="true")["count"]
        return not self._behind and not self._open

    def progress(self) -> str:
        """Return the latest state in words."""
        done = self._switches - self._behind
        return f"{done:,} of {self._switches:,} switches, {quantity(self._open, 'open request')}"


_OPEN = "queued,planning,deploying"
