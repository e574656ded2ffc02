"""Observation of real switches: traces in a local Open vSwitch, or entries that they report."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.conf import settings

from controlplane.deployment.entry_codec import HostBook
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.models import Switch
from tercast.explain.explanation import Explanation
from tercast.explain.observation import NotSeen
from tercast.explain.observers import ReadBack, Traced
from tercast.explain.ovs_socket import OpenVSwitch
from tercast.planner.planner import Planner
from tercast.tables.entries import Entry


def traced_eyes(found: Explanation, planner: Planner) -> Traced | None:
    """Return the observer of the Open vSwitch in the settings; None if they name none."""
    if settings.OVS_RUN_DIR is None:
        return None
    return Traced(found, planner.topology, OpenVSwitch(settings.OVS_RUN_DIR))


@contextmanager
def read_back_eyes(found: Explanation) -> Iterator[ReadBack]:
    """Provide an observer that reads switches over the controller, until one call fails."""
    with ControllerClient() as northbound:
        yield ReadBack(found, _Reading(northbound).read)


class _Reading:
    """Reader of the entries of switches by name."""

    def __init__(self, northbound: ControllerClient) -> None:
        self._northbound = northbound
        self._book: HostBook | None = None
        self._failure = ""

    def read(self, switch: str) -> Iterable[Entry]:
        """Return the content entries of a switch as it reports them now; raise `NotSeen`."""
        if self._failure:
            raise NotSeen(self._failure)
        dpid = Switch.objects.filter(name=switch).values_list("dpid", flat=True).first()
        if dpid is None:
            raise NotSeen(f"switch {switch} is not registered")
        try:
            rows = self._northbound.entries(dpid)
        except NorthboundError as error:
            self._failure = f"the controller returned no entries: {error}"
            raise NotSeen(self._failure) from None
        if rows is None:
            raise NotSeen(f"switch {switch} is not connected, or does not answer the controller")
        if self._book is None:
            self._book = HostBook.read()
        return [self._book.entry(row) for row in rows]
