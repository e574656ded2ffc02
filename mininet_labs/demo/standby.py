"""`make run ARGS=--empty`: the platform without a network, and the demo when it is asked for."""

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
from mininet_labs.demo.status import PlatformOutage, Report, StatusLine, say, status_text, step
from mininet_labs.errors import LabError
from mininet_labs.interrupts import Interrupted
from tercast.runtime.wording import quantity

PAUSE_S = 0.5


class Standby(Demo):
    """The platform, which begins and ends its fabric and traffic by the control plane's word."""

    launcher: DemoLauncher

    def start(self) -> None:
        """Bring up all but the network."""
        self.prepare()
        step("controller (Ryu)", self.platform.start_controller)
        step("web server, Celery worker and beat", self.platform.start_control_plane)
        self.connect()
        self.launch(fixed=False)
        self.rest.be_patient(POLL_PATIENCE_S)

    def watch(self) -> None:
        """Do as is asked, until the time is over or someone asks for the end."""
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
        """Begin or end the demo, where that is asked for; a start that fails is told, and not tried again."""
        running = self.feed is not None
        if self.launcher.wanted and not running:
            try:
                self.bring_up()
            except LabError as error:
                self.take_down()
                self.failed(error)
        elif running and not self.launcher.wanted:
            self.launcher.tell("stopping", "traffic, then the network")
            say("the demo ends")
            self.take_down()
            self.launcher.tell("offered")

    def bring_up(self) -> None:
        """The demo, step by step, each of them told."""
        self.warn()
        switches = quantity(len(self.topology["switches"]), "Open vSwitch bridge")
        steps: tuple[tuple[str, Callable[[Report], object]], ...] = (
            (f"fabric: {switches}", self.platform.start_fabric),
            ("switches connect to the controller", self.platform.await_switches),
            ("topology, publishers, subscribers, tables", self.load),
            ("traffic", lambda _: self.start_feed()),
        )
        self.rest.be_patient(FINISH_PATIENCE_S)
        for number, (what, action) in enumerate(steps):
            self._begin(what, number / len(steps), action)
        self.rest.be_patient(POLL_PATIENCE_S)
        self.launcher.tell("running", progress=1.0)
        say("demo: it runs")

    def _begin(self, what: str, progress: float, action: Callable[[Report], object]) -> None:
        self.launcher.tell("starting", what, progress)
        say(f"demo: {what} …")
        action(lambda far: self.launcher.tell("starting", f"{what}: {far}", progress))

    def take_down(self) -> None:
        """End the demo's traffic and network; what it registered stays."""
        feed, self.feed = self.feed, None
        if feed is not None:
            try:
                feed.finish()
            except LabError as error:
                say(f"the demo's traffic did not end by itself: {error}")
            finally:
                feed.kill()
        self.platform.stop_fabric()

    def failed(self, error: LabError) -> None:
        """Tell why, and be asked no more for now."""
        say(f"the demo failed: {error}")
        self.launcher.tell("failed", reason=str(error))
        with suppress(RestError):  # the next heartbeat tells it
            self.launcher.beat()

    def turn(self, outage: PlatformOutage) -> str:
        """Pass on what the traffic tells; the line for the terminal."""
        troubles = self.platform.troubles()
        if self.feed is None:
            offer = "standing by: the page offers the demo, importing a topology, or connecting switches"
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
    """Stand by until the end; 0 unless something that is needed ended by itself."""
    with Standby(options, topology) as standby:
        standby.start()
        standby.greet()
        try:
            standby.watch()
        except Interrupted:
            print("tercast: ending …", flush=True)
        except LabError as error:
            print(f"\ntercast: {error}", file=sys.stderr, flush=True)
            return 1
        finally:
            if standby.feed is not None:
                standby.take_down()
        return 0
