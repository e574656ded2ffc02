"""Measure the cost of the source check: entries of a host port, and delays with and without it.

    python tests/benchmarks/bench_sources.py [--events 2000] [--rounds 5] [-o FILE]

A real controller writes the entries into a private Open vSwitch. Events go from host to host one at a time.
Rounds with and without the check alternate, so that both have the same conditions. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx

from mininet_labs.fabric import Fabric, FrameSocket, probe

ROOT = Path(__file__).resolve().parents[2]
DPID = f"{1:016x}"
HOSTS = [
    {"id": f"h{n}", "switch": "s1", "port": n, "ip": f"fd00::{n}", "mac": f"02:00:00:00:00:0{n}"}
    for n in (1, 2)
]
TOPOLOGY: dict[str, Any] = {"switches": [{"id": "s1", "dpid": DPID}], "links": [], "hosts": HOSTS}
TOKEN = "a-token-for-the-benchmark-of-sources"
ADDRESS = "ff0e:4::1"
CHECK = "cookie=0x7ec0a57e00000005/-1"
WAIT_S = 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--events", type=int, default=2000, help="events per round (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds with and without check (%(default)s)")
    parser.add_argument("-o", "--output", type=Path, help="also write the JSON to this file")
    options = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="tb-", dir="/tmp"))
    try:
        text = json.dumps(measure(folder, options.events, options.rounds), indent=2)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(text)
    if options.output is not None:
        options.output.write_text(text + "\n")
    return 0


def measure(folder: Path, events: int, rounds: int) -> dict[str, Any]:
    """Return entries of a host port, delays in microseconds, and their ratio."""
    entries = 0
    delays: dict[str, list[float]] = {"without": [], "with": []}
    with (
        _controller(folder) as (openflow, northbound),
        Fabric(folder / "f", TOPOLOGY, [openflow]) as fabric,
        httpx.Client(base_url=northbound, headers={"Authorization": f"Bearer {TOKEN}"}) as client,
    ):
        _await_switch(client)
        _post(client, "/v1/changes", {"id": "bench", "switches": [{"dpid": DPID, "add": [_content()]}]})
        for _ in range(rounds):
            for name, values in delays.items():
                _post(client, "/v1/sources", _check(on=name == "with"))
                entries = max(entries, fabric.ofctl("s1", "dump-flows", CHECK).count("cookie="))
                values += _delays(fabric, events)
    medians = {name: median(values) for name, values in delays.items()}
    return {
        "events": events * rounds,
        "entries_of_a_host_port": entries / len(HOSTS),
        **{f"delay_us_{name}_check": _summary(values) for name, values in delays.items()},
        "ratio_of_medians": round(medians["with"] / medians["without"], 3),
    }


def _delays(fabric: Fabric, events: int) -> list[float]:
    """Return the microseconds from sending to receiving, with one event at a time."""
    found: list[float] = []
    with (
        FrameSocket(fabric.host_socket("h1")) as sender,
        FrameSocket(fabric.host_socket("h2")) as receiver,
    ):
        for number in range(events):
            payload = f"event {number}".encode()
            frame = probe.event_frame(HOSTS[0], ADDRESS, payload)
            begin = time.perf_counter()
            sender.send(frame)
            while True:
                received = receiver.recv(WAIT_S)
                if received is None:
                    raise SystemExit(f"event {number} did not arrive within {WAIT_S:g} s")
                if probe.event_payload(HOSTS[1], received) == payload:
                    break
            found.append((time.perf_counter() - begin) * 1e6)
    return found


def _summary(values: Sequence[float]) -> dict[str, float]:
    return {"p50": round(median(values), 1), "p99": round(quantiles(values, n=100)[98], 1)}


def _content() -> dict[str, Any]:
    actions = [{"set_dst": {"ip": HOSTS[1]["ip"], "mac": HOSTS[1]["mac"]}}, {"output": 2}]
    return {"dst": "ff0e:4::/32", "priority": 18, "actions": actions}


def _check(on: bool) -> dict[str, Any]:
    sources = [{key: host[key] for key in ("port", "ip", "mac")} for host in HOSTS]
    check = {"check": True, "links": [], "sources": sources} if on else {"check": False}
    return {"switches": [{"dpid": DPID, "version": "on" if on else "off", **check}]}


def _post(client: httpx.Client, path: str, body: dict[str, Any]) -> None:
    answer = client.post(path, json=body)
    answer.raise_for_status()
    (row,) = answer.json()["switches"]
    if row["state"] != "confirmed":
        raise SystemExit(f"{path}: {row}")


def _await_switch(client: httpx.Client) -> None:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            if client.get("/v1/switches").json():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise SystemExit("the switch has not connected to the controller")


@contextmanager
def _controller(folder: Path) -> Iterator[tuple[str, str]]:
    """Run a controller in a separate process; yield the target for switches and the northbound's URL."""
    openflow, northbound = f"127.0.0.1:{_free_port()}", f"127.0.0.1:{_free_port()}"
    token = folder / "token"
    token.write_text(TOKEN)
    command = [sys.executable, "-m", "controller_app", "--log-level", "error", "--token-file", str(token)]
    addresses = ["--openflow", openflow, "--northbound", northbound]
    process = subprocess.Popen([*command, *addresses], cwd=ROOT)
    try:
        yield f"tcp:{openflow}", f"http://{northbound}"
    finally:
        process.terminate()
        process.wait(WAIT_S)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


if __name__ == "__main__":
    raise SystemExit(main())
