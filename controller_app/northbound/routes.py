"""The HTTP API for the control plane, described in docs/northbound.md."""

from __future__ import annotations

from collections.abc import Sequence

from controller_app.control_messages.replies import parse_answers
from controller_app.controller import Controller
from controller_app.discovery.confirmed_topology import parse_topology
from controller_app.endpoints import Endpoints
from controller_app.errors import RequestRejected, Unreachable
from controller_app.monitoring.metrics import METRICS_TYPE
from controller_app.northbound.wsgi import (
    Application,
    HttpProblem,
    HttpRequest,
    HttpRoute,
    TextAnswer,
    application,
    expect_query,
)
from controller_app.openflow.dpid import parse_dpid
from controller_app.openflow.flow_entry import RANGES
from controller_app.programming.change_reader import parse_change
from controller_app.ryu_api import sleep
from controller_app.source_check.request import parse_checks
from controller_app.switch import handshake
from controller_app.switch.connection import Connection
from controller_app.switch.flow_stats import read_table
from controller_app.switch.registry import switch_json
from tercast.errors import Refused, shown

MAX_WAIT = 60


class NorthboundApi:
    """Reads requests, calls the parts of the controller, and returns responses."""

    def __init__(self, controller: Controller, endpoints: Endpoints) -> None:
        self._controller = controller
        self._endpoints = endpoints
        self._ranges = tuple(RANGES[family] for family in controller.settings.families)
        self.stopping = False

    def application(self) -> Application:
        """Return the WSGI application."""
        return application(self._routes(), self._controller.settings.token)

    def _routes(self) -> Sequence[HttpRoute]:
        return (
            HttpRoute("GET", "/v1/health", self.health, open=True),
            HttpRoute("GET", "/metrics", self.metrics),
            HttpRoute("GET", "/v1/listening", self.listening),
            HttpRoute("GET", "/v1/switches", self.switches),
            HttpRoute("GET", "/v1/switches/<dpid>/entries", self.entries),
            HttpRoute("POST", "/v1/switches/<dpid>/repair", self.repair),
            HttpRoute("GET", "/v1/links", self.links),
            HttpRoute("GET", "/v1/topology", self.topology),
            HttpRoute("PUT", "/v1/topology", self.confirm_topology),
            HttpRoute("GET", "/v1/counters", self.counters),
            HttpRoute("GET", "/v1/alarms", self.alarms),
            HttpRoute("GET", "/v1/events", self.events),
            HttpRoute("POST", "/v1/changes", self.changes),
            HttpRoute("POST", "/v1/sources", self.sources),
            HttpRoute("GET", "/v1/signals", self.signals),
            HttpRoute("POST", "/v1/signals/answers", self.answers),
        )

    def health(self, request: HttpRequest) -> object:
        """Report that the controller runs; no token is required."""
        expect_query(request, ())
        return {"status": "ok"}

    def metrics(self, request: HttpRequest) -> object:
        """Return counters and gauges for Prometheus."""
        expect_query(request, ())
        return TextAnswer(self._controller.metrics.text(), METRICS_TYPE)

    def listening(self, request: HttpRequest) -> object:
        """Return the addresses for switches and for this API, and whether switches use TLS."""
        expect_query(request, ())
        return self._endpoints.to_json()

    def switches(self, request: HttpRequest) -> object:
        """Return the connected switches."""
        expect_query(request, ())
        check = self._controller.source_check
        return [switch_json(one, check.version(one)) for one in self._controller.registry]

    def links(self, request: HttpRequest) -> object:
        """Return the links that discovery has found."""
        expect_query(request, ())
        return self._controller.discovery.links_json()

    def topology(self, request: HttpRequest) -> object:
        """Return the id and the size of the topology that the control plane confirmed last."""
        expect_query(request, ())
        return self._controller.discovery.topology.to_json()

    def confirm_topology(self, request: HttpRequest) -> object:
        """Replace the links and the ports with hosts that the control plane has confirmed."""
        expect_query(request, ())
        topology = parse_topology(request.json())
        self._controller.discovery.confirm(topology)
        return topology.to_json()

    def counters(self, request: HttpRequest) -> object:
        """Return the latest counters."""
        expect_query(request, ())
        return self._controller.counters.to_json()

    def alarms(self, request: HttpRequest) -> object:
        """Return the active alarms."""
        expect_query(request, ())
        return [alarm.to_json() for alarm in self._controller.alarms.standing()]

    def events(self, request: HttpRequest) -> object:
        """Return the events after an id and wait for the first; without an id, only the newest id."""
        query = expect_query(request, ("after", "wait"))
        wait = _whole(query.get("wait", "0"), "wait", MAX_WAIT)
        last = self._controller.events.newest
        if "after" in query:
            last = _whole(query["after"], "after", (1 << 53) - 1)
        return self._controller.events.after(last, wait).to_json()

    def signals(self, request: HttpRequest) -> object:
        """Return the control messages after an id and wait for the first; forget those up to the id."""
        query = expect_query(request, ("after", "wait"))
        wait = _whole(query.get("wait", "0"), "wait", MAX_WAIT)
        signals = self._controller.signalling.signals
        if "after" not in query:
            return {"newest": signals.newest, **signals.counts_json()}
        return signals.after(_whole(query["after"], "after", (1 << 53) - 1), wait)

    def answers(self, request: HttpRequest) -> object:
        """Send replies to hosts out of their ports, and report those that could not be sent."""
        expect_query(request, ())
        answers = parse_answers(request.json())
        results = [self._controller.signalling.answer(answer.end, answer.to) for answer in answers]
        return {"answers": [{"sent": why is None, "detail": why} for why in results]}

    def entries(self, request: HttpRequest) -> object:
        """Return the own entries of a switch, read from it now."""
        expect_query(request, ())
        connection = self._connected(request)
        try:
            table = read_table(connection)
        except (Unreachable, RequestRejected) as error:
            raise _gone(connection.name, error) from None
        missing = handshake.lacking(table, connection, self._controller.settings.families)
        return {
            "dpid": connection.name,
            "epoch": connection.epoch,
            "entries": [entry.to_json() for entry in table.entries],
            "reserved": len(table.reserved),
            "missing": [name for name, _ in missing],
            "foreign": table.foreign,
            "strange": len(table.strange),
            "unreadable": [flow.to_json() for flow in table.strange],
        }

    def repair(self, request: HttpRequest) -> object:
        """Restore missing reserved entries, and remove own entries that have no northbound form."""
        expect_query(request, ())
        connection = self._connected(request)
        try:
            done = handshake.repair(connection, self._controller.settings.families)
        except (Unreachable, RequestRejected) as error:
            raise _gone(connection.name, error) from None
        return {"dpid": connection.name, "epoch": connection.epoch, **done}

    def sources(self, request: HttpRequest) -> object:
        """Apply source checks to switches, and report the result of each switch."""
        expect_query(request, ())
        asked = parse_checks(request.json(), self._controller.settings.families)
        check = self._controller.source_check
        return {"switches": [check.apply(one, asked.widen).to_json() for one in asked.checks]}

    def _connected(self, request: HttpRequest) -> Connection:
        dpid = parse_dpid(request.parts["dpid"], ("dpid",))
        try:
            return self._controller.registry.get(dpid)
        except Unreachable as error:
            raise _gone(f"{dpid:016x}", error) from None

    def changes(self, request: HttpRequest) -> object:
        """Apply a change of tables, and report the result of each switch."""
        expect_query(request, ())
        change = parse_change(request.json(), self._ranges, lambda: sleep(0))
        if self.stopping or self._controller.programmer.busy:
            reason = "is stopping" if self.stopping else "has too many waiting changes"
            raise HttpProblem(
                503, "busy", f"the controller {reason}; send the change again", [("Retry-After", "1")]
            )
        results = self._controller.programmer.apply(change)
        return {"id": change.id, "switches": [result.to_json() for result in results]}


def _gone(name: str, error: Exception) -> HttpProblem:
    return HttpProblem(503, "switch_unreachable", f"switch {name}: {error}")


def _whole(text: str, name: str, high: int) -> int:
    """Parse a query parameter that is a whole number from 0 to `high`, in decimal digits.

    Raises:
        Refused: The text is not such a number.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > 16 or int(text) > high:
        detail = f"{shown(text)} is not a whole number from 0 to {high}"
        raise Refused((name,), "out_of_range", detail, text)
    return int(text)
