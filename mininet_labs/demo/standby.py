"""`make run ARGS=--empty`: the platform without a network, and the demo on demand."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from mininet_labs import interrupts
from mininet_labs.demo.demo import FINISH_PATIENCE_S, POLL_PATIENCE_S, Demo
from mininet_labs.demo.launcher import DemoLauncher
from mininet_labs.demo.options import DemoOptions
from mininet_labs.demo.rest import RestError
from mininet_labs.demo.status import PlatformOutage, ReportProgress, StatusLine, say, status_text, step
from mininet_labs.errors import LabError
from mininet_labs.interrupts import Interrupted
from tercast.runtime.wording import quantity

PAUSE_S = 0.5


class Standby(Demo):
    """The platform, whose fabric and demo start and stop at the request of the control plane."""

    launcher: DemoLauncher

    def start(self) -> None:
        """Start everything except the network."""
        self.prepare()
        step("controller (Ryu)", self.platform.start_controller)
        step("web server, Celery worker and beat", self.platform.start_control_plane)
        self.connect()
        self.launch(fixed=False)
        self.rest.be_patient(POLL_PATIENCE_S)

    def watch(self) -> None:
        """Follow the requests until the time is over or an interrupt arrives."""
        line, outage = StatusLine(every=20), PlatformOutage()
        end = None if self.options.run_for is None else time.monotonic() + self.options.run_for
        try:
            while end is None or time.monotonic() < end:
                interrupts.check()
                self.platform.check()
                self.obey()
                line.show(self.turn(outage))
                time.sleep(PAUSE_S)
        finally:
            line.end()

    def obey(self) -> None:
        """Start or stop the demo on request; a failed start is reported and not repeated."""
        running = self.feed is not None
        if self.launcher.wanted and not running:
            try:
                self.bring_up()
            except LabError as error:
                self.take_down()
                self.failed(error)
        elif running and not self.launcher.wanted:
            self.launcher.set_state("stopping", "traffic, then the network")
            say("the demo stops")
            self.take_down()
            self.launcher.set_state("offered")

    def bring_up(self) -> None:
        """Start the demo step by step, and report each step."""
        self.warn()
        switches = quantity(len(self.topology["switches"]), "Open vSwitch bridge")
        steps: tuple[tuple[str, Callable[[ReportProgress], object]], ...] = (
            (f"fabric: {switches}", self.platform.start_fabric),
            ("switches connect to the controller", self.platform.await_switches),
            ("topology, publishers, subscribers, tables", self.load),
            ("traffic", lambda _: self.start_feed()),
        )
        self.rest.be_patient(FINISH_PATIENCE_S)
        for number, (what, action) in enumerate(steps):
            self._begin(what, number / len(steps), action)
        self.rest.be_patient(POLL_PATIENCE_S)
        self.launcher.set_state("running", progress=1.0)
        say("demo: running")

    def _begin(self, what: str, progress: float, action: Callable[[ReportProgress], object]) -> None:
        self.launcher.set_state("starting", what, progress)
        say(f"demo: {what} …")
        action(lambda far: self.launcher.set_state("starting", f"{what}: {far}", progress))

    def take_down(self) -> None:
        """Stop the events and the network of the demo; what it has registered stays."""
        feed, self.feed = self.feed, None
        if feed is not None:
            try:
                feed.finish()
            except LabError as error:
                say(f"the hosts of the demo did not stop in time: {error}")
            finally:
                feed.kill()
        self.platform.stop_fabric()

    def failed(self, error: LabError) -> None:
        """Report a failure to the control plane, which then no longer requests the demo."""
        say(f"the demo failed: {error}")
        self.launcher.set_state("failed", reason=str(error))
        with suppress(RestError):  # the next heartbeat reports it
            self.launcher.beat()

    def turn(self, outage: PlatformOutage) -> str:
        """Report the counters, and return the line for the terminal."""
        troubles = self.platform.troubles()
        if self.feed is None:
            offer = "waiting: the page offers the demo, an import of a topology, and connections of switches"
            return offer + "".join(f"  [{one}]" for one in troubles)
        try:
            self.feed.check()
            with outage.bridged():
                self.feed.pass_on()
                self.try_out()
                self.entries()
        except LabError as error:
            self.take_down()
            self.failed(error)
            return "the demo failed"
        return status_text(self._entries, self.feed.counters, troubles)


def run(options: DemoOptions, topology: dict[str, Any]) -> int:
    """Wait for requests until the end; return 0 unless a needed process has ended."""
    with Standby(options, topology) as standby:
        standby.start()
        standby.greet()
        try:
            standby.watch()
        except Interrupted:
            print("tercast: stopping …", flush=True)
        except LabError as error:
            print(f"\ntercast: {error}", file=sys.stderr, flush=True)
            return 1
        finally:
            if standby.feed is not None:
                standby.take_down()
        return 0
