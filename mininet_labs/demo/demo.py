"""The demo, from its start to its report: the platform, its network and its events."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from mininet_labs import interrupts
from mininet_labs.demo import content
from mininet_labs.demo.content import TOPIC
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.feed import EventFeed
from mininet_labs.demo.launcher import DemoLauncher
from mininet_labs.demo.learning import Learning
from mininet_labs.demo.options import DemoOptions
from mininet_labs.demo.platform_up import ROOT, Platform
from mininet_labs.demo.registration import Settling, register, settling_patience
from mininet_labs.demo.rest import RestClient, RestError
from mininet_labs.demo.services import RESTARTS, wait_until
from mininet_labs.demo.status import (
    PlatformOutage,
    ReportProgress,
    StatusLine,
    ignore,
    say,
    shown,
    status_text,
    step,
)
from mininet_labs.errors import LabError
from mininet_labs.fabric.depth import depth_warning
from tercast.runtime.wording import quantity

DEFAULT_TOPOLOGY = ROOT / "mininet_labs" / "topologies" / "abilene.json"


_PATIENCE_S = 5.0
"""Seconds to wait for an answer of a control plane that may be stopping."""


POLL_PATIENCE_S = 10.0
"""Seconds to wait for an answer to a poll of a running demo, which is repeated."""


FINISH_PATIENCE_S = 60.0
"""Seconds to wait for the answers that the report needs."""


RUN_DIR = Path(os.environ.get("TERCAST_RUN_DIR", ROOT / "run"))


class Demo:
    """One run of the demo, from its start to its report."""

    def __init__(
        self, options: DemoOptions, topology: dict[str, Any], platform: Platform | None = None
    ) -> None:
        self.options = options
        self.topology = topology
        self.platform = platform or Platform(
            RUN_DIR, self.topology, options.port, tls=options.tls, openflow=options.openflow
        )
        self.rest: RestClient
        self.feed: EventFeed | None = None
        self.launcher: DemoLauncher | None = None
        self.learning: Learning | None = None
        self._entries = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.launcher is not None:
            self.launcher.stop()
        if self.feed is not None:
            self.feed.kill()
        self.platform.stop()

    def start(self) -> None:
        """Start everything and load the content of the demo."""
        platform = self.platform
        self.prepare()
        self.warn()
        switches = quantity(len(self.topology["switches"]), "Open vSwitch bridge")
        step(f"fabric: {switches}", platform.start_fabric)
        step("controller (Ryu)" + (", TLS" if self.options.tls else ""), platform.start_controller)
        step("web server, Celery worker and beat", platform.start_control_plane)
        self.connect()
        try:
            step("demo: topology, publishers, subscribers", self.load)
        except DemoError as error:
            raise DemoError(f"{error}\n(--fresh starts without the state of earlier runs)") from error
        step("traffic", lambda _: self.start_feed())

    def warn(self) -> None:
        """Print a warning about parts of the network that the fabric does not carry."""
        if warning := depth_warning(self.topology):
            say(f"warning: {warning}")

    def connect(self) -> None:
        """Create the client of the control plane."""
        self.rest = RestClient(self.platform.base_url, self.platform.secret("operator-token"))

    def prepare(self) -> None:
        """Create the state; with `--fresh`, remove the state of earlier runs first."""
        if self.options.fresh:
            self.platform.forget()
        step("database, secrets, users", lambda _: self.platform.prepare())

    def load(self, report: ReportProgress = ignore) -> None:
        """Register the network and the content of the demo; existing rows stay."""
        rest, topology = self.rest, self.topology
        register(rest, topology, report)
        if not rest.all("/api/v1/topics/", name=TOPIC["name"]):
            rest.post("/api/v1/topics/", TOPIC)
        feeds = content.publishers(topology)
        rest.add_missing(
            "/api/v1/publishers/", [{"name": f["name"], "host": f["host"]} for f in feeds], ("name",)
        )
        rest.add_missing("/api/v1/subscribers/", content.subscribers(topology), ("name",))
        topic = {"topic": TOPIC["name"]}
        advertisements = [{"publisher": f["name"], "filter": f["filter"], **topic} for f in feeds]
        rest.add_missing("/api/v1/advertisements/", advertisements, ("publisher", "filter"))
        subscriptions = [{**row, **topic} for row in content.subscriptions()]
        rest.add_missing("/api/v1/subscriptions/", subscriptions, ("subscriber", "filter"))
        settling = Settling(rest, self.platform)
        wait_until(
            "the tables of the demo",
            settling.ready,
            self.platform.services,
            timeout=settling_patience(topology),
            progress=settling.progress,
            report=report,
        )

    def start_feed(self) -> None:
        """Start the process of the hosts, with publishers and subscribers at ports of the fabric."""
        self.feed = EventFeed(self.platform, self.rest, self.topology, self.options.rate)
        self.feed.start()

    def launch(self, *, fixed: bool) -> None:
        """Start to report the demo to the control plane; `fixed`: it runs until the end."""
        token = self.platform.secret("operator-token")
        rest = RestClient(self.platform.base_url, token, patience=_PATIENCE_S)
        self.launcher = DemoLauncher(rest, self.topology, fixed=fixed)
        self.launcher.set_state("running" if fixed else "offered")
        self.launcher.start()

    def try_out(self) -> None:
        """Publish the requested test events, and report the results of earlier ones."""
        assert self.feed is not None
        if self.launcher is not None:
            while not self.launcher.orders.empty():
                order = self.launcher.orders.get()
                try:
                    self.feed.test(order)
                except RestError:
                    self.launcher.orders.put(order)
                    raise
            self.launcher.report(self.feed.take_tested())

    def greet(self) -> None:
        """Print the addresses, and the accounts that can log in."""
        admin = self.platform.secret("admin-password")
        password = self.platform.state_dir / "secrets" / "admin-password"
        token = self.platform.state_dir / "secrets" / "operator-token"
        print(
            f"\n  page      {self.platform.base_url}/\n"
            f"  log in    admin, password {admin}  (stored in {shown(password)})\n"
            f"  API       {self.platform.base_url}/api/docs/  (operator's token in {shown(token)})\n"
            f"  hosts     {shown(self.platform.hosts)}"
            "  (a socket for each connection of a host to a switch)\n"
            f"  telemetry {shown(self.platform.telemetry)}  (Parquet files, for python -m analytics)\n"
            f"  logs      {shown(self.platform.logs)}\n"
            "  Ctrl-C ends it.\n",
            flush=True,
        )

    def watch(self) -> None:
        """Print the status line until the time is over or an interrupt arrives."""
        assert self.feed is not None
        line, outage = StatusLine(), PlatformOutage()
        if self.options.learn:
            self.learning = Learning(self.rest, TOPIC["name"])
        started = time.monotonic()
        self.rest.be_patient(POLL_PATIENCE_S)
        try:
            while self.options.run_for is None or time.monotonic() - started < self.options.run_for:
                interrupts.check()
                self.platform.check()
                self.feed.check()
                with outage.bridged():
                    self.try_out()
                    self.feed.pass_on()
                    self.entries()
                    if self.learning is not None:
                        self.learning.advance_proposal(self.feed.counters, self._entries)
                counters = self.feed.counters
                line.show(status_text(self._entries, counters, self.platform.troubles()))
                time.sleep(min(1.0, max(0.05, started + (self.options.run_for or 1e9) - time.monotonic())))
        finally:
            line.end()

    def entries(self) -> int:
        """Count the content entries that the switches have confirmed."""
        self._entries = sum(row["entries"] for row in self.rest.all("/api/v1/switches/"))
        return self._entries

    def finish(self) -> dict[str, Any]:
        """Stop publishing, wait until the network is empty, and return the report."""
        assert self.feed is not None
        self.rest.be_patient(FINISH_PATIENCE_S)
        counters = self._insist(self.feed.finish)
        figures = self._insist(lambda: {**self._figures(self.rest), "entries": self.entries()})
        stopped = self.platform.given_up()
        failure = f"stopped after {RESTARTS} restarts: {', '.join(stopped)}" if stopped else None
        return self._report(counters, figures, failure)

    def _insist(self, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Repeat a call until the control plane answers, and restart its processes meanwhile."""
        end = time.monotonic() + FINISH_PATIENCE_S
        while True:
            self.platform.check()
            try:
                return call()
            except RestError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.5)

    def salvage(self, failure: LabError) -> dict[str, Any]:
        """Return the report after a failure: the counters so far, and None for unknown values."""
        assert self.feed is not None
        counters = self.feed.salvage()
        figures: dict[str, Any] = dict.fromkeys(("switches", "trees", "requests"))
        with suppress(DemoError):
            token = self.platform.secret("operator-token")
            figures = self._figures(RestClient(self.platform.base_url, token, patience=_PATIENCE_S))
        return self._report(counters, {**figures, "entries": self._entries}, str(failure))

    @staticmethod
    def _figures(rest: RestClient) -> dict[str, Any]:
        requests = {
            state: rest.get("/api/v1/requests/", state=state, limit=1, count="true")["count"]
            for state in ("active", "failed")
        }
        return {
            "switches": len(rest.all("/api/v1/switches/")),
            "trees": len(rest.all("/api/v1/trees/")),
            "requests": requests,
        }

    def _report(
        self, counters: dict[str, Any], figures: dict[str, Any], failure: str | None
    ) -> dict[str, Any]:
        assert self.feed is not None
        names = ("published", "wanted", "delivered", "lost", "doubled", "unwanted", "delay_ms")
        return {
            **{name: counters[name] for name in names},
            **figures,
            **({"learned": self.learning.report(counters, self._entries)} if self.learning else {}),
            "telemetry": self.feed.telemetry,
            "restarts": self.platform.restarts(),
            "seconds": self.options.run_for,
            "rate": self.options.rate,
            "failure": failure,
        }
