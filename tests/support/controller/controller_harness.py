"""A controller in a separate process, and a client of its northbound."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # benchmarks use this module without pytest

from support.ports import free_port
from waiting import LIMIT_SECONDS, eventually

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "a-token-for-the-tests-of-the-controller"


class Controller:
    """`python -m controller_app` with a token, short intervals, and a log file."""

    def __init__(self, run_dir: Path, *options: str, openflow: int | None = None) -> None:
        self.log_path = run_dir / f"controller-{time.monotonic_ns()}.log"
        self.token_path = run_dir / "token"
        self.token_path.write_text(TOKEN + "\n")
        self.openflow = openflow or free_port()
        self.northbound = free_port()
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Controller:
        command = [
            *(sys.executable, "-m", "controller_app", "--log-format", "json"),
            *("--openflow", f"127.0.0.1:{self.openflow}", "--northbound", f"127.0.0.1:{self.northbound}"),
            *("--token-file", str(self.token_path), "--probe-interval", "0.5", "--poll-interval", "0.5"),
            *self.options,
        ]
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, env=environment, cwd=ROOT)
        up = eventually(lambda: self.process.poll() is not None or self.says("listening"))
        assert up, self.log_path
        assert self.process.poll() is None, self.log_path.read_text()
        return self

    def stop(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(LIMIT_SECONDS)

    @property
    def target(self) -> str:
        return f"tcp:127.0.0.1:{self.openflow}"

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log_path.read_text().splitlines() if line.endswith("}")]

    def says(self, message: str) -> bool:
        return any(line["message"] == message for line in self.lines())

    def descriptors(self) -> int:
        assert self.process is not None
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def call(
        self, method: str, path: str, body: Any = None, token: str | None = TOKEN, raw: bytes | None = None
    ) -> tuple[int, Any]:
        """Return status and JSON of a request; `raw` is the body as bytes."""
        connection = HTTPConnection("127.0.0.1", self.northbound, timeout=LIMIT_SECONDS)
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        return answer.status, json.loads(text) if text else None

    def get(self, path: str) -> Any:
        status, body = self.call("GET", path)
        assert status == 200, body
        return body

    def change(self, *switches: dict[str, Any], id: str = "test") -> dict[str, dict[str, Any]]:
        """Post a change; return the results by datapath id."""
        status, body = self.call("POST", "/v1/changes", {"id": id, "switches": list(switches)})
        assert status == 200, body
        assert body["id"] == id
        return {result["dpid"]: result for result in body["switches"]}

    def dpids(self) -> set[str]:
        return {switch["dpid"] for switch in self.get("/v1/switches")}

    def await_switches(self, *dpids: str) -> None:
        assert eventually(lambda: set(dpids) <= self.dpids()), (dpids, self.log_path.read_text())

    def entries(self, dpid: str) -> list[dict[str, Any]]:
        """Return the own content entries of a switch without their counters, by priority."""
        return ordered(
            {key: entry[key] for key in ("dst", "in_port", "priority", "actions")}
            for entry in self.get(f"/v1/switches/{dpid}/entries")["entries"]
        )

    def alarm_names(self) -> set[str]:
        return {alarm["alarm"] for alarm in self.get("/v1/alarms")}


@contextmanager
def running(run_dir: Path, *options: str, openflow: int | None = None) -> Iterator[Controller]:
    """Run a controller that is killed at the end, and check that it wrote no traceback."""
    controller = Controller(run_dir, *options, openflow=openflow)
    try:
        yield controller.start()
    finally:
        if controller.process is not None and controller.process.poll() is None:
            controller.process.kill()
            controller.process.wait()
    assert "Traceback" not in controller.log_path.read_text(), controller.log_path.read_text()


def dpid(number: int) -> str:
    return f"{number:016x}"


def entry(dst: str, priority: int, *actions: dict[str, Any], in_port: int | None = None) -> dict[str, Any]:
    return {"dst": dst, "in_port": in_port, "priority": priority, "actions": list(actions)}


def ordered(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(entries, key=lambda entry: (entry["priority"], entry["dst"], entry["in_port"] or 0))


def output(port: int | str) -> dict[str, Any]:
    return {"output": port}


def set_dst(ip: str, mac: str) -> dict[str, Any]:
    return {"set_dst": {"ip": ip, "mac": mac}}


def many_entries(count: int, port: int = 1) -> list[dict[str, Any]]:
    """Return distinct full-length entries, no two of which match the same packet."""
    base = int(IPv6Address("ff0e:4::"))
    return [entry(f"{IPv6Address(base + n)}/128", 114, output(port)) for n in range(count)]


def key(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item[name] for name in ("dst", "in_port", "priority")}
