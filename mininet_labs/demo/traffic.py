"""The hosts of the demo in one process: publishers of quotes, and subscribers.

It reads lines from standard input. The first line is a plan as JSON (`mininet_labs.demo.plan`). Later lines
are new plans, which replace the one before, test events (`{"test": order}`), or `stop`, which ends
publishing, drains the network and ends the process. Every half second it writes a line of JSON with its
counters, in total and by announcement, a sample of its latest events, results of test events, and the
counters of its telemetry. It writes the telemetry to the root in the plan.
"""

import json
import os
import selectors
import sys
import time
from dataclasses import asdict

from mininet_labs.demo.hosts import Hosts

_REPORT_EVERY_S = 0.5
_DRAIN_QUIET_S = 1.0
_DRAIN_AT_MOST_S = 10.0


class TrafficLoop:
    """Publishes at a steady rate, receives meanwhile, reports, and drains at the end."""

    def __init__(self, hosts: Hosts, rate: float) -> None:
        self.hosts = hosts
        self.period = 1.0 / rate
        self.selector = selectors.DefaultSelector()
        for host in hosts.subscribers:
            self.selector.register(hosts.ports[host], selectors.EVENT_READ, host)
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
        self.stopping = False
        self.unread = b""

    def run(self) -> None:
        """Publish until the command to stop, then drain."""
        turn = 0
        next_send = next_report = time.monotonic()
        while not self.stopping:
            now = time.monotonic()
            if now >= next_send:
                self.hosts.publish(turn)
                turn += 1
                # After a stall, continue at the same rate, without a burst.
                next_send = max(next_send + self.period, now - self.period)
            self.hosts.receive_held()
            if now >= next_report:
                self.report()
                next_report = now + _REPORT_EVERY_S
            self.poll(min(next_send, next_report) - time.monotonic())
        for lease in self.hosts.leases.values():
            lease.close()
        self.drain()
        self.hosts.origins.close()
        self.hosts.recorder.close()
        self.report(final=True)

    def poll(self, timeout: float) -> int:
        """Wait up to `timeout` seconds, handle what has arrived, and return the number of events."""
        events = 0
        for key, _ in self.selector.select(max(0.0, timeout)):
            if key.data is None:
                self.command()
            else:
                events += self.hosts.receive(key.data)
        return events

    def command(self) -> None:
        """Follow new commands: a plan, a test event or stop; the end of the input means stop."""
        chunk = os.read(sys.stdin.fileno(), 1 << 20)
        *lines, self.unread = (self.unread + chunk).split(b"\n")
        for line in lines:
            if line == b"stop":
                self.stopping = True
            else:
                command = json.loads(line)
                if "test" in command:
                    self.hosts.test(command["test"])
                else:
                    self.hosts.follow(command)
        if self.stopping or not chunk:
            self.stopping = True
            self.selector.unregister(sys.stdin.fileno())

    def drain(self) -> None:
        """Receive until nothing has arrived for a while, or the time is over."""
        started = quiet_since = time.monotonic()
        while True:
            self.hosts.receive_held()
            if self.poll(0.05):
                quiet_since = time.monotonic()
            now = time.monotonic()
            quiet = now - quiet_since
            if now - started > _DRAIN_AT_MOST_S or quiet > _DRAIN_QUIET_S:
                return

    def report(self, *, final: bool = False) -> None:
        """Write the counters as a line of JSON."""
        counters = self.hosts.counters()
        if final:
            counters["lost"] = self.hosts.ledger.lost()
        samples = self.hosts.take_samples()
        report = {"final": final, "samples": samples, "telemetry": asdict(self.hosts.recorder.tally())}
        report |= {"activity": self.hosts.activity.to_json(), "tested": self.hosts.trials.take()}
        print(json.dumps({**report, **counters}), flush=True)


def main() -> None:
    """Run the hosts of the plan in the first line of standard input."""
    # Unbuffered, so that the lines after the first one stay for the loop.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as commands:
        plan = json.loads(commands.readline())
    TrafficLoop(Hosts(plan), plan["rate"]).run()


if __name__ == "__main__":
    main()
