"""The process of the hosts: it gets a plan, reports counters, and is drained at the end."""

import json
import queue
import threading
from contextlib import suppress
from typing import Any

from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.plan import PlanReader
from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.rest import RestClient, RestRefusal
from mininet_labs.demo.services import Service, python

REPORTER = "demo"
_NOTHING: dict[str, Any] = {
    **dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 0),
    "delay_ms": {"p50": None, "p99": None},
}
_FINISH_WITHIN_S = 30.0
MOST_SAMPLES = 1000
"""Highest number of stored samples while the control plane does not answer; the newest are kept."""


class EventFeed:
    """Runs `mininet_labs.demo.traffic`, and sends its counters to the control plane."""

    def __init__(self, platform: Platform, rest: RestClient, topology: dict[str, Any], rate: float) -> None:
        self._rest = rest
        self._plans = PlanReader(platform, rest, topology, rate)
        log = platform.logs / "hosts.log"
        self._service = Service("hosts", python("-m", "mininet_labs.demo.traffic"), log, {}, pipes=True)
        self._reports: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._latest = _NOTHING
        self._samples: list[dict[str, Any]] = []
        self._activity: dict[str, Any] = {}
        self._tested: list[dict[str, Any]] = []
        self.telemetry: dict[str, int] = {}

    def start(self) -> None:
        """Start the process, and return when events flow."""
        self._service.start()
        self._plans.changed()
        self._write(json.dumps(self._plans.read()))
        self.listen()

    def listen(self) -> None:
        """Start to read the reports of the process, and return after the first one."""
        threading.Thread(target=self._read, daemon=True).start()
        self._process_report(timeout=_FINISH_WITHIN_S)

    @property
    def counters(self) -> dict[str, Any]:
        """The latest counters of the hosts."""
        return self._latest

    def check(self) -> None:
        """Read the reports of the process; raises `DemoError` if it has ended."""
        while not self._reports.empty():
            self._process_report(timeout=0.0)

    def pass_on(self) -> dict[str, Any]:
        """Send the latest counters to the control plane and changed plans to the hosts.

        After a `RestError` the next call sends what this one did not.
        """
        self.check()
        if self._plans.changed():
            self._write(json.dumps(self._plans.read()))
        self._send_report()
        return self._latest

    def _send_report(self) -> None:
        counters = {key: value for key, value in self._latest.items() if key != "final"}
        self._rest.post("/api/v1/traffic/", {"reporter": REPORTER, **counters, **self._activity})
        samples = self._samples[-MOST_SAMPLES:]
        if samples:
            self._send_samples(samples)
        self._samples = []

    def _send_samples(self, samples: list[dict[str, Any]]) -> None:
        """Send samples; if they are refused, send only those of advertisements that still exist."""
        try:
            self._rest.post("/api/v1/traffic/samples/", samples)
        except RestRefusal:
            live = {row["id"] for row in self._plans.read()["advertisements"] if row["until"] is None}
            samples = [sample for sample in samples if sample["publisher"] in live]
            with suppress(RestRefusal):
                if samples:
                    self._rest.post("/api/v1/traffic/samples/", samples)

    def test(self, order: dict[str, Any]) -> None:
        """Request the publication of a test event; `take_tested` returns the result."""
        topics = self._rest.all("/api/v1/topics/", name=order["topic"])
        if not topics:
            problem = f"Topic {order['topic']} no longer exists."
            self._tested.append({"id": order["id"], "problem": problem})
            return
        topic = {key: topics[0][key] for key in ("name", "code", "attributes", "indexed")}
        self._write(json.dumps({"test": {**order, "topic": topic}}))

    def take_tested(self) -> list[dict[str, Any]]:
        """Return the results of test events since the last call."""
        taken, self._tested = self._tested, []
        return taken

    def finish(self) -> dict[str, Any]:
        """Stop publishing, wait until the network is empty, and return the final counters.

        After a `RestError` it can be called again.
        """
        if not self._latest.get("final"):
            self._write(json.dumps(self._plans.read()))
            self._write("stop")
        while not self._latest.get("final"):
            self._process_report(timeout=_FINISH_WITHIN_S)
        self._send_report()
        return self._latest

    def salvage(self) -> dict[str, Any]:
        """Return the final counters, or the latest ones; the control plane may have ended."""
        with suppress(DemoError):
            self._write("stop")
            while not self._latest.get("final"):
                self._process_report(timeout=_FINISH_WITHIN_S)
        return self._latest

    def kill(self) -> None:
        """Stop the process immediately."""
        self._service.stop(grace=0.5)

    def _write(self, line: str) -> None:
        process = self._service.process
        assert process is not None and process.stdin is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self._failed()

    def _read(self) -> None:
        process = self._service.process
        assert process is not None and process.stdout is not None
        for line in process.stdout:
            self._reports.put(json.loads(line))
        self._reports.put(None)

    def _process_report(self, timeout: float) -> None:
        try:
            report = self._reports.get(timeout=timeout) if timeout else self._reports.get_nowait()
        except queue.Empty:
            raise DemoError(
                f"the hosts sent no report for {timeout:.0f} s; the end of their log:\n{self._service.tail()}"
            ) from None
        if report is None:
            self._failed()
        else:
            self._samples = [*self._samples, *report.pop("samples")][-MOST_SAMPLES:]
            self.telemetry = report.pop("telemetry")
            self._activity = report.pop("activity")
            self._tested += report.pop("tested")
            self._latest = report

    def _failed(self) -> None:
        raise DemoError(
            f"the process of the hosts has ended; the end of {self._service.log}:\n{self._service.tail()}"
        )
