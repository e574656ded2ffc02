"""Client of the controller's northbound API, with a time limit for each call."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Self
from uuid import uuid4

import httpx
from django.conf import settings

from controlplane.requestlog import correlation

CONNECT_SECONDS = 2.0
READ_SECONDS = 10.0
CHANGE_SECONDS = 30.0
ENTRIES_A_SECOND = 500
"""Installation rate of a slow controller; the time limit of a change grows by its share of it."""

_REMEDY = "start the controller with the platform's secrets/northbound-token as its --token-file"
CONFIRMED, UNREACHABLE, FAILED = "confirmed", "unreachable", "failed"


class NorthboundError(Exception):
    """The controller did not execute a call; whether a change was applied is unknown."""


class UnreachableError(NorthboundError):
    """There is no connection, or no answer in time."""


class TokenRefusedError(NorthboundError):
    """The controller does not accept the token of this control plane."""


class BadAnswerError(NorthboundError):
    """The answer of the controller does not follow its API."""


class SwitchGoneError(NorthboundError):
    """The switch is not connected, disconnected during the call, or does not answer."""


@dataclass(frozen=True, slots=True)
class ControllerReading:
    """Report of a switch: its content entries, the connection, and other entries.

    `missing` names reserved entries that do not exist. `unreadable` are own entries that no key describes.
    """

    entries: tuple[dict[str, Any], ...]
    epoch: int | None
    foreign: int = 0
    reserved: int = 0
    missing: tuple[str, ...] = ()
    unreadable: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class EntryError:
    """Reason why a switch refused an entry."""

    dst: str
    in_port: int | None
    text: str


@dataclass(frozen=True, slots=True)
class SwitchAnswer:
    """Result of a change on one switch: `confirmed`, `unreachable` or `failed`.

    `removed` is False if the removals were not done because another switch did not confirm its additions.
    `epoch` identifies the connection over which the switch confirmed.
    """

    dpid: str
    state: str
    removed: bool = True
    epoch: int | None = None
    detail: str = ""
    errors: tuple[EntryError, ...] = ()


@dataclass(frozen=True, slots=True)
class Listening:
    """The address for switches; with the scheme `ssl` each switch needs its own certificate."""

    scheme: str
    address: str
    port: int

    def __str__(self) -> str:
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.scheme}:{address}:{self.port}"


class ControllerClient:
    """A connection to the controller, used as a context manager."""

    def __init__(self, seconds: float = READ_SECONDS) -> None:
        self._seconds = seconds
        self._client = httpx.Client(
            base_url=settings.NORTHBOUND_URL,
            headers={"Authorization": f"Bearer {settings.NORTHBOUND_TOKEN}"},
            timeout=httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS)),
            trust_env=False,
            verify=False,  # noqa: S501 - plain HTTP; a TLS context costs more than a request
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def switches(self) -> list[dict[str, Any]]:
        """Return the connected switches with their ports."""
        return _rows(self._get("/v1/switches"))

    def listening(self) -> Listening:
        """Return the address where the controller listens for switches."""
        row = _mapping(_field(_mapping(self._get("/v1/listening")), "openflow"))
        try:
            return Listening(str(row["scheme"]), str(ip_address(row["address"])), int(row["port"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadAnswerError(f"GET /v1/listening: {error!r} in {row}") from None

    def links(self) -> list[dict[str, Any]]:
        """Return the links that probes have crossed."""
        return _rows(self._get("/v1/links"))

    def topology(self) -> str | None:
        """Return the id of the confirmed topology, "" without one; None from an older controller."""
        answer = self._call("GET", "/v1/topology", missing=True)
        return None if answer is None else str(_field(answer, "id") or "")

    def confirm_topology(self, body: dict[str, Any]) -> None:
        """Replace the topology that the controller may use: `id`, `links` and `edges`."""
        self._call("PUT", "/v1/topology", body)

    def entries(self, dpid: str) -> list[dict[str, Any]] | None:
        """Return the content entries that the switch reports, or None if it cannot be read."""
        answer = self._call("GET", f"/v1/switches/{dpid}/entries", missing=True, seconds=CHANGE_SECONDS)
        return None if answer is None else _rows(_field(answer, "entries"))

    def read_back(self, dpid: str) -> ControllerReading:
        """Return the complete report of a switch.

        Raises:
            SwitchGoneError: The switch cannot be read; the text has the reason.
        """
        body = self._of_switch("GET", f"/v1/switches/{dpid}/entries")
        return ControllerReading(
            tuple(_rows(_field(body, "entries"))),
            body.get("epoch"),
            int(body.get("foreign", 0)),
            int(body.get("reserved", 0)),
            tuple(map(str, body.get("missing", ()))),
            tuple(_rows(body.get("unreadable", []))),
        )

    def repair(self, dpid: str) -> list[str]:
        """Repair entries that are not content, and return the refused ones."""
        return list(map(str, _field(self._of_switch("POST", f"/v1/switches/{dpid}/repair"), "refused")))

    def _of_switch(self, method: str, path: str) -> dict[str, Any]:
        response = self._request(method, path, None, CHANGE_SECONDS)
        if response.status_code in (404, 503):
            raise SwitchGoneError(_detail(response))
        return _mapping(_content(response, f"{method} {path}", False))

    def alarms(self) -> list[dict[str, Any]]:
        """Return the active alarms of the controller."""
        return _rows(self._get("/v1/alarms"))

    def counters(self) -> dict[str, Any]:
        """Return packets and bytes of ports and numbers of entries, from the controller's last poll."""
        return _mapping(self._get("/v1/counters"))

    def events(self, after: int) -> dict[str, Any]:
        """Return the events after event `after`, as `{"events": [...], "newest": n}`."""
        return _mapping(self._get(f"/v1/events?after={after}&wait=0"))

    def signals(self, after: int, wait: float) -> dict[str, Any]:
        """Return control messages of hosts after message `after`, and wait for the first one.

        Earlier messages count as processed.
        """
        answer = self._call("GET", f"/v1/signals?after={after}&wait={wait:.0f}", seconds=wait + self._seconds)
        return {**_mapping(answer), "signals": _rows(_field(answer, "signals"))}

    def answer_signals(self, answers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send answers to hosts; return for each whether it was `sent`."""
        return _rows(_field(self._call("POST", "/v1/signals/answers", {"answers": list(answers)}), "answers"))

    def sources(self, switches: Sequence[dict[str, Any]], widen: bool) -> list[dict[str, Any]]:
        """Set the source checks of switches; with `widen`, only add allowed sources.

        Returns:
            A row of each switch, in their order: `dpid`, `state`, `epoch`, `detail`.
        """
        body = {"switches": list(switches), "widen": widen}
        answer = self._call("POST", "/v1/sources", body, seconds=CHANGE_SECONDS)
        found = {row.get("dpid"): row for row in _rows(_field(answer, "switches"))}
        missing = [row["dpid"] for row in switches if row["dpid"] not in found]
        if missing:
            raise BadAnswerError(f"POST /v1/sources: no answer for {', '.join(missing)}")
        return [found[row["dpid"]] for row in switches]

    def change(self, switches: Sequence[dict[str, Any]]) -> list[SwitchAnswer]:
        """Apply changes, additions in the given order, removals in reverse; return all answers."""
        steps = [step for switch in switches for step in switch.get("steps", (switch,))]
        size = sum(len(step[part]) for step in steps for part in ("add", "modify", "remove"))
        body = {"id": correlation.current() or uuid4().hex, "switches": list(switches)}
        answer = self._call("POST", "/v1/changes", body, seconds=CHANGE_SECONDS + size / ENTRIES_A_SECOND)
        return _read_switch_answers(answer, [switch["dpid"] for switch in switches])

    def _get(self, path: str) -> Any:
        return self._call("GET", path)

    def _call(
        self, method: str, path: str, body: Any = None, missing: bool = False, seconds: float | None = None
    ) -> Any:
        seconds = self._seconds if seconds is None else seconds
        return _content(self._request(method, path, body, seconds), f"{method} {path}", missing)

    def _request(self, method: str, path: str, body: Any, seconds: float) -> httpx.Response:
        timeout = httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        try:
            return self._client.request(method, path, json=body, timeout=timeout)
        except httpx.TimeoutException as error:
            raise UnreachableError(f"{method} {path}: no answer within {seconds:.0f} s") from error
        except httpx.HTTPError as error:
            raise UnreachableError(f"{method} {path}: {error}") from error


def _content(response: httpx.Response, what: str, missing: bool) -> Any:
    if response.status_code in (401, 403):
        raise TokenRefusedError(f"{what}: the controller refused the token; {_REMEDY}")
    if missing and response.status_code in (404, 503):
        return None
    if response.status_code != 200:
        raise BadAnswerError(f"{what}: status {response.status_code}: {response.text[:200]}")
    try:
        return response.json()
    except ValueError as error:
        raise BadAnswerError(f"{what}: the answer is not JSON: {response.text[:100]}") from error


def _detail(response: httpx.Response) -> str:
    """Return the detail of a problem document, or the status if there is none."""
    try:
        body = response.json()
    except ValueError:
        body = None
    said = body.get("detail") if isinstance(body, dict) else None
    return str(said or f"the switch cannot be read (status {response.status_code})")


def _read_switch_answers(body: Any, asked: Sequence[str]) -> list[SwitchAnswer]:
    """Return one answer for each switch, in order; a missing answer is an error."""
    found = {answer.dpid: answer for answer in map(_read_switch_answer, _rows(_field(body, "switches")))}
    missing = [dpid for dpid in asked if dpid not in found]
    if missing:
        raise BadAnswerError(f"POST /v1/changes: no answer for {', '.join(missing)}")
    return [found[dpid] for dpid in asked]


def _read_switch_answer(row: dict[str, Any]) -> SwitchAnswer:
    state = _field(row, "state")
    if state not in (CONFIRMED, UNREACHABLE, FAILED):
        raise BadAnswerError(f"POST /v1/changes: unknown state {state!r}")
    errors = tuple(map(_entry_error, _rows(row.get("errors", []))))
    removed, detail = row.get("removed", True) is True, str(row.get("detail") or "")
    return SwitchAnswer(_field(row, "dpid"), state, removed, row.get("epoch"), detail, errors)


def _entry_error(row: dict[str, Any]) -> EntryError:
    text = " ".join(str(row[key]) for key in ("type", "code", "detail") if row.get(key) not in (None, ""))
    return EntryError(str(row.get("dst", "")), row.get("in_port"), text)


def _rows(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise BadAnswerError(f"expected a list of objects, not {str(value)[:100]}")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadAnswerError(f"expected an object, not {str(value)[:100]}")
    return value


def _field(value: Any, name: str) -> Any:
    try:
        return _mapping(value)[name]
    except KeyError:
        raise BadAnswerError(f"no field {name!r} in {str(value)[:100]}") from None
