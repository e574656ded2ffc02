"""A controller in this process: an HTTP server that stores tables, and refuses or hangs on request."""

import json
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, urlsplit

NO_ROOM = ("flow_mod_failed", "table_full")

EntryKey = tuple[str, int | None, int]


@dataclass
class FakeSwitch:
    """A switch in the view of the controller; `refuses` has destinations whose additions fail.

    `limit` is its number of entries, and `peak` the highest number that it has had.
    """

    epoch: int
    ports: dict[int, bool] = field(default_factory=dict)
    table: dict[EntryKey, list[Any]] = field(default_factory=dict)
    refuses: set[str] = field(default_factory=set)
    connected: bool = True
    mods: int = 0
    limit: int | None = None
    peak: int = 0
    bundles: bool = True
    foreign: int = 0
    lost: list[str] = field(default_factory=list)
    """Names of reserved entries that are missing."""
    unreadable: list[dict[str, Any]] = field(default_factory=list)
    refusal: tuple[str, str] = ("bad_action", "bad_out_port")
    """Error for the destinations in `refuses`."""
    features: dict[str, Any] = field(default_factory=dict)
    sources: str | None = "off"
    """Version of its source check."""
    stubborn: bool = False
    """Whether reserved entries cannot be restored."""


@dataclass(frozen=True)
class BadRequest:
    """A request that the controller does not accept."""

    detail: str


def _of_one_host(field: str, value: Any) -> bool:
    if field == "udp_port":
        return 0 < value < 65536
    if field == "mac":
        return not int(value[:2], 16) & 1 and value != "00:00:00:00:00:00"
    ip = ip_address(value)
    return not (ip.is_multicast or ip.is_unspecified or (ip.version == 4 and ip.packed[0] >= 224))


class FakeNorthbound:
    """A control plane needs `url` and `token`; all else is for tests."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.switches: dict[str, FakeSwitch] = {}
        self.links: list[dict[str, Any]] = []
        self.topology: dict[str, Any] = {"id": None, "links": [], "edges": []}
        self.confirmations = 0
        self.alarms: list[dict[str, Any]] = []
        self.listening: Any = {"openflow": {"scheme": "tcp", "address": "127.0.0.1", "port": 6653}}
        self.events: list[dict[str, Any]] = []
        self.counters: dict[str, Any] = {"ports": [], "tables": []}
        self.changes: list[dict[str, Any]] = []
        self.checks: list[dict[str, Any]] = []
        self.signals: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.before_change: Callable[[], None] = lambda: None
        self.after_change: Callable[[], None] = lambda: None
        self.before_read: Callable[[str], None] = lambda dpid: None
        self.bundles = True
        self.answer: tuple[int, bytes] | None = None
        self.lock = threading.RLock()
        self._epochs = 1000
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def connect(self, dpid: str, ports: int = 8, *, keep: bool = True) -> FakeSwitch:
        """Connect a switch (again); without `keep` its table is empty."""
        self._epochs += 1
        old = self.switches.get(dpid)
        table = old.table if old and keep else {}
        up = old.ports if old else dict.fromkeys(range(1, ports + 1), True)
        self.switches[dpid] = FakeSwitch(self._epochs, up, table, old.refuses if old else set())
        if old:
            self.switches[dpid].limit, self.switches[dpid].features = old.limit, old.features
        return self.switches[dpid]

    def disconnect(self, dpid: str) -> None:
        self.switches[dpid].connected = False

    @property
    def mods(self) -> int:
        """Count the flow-mods that all switches have received."""
        return sum(switch.mods for switch in self.switches.values())

    def tables(self) -> dict[str, dict[EntryKey, list[Any]]]:
        return {dpid: dict(switch.table) for dpid, switch in sorted(self.switches.items())}

    def _find(self, dpid: str) -> FakeSwitch | None:
        switch = self.switches.get(dpid)
        return switch if switch and switch.connected else None

    def get(self, path: str, query: dict[str, list[str]]) -> Any:
        match path.strip("/").split("/"):
            case ["v1", "switches"]:
                return [self._switch(dpid) for dpid in sorted(self.switches) if self._find(dpid)]
            case ["v1", "listening"]:
                return self.listening
            case ["v1", "alarms"]:
                return self.alarms
            case ["v1", "links"]:
                return self.links
            case ["v1", "topology"]:
                return {"id": self.topology["id"]}
            case ["v1", "signals"]:
                return self.wait_for_signals(int(query["after"][0]), float(query["wait"][0]))
            case ["v1", "counters"]:
                return self.counters
            case ["v1", "events"]:
                newest = self.events[-1]["id"] if self.events else 0
                after = int(query["after"][0])
                return {"events": [one for one in self.events if one["id"] > after], "newest": newest}
            case ["v1", "switches", dpid, "entries"]:
                self.before_read(dpid)
                switch = self._find(dpid)
                return None if switch is None else _table(switch)
        return None

    def wait_for_signals(self, after: int, wait: float) -> Any:
        """Return the messages after `after`; `signal` adds one."""
        end = time.monotonic() + min(wait, 0.5)
        while not (found := [one for one in self.signals if one["id"] > after]) and time.monotonic() < end:
            time.sleep(0.01)
        newest = self.signals[-1]["id"] if self.signals else 0
        return {"signals": found, "newest": newest, "gap": False, "taken": newest, "dropped": {}}

    def signal(self, payload: bytes, **sender: Any) -> None:
        """Add a control message of a host, by default of h1 at its port."""
        number = len(self.signals) + 1
        own = {"dpid": f"{1:016x}", "port": 3, "mac": "02:00:00:00:00:01", "ip": "fd00::1", "udp_port": 7374}
        row = {"id": number, "at": "", **own, **sender, "payload": b64encode(payload).decode()}
        self.signals.append(row)

    def answer_signals(self, body: dict[str, Any]) -> Any:
        """Handle replies like the controller: all, or none if a receiver is not a single host."""
        for n, one in enumerate(body["answers"]):
            for name in ("mac", "ip", "udp_port"):
                if not _of_one_host(name, one[name]):
                    return BadRequest(f"/answers/{n}/{name}: {one[name]!r} is not an address of a host")
        self.answers += [{**one, "payload": b64decode(one["payload"])} for one in body["answers"]]
        return {"answers": [{"sent": True, "detail": None} for _ in body["answers"]]}

    def _knows_bundles(self, switch: FakeSwitch) -> bool:
        return self.bundles and switch.bundles

    def _switch(self, dpid: str) -> dict[str, Any]:
        switch = self.switches[dpid]
        return {
            "dpid": dpid,
            "address": f"127.0.0.1:{switch.epoch}",
            "connected_at": "2026-01-01T00:00:00Z",
            "epoch": switch.epoch,
            "ports": [
                {"port": n, "name": f"p{n}", "up": up, "mac": f"02:00:00:00:01:{n:02x}"}
                for n, up in switch.ports.items()
            ],
            "description": {},
            "tables": 1,
            "capabilities": ["bundles"] if self._knows_bundles(switch) else [],
            "features": switch.features,
            "lacks": [],
            "problems": [],
            "sources": switch.sources,
        }

    def check_sources(self, body: dict[str, Any]) -> dict[str, Any]:
        """Handle checks like the controller: a check is in force when all of it is, not only its permits."""
        self.checks.append(body)
        answers = []
        for row in body["switches"]:
            switch = self._find(row["dpid"])
            state = "unreachable" if switch is None else "confirmed"
            if switch is not None:
                switch.sources = None if body["widen"] else row["version"]
            epoch = None if switch is None else switch.epoch
            answers.append({"dpid": row["dpid"], "state": state, "epoch": epoch, "detail": None})
        return {"switches": answers}

    def change(self, body: dict[str, Any]) -> dict[str, Any]:
        """Handle a change like the controller: additions in order; removals only after all confirmations."""
        with self.lock:
            self.changes.append(body)
            answers = [self._add(part) for part in body["switches"]]
            if all(answer["state"] == "confirmed" for answer in answers):
                for part, answer in zip(body["switches"], answers, strict=True):
                    self._remove(part)
                    answer["removed"] = True
        return {"id": body["id"], "switches": answers}

    def repair(self, dpid: str) -> dict[str, Any] | None:
        """Restore reserved entries and remove unreadable ones, unless the switch is stubborn."""
        switch = self._find(dpid)
        if switch is None:
            return None
        if switch.stubborn:
            return {"restored": [], "removed": [], "refused": [f"{name}: refused" for name in switch.lost]}
        done = {"restored": switch.lost, "removed": [str(one) for one in switch.unreadable], "refused": []}
        switch.mods += len(switch.lost) + len(switch.unreadable)
        switch.lost, switch.unreadable = [], []
        return done

    def _add(self, part: dict[str, Any]) -> dict[str, Any]:
        answer = {"dpid": part["dpid"], "state": "unreachable", "removed": False, "errors": []}
        switch = self._find(part["dpid"])
        if switch is None:
            return answer
        if "steps" in part and not self._knows_bundles(switch):
            return self._in_steps(switch, part, answer)
        if part.get("atomic"):
            return self._at_once(switch, part, answer)
        for entry in part["add"] + part["modify"]:
            switch.mods += 1
            full = switch.limit is not None and len(switch.table) >= switch.limit
            no_room = full and _key(entry) not in switch.table
            if entry["dst"] in switch.refuses or no_room:
                answer["errors"].append(_refusal(entry, switch.refusal if not no_room else NO_ROOM))
            else:
                switch.table[_key(entry)] = entry["actions"]
        switch.peak = max(switch.peak, len(switch.table))
        state = "failed" if answer["errors"] else "confirmed"
        return {**answer, "state": state, "epoch": switch.epoch}

    def _at_once(self, switch: FakeSwitch, part: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        """Apply a bundle as a whole or not at all."""
        after = dict(switch.table)
        for key in part["remove"]:
            after.pop(_key(key), None)
        refused = [entry for entry in part["add"] + part["modify"] if entry["dst"] in switch.refuses]
        after |= {_key(entry): entry["actions"] for entry in part["add"] + part["modify"]}
        if not self._knows_bundles(switch) and len(switch.table.keys() | after.keys()) > part["limit"]:
            detail = (
                "nothing was applied: the table would have too many entries during the change, over its limit"
            )
            return {**answer, "state": "failed", "epoch": switch.epoch, "detail": detail}
        switch.mods += 1
        if refused or (switch.limit is not None and len(after) > switch.limit):
            errors = [_refusal(entry) for entry in refused or part["add"][-1:]]
            return {**answer, "state": "failed", "epoch": switch.epoch, "errors": errors}
        switch.table = after
        switch.peak = max(switch.peak, len(after))
        return {**answer, "state": "confirmed", "epoch": switch.epoch}

    def _in_steps(self, switch: FakeSwitch, part: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        """Apply single flow-mods: each step adds, then removes; a limit is checked first."""
        tables = [dict(switch.table)]
        for step in part["steps"]:
            adds = step["add"] + step["modify"]
            tables.append(tables[-1] | {_key(entry): entry["actions"] for entry in adds})
            gone = {_key(key) for key in step["remove"]}
            tables.append({key: value for key, value in tables[-1].items() if key not in gone})
        most = max(map(len, tables))
        refused = [one for step in part["steps"] for one in step["add"] if one["dst"] in switch.refuses]
        assert [step["rest"]["actions"] for step in part["steps"] if "rest" in step][-1:] in ([], [[]])
        if most > part["limit"] or refused:
            detail = "" if refused else "the table would have too many entries during the change"
            errors = list(map(_refusal, refused))
            return {**answer, "state": "failed", "epoch": switch.epoch, "detail": detail, "errors": errors}
        switch.mods += len(tables) - 1
        switch.table = tables[-1]
        switch.peak = max(switch.peak, most)
        return {**answer, "state": "confirmed", "epoch": switch.epoch}

    def _remove(self, part: dict[str, Any]) -> None:
        switch = self.switches[part["dpid"]]
        if part.get("atomic"):
            return
        for key in part["remove"]:
            switch.mods += 1
            switch.table.pop(_key(key), None)

    def _handler(fake) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                self._answer(lambda: fake.get(parts.path, parse_qs(parts.query)))

            def do_PUT(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))

                def act() -> Any:
                    fake.topology, fake.confirmations = sent, fake.confirmations + 1
                    return {"id": sent["id"]}

                self._answer(act)

            def do_POST(self) -> None:
                sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                parts = self.path.strip("/").split("/")

                def act() -> Any:
                    if parts[-1] == "repair":
                        return fake.repair(parts[-2])
                    body = json.loads(sent)
                    if self.path == "/v1/signals/answers":
                        return fake.answer_signals(body)
                    if self.path == "/v1/sources":
                        return fake.check_sources(body)
                    fake.before_change()
                    answer = fake.change(body)
                    fake.after_change()
                    return answer

                self._answer(act)

            def _answer(self, act: Callable[[], Any]) -> None:
                if self.headers.get("Authorization") != f"Bearer {fake.token}":
                    return self._send(401, b"{}")
                if fake.answer is not None:
                    return self._send(*fake.answer)
                found = act()
                if isinstance(found, BadRequest):
                    return self._send(400, found.detail.encode())
                return self._send(503 if found is None else 200, json.dumps(found).encode())

            def _send(self, status: int, body: bytes) -> None:
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the control plane was killed meanwhile, as some tests do

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


@contextmanager
def running(token: str) -> Iterator[FakeNorthbound]:
    """Run a fake northbound for the time of the block."""
    fake = FakeNorthbound(token)
    fake.start()
    try:
        yield fake
    finally:
        fake.stop()


def _key(entry: dict[str, Any]) -> EntryKey:
    return entry["dst"], entry["in_port"], entry["priority"]


def _refusal(entry: dict[str, Any], reason: tuple[str, str] = NO_ROOM) -> dict[str, Any]:
    type_, code = reason
    return {
        "dst": entry["dst"],
        "in_port": entry["in_port"],
        "type": type_,
        "code": code,
        "detail": "it says so",
    }


def _table(switch: FakeSwitch) -> dict[str, Any]:
    return {
        "epoch": switch.epoch,
        "entries": _entries(switch),
        "reserved": 3 - len(switch.lost),
        "missing": switch.lost,
        "foreign": switch.foreign,
        "strange": len(switch.unreadable),
        "unreadable": switch.unreadable,
    }


def _entries(switch: FakeSwitch) -> list[dict[str, Any]]:
    return [
        {"dst": dst, "in_port": in_port, "priority": priority, "actions": actions, "packets": 0, "bytes": 0}
        for (dst, in_port, priority), actions in switch.table.items()
    ]
