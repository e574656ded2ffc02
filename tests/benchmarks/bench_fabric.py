"""Measure what the embedded fabric carries on this machine; print JSON. It takes about two minutes.

    PYTHONPATH=platform:. .venv/bin/python tests/benchmarks/bench_fabric.py

For patch and joined links it measures: seconds to start and stop; events per second that one host port
accepts, and all ports together; the highest rate at which many publishers lose no event to one subscriber;
delays far below saturation; and how many of 200 events that follow a barrier match a replaced entry.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import selectors
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from mininet_labs.fabric import Fabric, FrameSocket
from mininet_labs.fabric.probe import event_frame, static_route
from mininet_labs.topologies import load

PAYLOAD = 100


class Pair:
    """The ports of a publisher and a subscriber, with a separate route."""

    def __init__(
        self, fabric: Fabric, topology: dict[str, Any], source: str, target: str, number: int
    ) -> None:
        hosts = {host["id"]: host for host in topology["hosts"]}
        self.flows = static_route(topology, source, target, f"ff0e:{number:x}::/32")
        for switch, flow in self.flows.items():
            fabric.ofctl(switch, "add-flow", flow)
        self.last_switch = hosts[target]["switch"]
        self.frame = event_frame(hosts[source], f"ff0e:{number:x}::1", bytes(PAYLOAD))
        self.sender = FrameSocket(fabric.host_socket(source))
        self.receiver = FrameSocket(fabric.host_socket(target))

    def share_receiver(self, pair: Pair) -> Pair:
        """Read from the connection of another pair: each connection to a port gets all frames."""
        self.receiver.close()
        self.receiver = pair.receiver
        return self

    def close(self) -> None:
        self.sender.close()
        self.receiver.close()


class Counter:
    """Counts the events that arrive at ports, in a separate thread."""

    def __init__(self, pairs: list[Pair]) -> None:
        self.received = 0
        self.last = time.perf_counter()
        self._stop = threading.Event()
        self._selector = selectors.DefaultSelector()
        for receiver in {pair.receiver for pair in pairs}:
            self._selector.register(receiver, selectors.EVENT_READ, receiver)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def finish(self, expected: int, patience: float = 3.0) -> int:
        """Wait until all have arrived, or none for a while; return the number of received events."""
        while self.received < expected and time.perf_counter() - self.last < patience:
            time.sleep(0.01)
        self._stop.set()
        self._thread.join()
        self._selector.close()
        return self.received

    def _run(self) -> None:
        while not self._stop.is_set():
            for key, _ in self._selector.select(0.1):
                self.received += len(key.data.recv_batch())
                self.last = time.perf_counter()


def flat_out(pairs: list[Pair], seconds: float) -> dict[str, float]:
    """Let all senders write as fast as the switch accepts events."""
    counter = Counter(pairs)
    started = time.perf_counter()
    sent = [0] * len(pairs)

    def write(index: int) -> None:
        while time.perf_counter() - started < seconds:
            pairs[index].sender.send(pairs[index].frame)
            sent[index] += 1

    threads = [threading.Thread(target=write, args=(index,)) for index in range(len(pairs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    received = counter.finish(sum(sent))
    rate = received / (counter.last - started)
    return {"events_per_s": round(rate), "sent": sum(sent), "lost": sum(sent) - received}


def paced(pairs: list[Pair], rate: int, seconds: float) -> int:
    """Send in turn at `rate` events per second; return the number of lost events."""
    counter = Counter(pairs)
    started = time.perf_counter()
    total = round(rate * seconds)
    for n in range(total):
        ahead = started + n / rate - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)
        pair = pairs[n % len(pairs)]
        pair.sender.send(pair.frame)
    return total - counter.finish(total)


def highest_pace(pairs: list[Pair], seconds: float, step: int = 1000, limit: int = 8000) -> int:
    """Return the highest multiple of `step` events per second without loss."""
    rate = 0
    while rate < limit and paced(pairs, rate + step, seconds) == 0:
        rate += step
    return rate


def delays(pair: Pair, count: int) -> dict[str, int]:
    """Return the microseconds from sending to receiving, with one event at a time."""
    found = []
    for _ in range(count):
        started = time.perf_counter()
        pair.sender.send(pair.frame)
        if pair.receiver.recv(1.0) is not None:
            found.append((time.perf_counter() - started) * 1e6)
        time.sleep(0.002)
    found.sort()
    p50, p99 = found[len(found) // 2], found[int(len(found) * 0.99)]
    return {"p50": round(p50), "p99": round(p99), "received": len(found), "hops": len(pair.flows)}


def stale_after_barrier(fabric: Fabric, pair: Pair, count: int) -> int:
    """Count events that match the old entry although they follow the barrier of the new one."""
    flow = pair.flows[pair.last_switch]
    drop = flow.partition("actions=")[0] + "actions=drop"
    stale = 0
    for n in range(count):
        fabric.ofctl(pair.last_switch, "add-flow", flow if n % 2 else drop)
        pair.sender.send(pair.frame)
        arrived = pair.receiver.recv(1.0 if n % 2 else 0.05) is not None
        stale += arrived != bool(n % 2)
    return stale


def measure(topology: dict[str, Any], links: str, seconds: float) -> dict[str, Any]:
    """Measure all figures for a kind of link."""
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="bench-") as folder:
        for cache in (False, True):
            fabric = Fabric(Path(folder) / "f", topology, links=links, flow_cache=cache)
            started = time.perf_counter()
            fabric.start()
            begun = time.perf_counter() - started
            try:
                figures = _figures(fabric, topology, seconds)
            finally:
                started = time.perf_counter()
                fabric.stop()
            figures["start_s"], figures["stop_s"] = round(begun, 3), round(time.perf_counter() - started, 3)
            result["flow_cache" if cache else "no_flow_cache"] = figures
    return result


def _figures(fabric: Fabric, topology: dict[str, Any], seconds: float) -> dict[str, Any]:
    names = [host["id"] for host in topology["hosts"]]
    sources, last = names[: len(names) // 2], names[-1]
    first, *others = (Pair(fabric, topology, source, last, 0x100 + n) for n, source in enumerate(sources))
    fan_in = [first, *(other.share_receiver(first) for other in others)]
    result: dict[str, Any] = {
        "delay_us": delays(fan_in[0], 500),
        "one_port": flat_out(fan_in[:1], seconds),
        "fan_in_without_loss_events_per_s": highest_pace(fan_in, seconds),
        "stale_of_200_after_barrier": stale_after_barrier(fabric, fan_in[0], 200),
    }
    for pair in fan_in:
        pair.close()
    count = len(sources)
    spread = [Pair(fabric, topology, names[n], names[count + n], 0x200 + n) for n in range(count)]
    result["all_ports"] = {**flat_out(spread, seconds), "publishers": count}
    for pair in spread:
        pair.close()
    return result


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure what the embedded fabric carries.")
    parser.add_argument("--topology", default="abilene")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    args = parser.parse_args()
    topology = load(args.topology)
    report = {
        "machine": {
            "cpus": os.cpu_count(),
            "system": platform.release(),
            "python": platform.python_version(),
        },
        "topology": {kind: len(topology[kind]) for kind in ("switches", "links", "hosts")},
        "payload_bytes": PAYLOAD,
        "patch": measure(topology, "patch", args.seconds),
        "joined": measure(topology, "joined", args.seconds),
    }
    json.dump(report, sys.stdout, indent=2)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
