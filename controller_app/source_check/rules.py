"""The source check: a host port passes only events from the addresses of its hosts.

The check consists of two kinds of reserved entries in table 0, with priorities above all content entries. The
first kind exists for each host at each of its ports. It marks the events of the host and looks them up again,
so that they match content entries as without the check. The second kind exists for each host port and family.
It drops and counts all other events. Neither kind matches packets that are not events, or that enter from
links. Content entries are the same with and without the check.

The order of changes avoids losses: hosts are permitted before anything is dropped, and drops are removed
before hosts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from controller_app.control_messages.queue import PortId
from controller_app.errors import RequestRejected, SwitchError, Unreachable
from controller_app.monitoring.alarms import Alarms
from controller_app.openflow import flow_mods, oxm
from controller_app.openflow.flow_entry import RANGES, TABLE
from controller_app.openflow.flow_mods import WHOLE_COOKIE, EntryKind
from controller_app.openflow.messages import OpenFlowMessage
from controller_app.programming.staged_execution import CONFIRMED, FAILED, UNREACHABLE
from controller_app.ryu_api import Semaphore, spawn
from controller_app.source_check.request import SourceAddress, SwitchCheck
from controller_app.switch.connection import Connection
from controller_app.switch.extra_entries import EntrySource
from controller_app.switch.flow_stats import EntryId, FlowStats, oxm_fields, read_count, read_source_flows
from controller_app.switch.registry import SwitchRegistry

OFF = "off"
"""Version of a switch that has no source check."""

_CANNOT = (
    "the source check is not active at {}: {}. Events with any source address are accepted there. The "
    "switch needs the registers and the resubmit action of Open vSwitch, and free table entries"
)
_IN_PORT = 0x8000 << 7


@dataclass(frozen=True, slots=True)
class SourceRule:
    """An entry of the check: its readable name, its port, its message and its identity."""

    name: str
    port: int
    message: OpenFlowMessage
    place: EntryId

    @property
    def instructions(self) -> bytes:
        """The instructions of the entry, as a switch reports them."""
        return flow_mods.instructions_of(self.message)


@dataclass(slots=True)
class _SwitchCheckState:
    """State of a switch: the requested check, its version in force, and the installed entries."""

    version: str | None
    check: SwitchCheck | None = None
    rules: dict[EntryId, SourceRule] = field(default_factory=dict)
    problem: str = ""
    following: bool = False
    """Whether a greenlet waits for its turn to adapt the check to the current ports."""
    turn: Semaphore = field(default_factory=lambda: Semaphore(1))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of a source check at a switch."""

    dpid: int
    state: str
    epoch: int | None = None
    detail: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        return {"dpid": f"{self.dpid:016x}", "state": self.state, "epoch": self.epoch, "detail": self.detail}


class SourceCheck:
    """Applies the source checks of the control plane to switches, and maintains them."""

    def __init__(self, registry: SwitchRegistry, alarms: Alarms, families: Sequence[str]) -> None:
        self._registry = registry
        self._alarms = alarms
        self._families = tuple(families)
        self._states: WeakKeyDictionary[Connection, _SwitchCheckState] = WeakKeyDictionary()

    def prepare(self, connection: Connection) -> None:
        """Count the entries of an earlier connection's check; they stay in force.

        Raises Unreachable, or RequestRejected if the switch refused the question.
        """
        held = read_count(connection, EntryKind.SOURCE.cookie, WHOLE_COOKIE)
        self._states[connection] = _SwitchCheckState(None if held else OFF)
        connection.extras.add(
            EntrySource(
                lambda: self._installed(connection),
                lambda: len(self._states[connection].rules),
                lambda _: self._restore(connection),
            )
        )

    def version(self, connection: Connection) -> str | None:
        """Return the version of the check in force; None if it is only partly in force, or unknown."""
        state = self._states.get(connection)
        return None if state is None else state.version

    def read_dropped(self, connection: Connection) -> dict[int, int]:
        """Return the dropped event packets by port; raises Unreachable or RequestRejected."""
        state = self._states.get(connection)
        return {} if state is None or state.version == OFF else _read_dropped(connection)

    def apply(self, check: SwitchCheck, widen: bool) -> CheckResult:
        """Apply a check to a switch; with `widen`, only the part that permits more than before."""
        connection = self._registry.find(check.dpid)
        if connection is None:
            return CheckResult(check.dpid, UNREACHABLE, None, "the switch is not connected")
        try:
            problem = self._apply(connection, check, widen)
        except (Unreachable, RequestRejected) as error:
            return CheckResult(check.dpid, UNREACHABLE, connection.epoch, str(error))
        return CheckResult(check.dpid, FAILED if problem else CONFIRMED, connection.epoch, problem or None)

    def port_changed(self, end: PortId) -> None:
        """Adapt the check to a port that was added or removed."""
        connection = self._registry.find(end[0])
        state = None if connection is None else self._states.get(connection)
        if connection is not None and state is not None and state.check is not None and not state.following:
            state.following = True
            spawn(self._follow_ports, connection)

    def _follow_ports(self, connection: Connection) -> None:
        try:
            self._restore(connection)
        except (Unreachable, RequestRejected):
            self._states[connection].version = None  # the control plane sends the check again

    def _restore(self, connection: Connection) -> None:
        """Install the missing entries of the check in force.

        This waits for a running change, which may not know ports that were added meanwhile.

        Raises Unreachable, or RequestRejected if the switch refused a question.
        """
        state = self._states[connection]
        with state.turn:
            state.following = False
            if state.check is not None and state.version is not None:
                self._change(connection, state.check, widen=False)

    def _installed(self, connection: Connection) -> list[tuple[str, OpenFlowMessage, EntryId]]:
        rules = self._states[connection].rules.values()
        return [(rule.name, rule.message, rule.place) for rule in rules]

    def _apply(self, connection: Connection, check: SwitchCheck, widen: bool) -> str:
        """Change the check when it is the switch's turn; return the problem, or empty text."""
        with self._states[connection].turn:
            return self._change(connection, check, widen)

    def _change(self, connection: Connection, check: SwitchCheck, widen: bool) -> str:
        """Do the work of `_apply` during the switch's turn."""
        state = self._states[connection]
        state.version, state.check = None, check
        change = _CheckChange(connection, state, read_source_flows(connection))
        problem = change.carry_out(*self._rules(connection, check), widen)
        if not widen:
            state.version = check.version
            self._note_problem(connection, state, problem)
        return problem

    def _note_problem(self, connection: Connection, state: _SwitchCheckState, problem: str) -> None:
        """Record the problem of a check in the switch's problems and as an alarm."""
        if problem == state.problem:
            return
        if state.problem:
            connection.problems.remove(state.problem)
            self._alarms.clear("switch_problem", dpid=connection.name, problem=state.problem)
        state.problem = problem
        if problem:
            connection.problems.append(problem)
            self._alarms.sound("switch_problem", problem, dpid=connection.name, problem=problem)

    def _rules(self, connection: Connection, check: SwitchCheck) -> tuple[list[SourceRule], list[SourceRule]]:
        """Return the entries that pass and those that drop, at the ports that the switch has now."""
        if not check.on:
            return [], []
        ports = sorted(connection.ports.keys() - check.links)
        passes = [_passing(one) for one in check.sources if one.port not in check.links]
        return passes, [_dropping(family, port) for port in ports for family in self._families]


class _CheckChange:
    """A change of a switch's check, based on its present entries."""

    def __init__(self, connection: Connection, state: _SwitchCheckState, held: Iterable[FlowStats]) -> None:
        self._connection = connection
        self._rules = state.rules
        self._held = list(held)
        self._refused: dict[int, str] = {}

    def carry_out(self, passes: Sequence[SourceRule], drops: Sequence[SourceRule], widen: bool) -> str:
        """Do the steps of the change in this order: permit, stop drops, start drops, stop permits.

        Each step is confirmed before the next. A port at which a host cannot be permitted drops nothing.
        """
        self._add(passes)
        drops = [rule for rule in drops if rule.port not in self._refused]
        self._remove(drops, dropping=True)
        if not widen:
            self._add(drops)
            self._remove(passes, dropping=False)
        if not self._refused:
            return ""
        ports = sorted(self._refused)
        named = f"port{'s' if len(ports) > 1 else ''} {', '.join(map(str, ports))}"
        return _CANNOT.format(named, self._refused[ports[0]])

    def _add(self, rules: Sequence[SourceRule]) -> None:
        there = {(flow.identity, flow.instructions) for flow in self._held if flow.table == TABLE}
        new: list[SourceRule] = []
        for rule in rules:
            if (rule.place, rule.instructions) in there:
                self._rules[rule.place] = rule
            elif rule.place in self._connection.foreign:
                self._refused[rule.port] = (
                    f"an entry of another program has the match and priority of {rule.name}"
                )
            else:
                new.append(rule)
        failures = self._connection.confirm([rule.message for rule in new]) if new else {}
        for n, rule in enumerate(new):
            if n in failures:
                self._refused[rule.port] = _refusal(rule, failures[n])
            else:
                self._rules[rule.place] = rule

    def _remove(self, wanted: Sequence[SourceRule], dropping: bool) -> None:
        """Remove the entries of one kind that are not in `wanted`."""
        kept = {rule.place for rule in wanted}
        stale = [
            flow
            for flow in self._held
            if (not flow.instructions) == dropping and (flow.identity not in kept or flow.table != TABLE)
        ]
        for flow in stale:
            if flow.identity not in kept:
                self._rules.pop(flow.identity, None)
        for place, rule in list(self._rules.items()):
            if place not in kept and (not rule.instructions) == dropping:
                del self._rules[place]
        if stale:
            removals = [_removal(flow) for flow in stale]
            failures = self._connection.confirm(removals)
            for n, failure in failures.items():
                detail = f"the switch refused to remove an entry: {failure.type}/{failure.code}"
                self._refused[_port_of(stale[n])] = detail


def _refusal(rule: SourceRule, failure: SwitchError) -> str:
    return f"the switch refused {rule.name}: {failure.type}/{failure.code}"


def _removal(flow: FlowStats) -> OpenFlowMessage:
    return flow_mods.remove_match(flow.table, flow.priority, flow.match, EntryKind.SOURCE)


def _passing(source: SourceAddress) -> SourceRule:
    range_ = RANGES["ipv4" if len(source.ip) == 4 else "ipv6"]
    message = flow_mods.add_source(range_, *source)
    place = (flow_mods.SOURCE_PRIORITY, frozenset(oxm_fields(oxm.source_match(range_, *source))))
    return SourceRule(f"the source entry of {source}", source.port, message, place)


def _dropping(family: str, port: int) -> SourceRule:
    range_ = RANGES[family]
    place = (flow_mods.SPOOF_PRIORITY, frozenset(oxm_fields(oxm.spoof_match(range_, port))))
    name = f"the drop entry for {family} events of unknown sources at port {port}"
    return SourceRule(name, port, flow_mods.add_spoof_drop(range_, port), place)


def _read_dropped(connection: Connection) -> dict[int, int]:
    dropped: dict[int, int] = {}
    for flow in read_source_flows(connection):
        if not flow.instructions:
            port = _port_of(flow)
            dropped[port] = dropped.get(port, 0) + flow.packets
    return dropped


def _port_of(flow: FlowStats) -> int:
    """Return the port in an entry's match; 0 if there is none."""
    fields = {number: value for number, value, _ in oxm_fields(flow.match)}
    return int.from_bytes(fields.get(_IN_PORT, b""), "big")
