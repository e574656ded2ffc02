"""Events, alarms and notifications about links that discovery finds, loses or misses."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Set

from controller_app.discovery.adjacency import AdjacencyStep, LinkChange, PortPair
from controller_app.discovery.adjacency import PortId as End
from controller_app.monitoring.alarms import Alarms
from controller_app.monitoring.event_ring import EventRing

log = logging.getLogger(__name__)


class LinkReports:
    """Reports each change of links once.

    Args:
        on_use_changed: Called with a link and whether it is used (found and confirmed).
    """

    def __init__(
        self, events: EventRing, alarms: Alarms, on_use_changed: Callable[[PortPair, bool], None]
    ) -> None:
        self._events = events
        self._alarms = alarms
        self._on_use_changed = on_use_changed
        self._in_use: set[PortPair] = set()
        self._shared: frozenset[End] = frozenset()
        self._unheard: dict[PortPair, float] = {}
        self._unprobed: frozenset[PortPair] = frozenset()

    def report(self, steps: Iterable[AdjacencyStep], confirmed: Set[PortPair]) -> None:
        """Report changes of links.

        Args:
            confirmed: Links that the control plane has confirmed.
        """
        for step in steps:
            self._report(step, step.pair in confirmed)

    def update_use(self, used: Set[PortPair]) -> None:
        """Report the links that are used now and were not before, and the reverse.

        Args:
            used: All links that are used now.
        """
        for pair in sorted(self._in_use - used):
            self._change_use(pair, False)
        for pair in sorted(used - self._in_use):
            self._change_use(pair, True)

    def report_shared(self, ambiguous: frozenset[End]) -> None:
        """Raise an alarm for each port at which several ports answer; clear it when only one does."""
        for dpid, port in ambiguous - self._shared:
            detail = (
                "the port receives probes from several ports, so a hub or an unknown switch is in between; "
                "it is not used as a link"
            )
            self._alarms.sound("shared_segment", detail, dpid=f"{dpid:016x}", port=port)
        for dpid, port in self._shared - ambiguous:
            self._alarms.clear("shared_segment", dpid=f"{dpid:016x}", port=port)
        self._shared = ambiguous

    def report_unprobed(self, missing: Set[PortPair], now: float, patience: float) -> None:
        """Raise an alarm for each link that has been missing for `patience` seconds; clear it later.

        Args:
            missing: Confirmed links between ports that are up, over which no probe has arrived yet.
        """
        self._unheard = {pair: self._unheard.get(pair, now) for pair in missing}
        late = frozenset(pair for pair, since in self._unheard.items() if now - since >= patience)
        for pair in late - self._unprobed:
            detail = (
                "no probe has crossed this link since the controller began to watch it; it stays in use. "
                "Check that the cable connects the registered ports"
            )
            self._alarms.sound("link_unprobed", detail, **ends_json(pair))
        for pair in self._unprobed - late:
            self._alarms.clear("link_unprobed", **ends_json(pair))
        self._unprobed = late

    def _report(self, step: AdjacencyStep, confirmed: bool) -> None:
        ends = ends_json(step.pair)
        if step.change is LinkChange.FOUND:
            self._events.emit("link_found", **ends)
        elif step.change is LinkChange.LOST:
            self._events.emit("link_lost", **ends, reason=step.reason)
            self._alarms.clear("link_silent", **ends)
        elif step.change is LinkChange.SILENT:
            detail = (
                "no probe crosses this link, though both ports are up. It stays in use: lost probes do not "
                "prove that events are lost. Check that it forwards packets. If it does not, take it out of "
                "service or remove it"
            )
            self._alarms.sound("link_silent", detail, **ends)
        else:
            self._alarms.clear("link_silent", **ends)
        if step.change in (LinkChange.FOUND, LinkChange.LOST):
            log.info(f"link {step.change.value}", extra={"fields": {**ends, "reason": step.reason}})
            self._change_use(step.pair, step.change is LinkChange.FOUND and confirmed)

    def _change_use(self, pair: PortPair, used: bool) -> None:
        if used != (pair in self._in_use):
            (self._in_use.add if used else self._in_use.discard)(pair)
            self._on_use_changed(pair, used)


def ends_json(pair: PortPair) -> dict[str, object]:
    """Return the northbound's form of the ends of a link."""
    (a, a_port), (b, b_port) = pair
    return {"a": f"{a:016x}", "a_port": a_port, "b": f"{b:016x}", "b_port": b_port}
