"""Static entries along a shortest path, and frames, to test a fabric."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.frames import FrameSocket
from mininet_labs.fabric.wiring import ReadOnlyObject
from tercast.wire import packets


def static_route(topology: ReadOnlyObject, source: str, target: str, dst: str) -> dict[str, str]:
    """Return an entry for each switch between two hosts, in `ovs-ofctl` syntax.

    Args:
        dst: The IPv6 prefix to match; the last switch rewrites the destination to the address of the target.
    """
    hosts = {host["id"]: host for host in topology["hosts"]}
    goal = hosts[target]
    hops = _shortest(topology, hosts[source]["switch"], goal["switch"])
    flows = {switch: f"ipv6,ipv6_dst={dst},actions=output:{port}" for switch, port in hops}
    rewrite = f"set_field:{goal['ip']}->ipv6_dst,set_field:{goal['mac']}->eth_dst"
    flows[goal["switch"]] = f"ipv6,ipv6_dst={dst},actions={rewrite},output:{goal['port']}"
    return flows


def event_frame(host: ReadOnlyObject, address: str, payload: bytes) -> bytes:
    """Return the frame that a publisher at `host` sends to a multicast address."""
    group = packets.pack_ip(address)
    ends = (packets.pack_mac(host["mac"]), packets.group_mac(group))
    ports = (packets.EVENT_PORT, packets.EVENT_PORT)
    return packets.udp_frame(ends, packets.pack_ip(host["ip"]), group, payload, ports)


def event_payload(host: ReadOnlyObject, frame: bytes) -> bytes | packets.Ignored:
    """Return the payload that a subscriber at `host` receives in a frame, or why there is none."""
    if frame[:6] != packets.pack_mac(host["mac"]):
        return packets.Ignored.OTHER_ADDRESS
    return packets.event_payload(frame, packets.pack_ip(host["ip"]), packets.EVENT_PORT)


def carry(
    sender: FrameSocket, receiver: FrameSocket, frames: Sequence[bytes], patience: float = 5.0
) -> list[bytes]:
    """Send frames and receive meanwhile; return the received frames.

    It ends when all frames have arrived, or none for `patience` seconds. A reader that starts after the last
    frame loses most of them, because the switch stores only few frames for a port.
    """
    received: list[bytes] = []
    for frame in frames:
        sender.send(frame)
        received += receiver.recv_batch()
    while len(received) < len(frames) and (late := receiver.recv(patience)) is not None:
        received.append(late)
    return received


def _shortest(topology: ReadOnlyObject, start: str, end: str) -> list[tuple[str, int]]:
    """Return the switches from `start` to `end` with their outgoing ports (breadth first)."""
    ways: dict[str, list[tuple[int, str]]] = {switch["id"]: [] for switch in topology["switches"]}
    for link in topology["links"]:
        ways[link["a"]].append((link["a_port"], link["b"]))
        ways[link["b"]].append((link["b_port"], link["a"]))
    came: dict[str, tuple[str, int]] = {start: ("", 0)}
    queue = deque([start])
    while queue and end not in came:
        here = queue.popleft()
        for port, there in ways[here]:
            if there not in came:
                came[there] = (here, port)
                queue.append(there)
    if end not in came:
        raise FabricError(f"{start} to {end}", "no path between them", "name switches that links connect")
    hops = []
    while end != start:
        end, port = came[end]
        hops.append((end, port))
    return hops[::-1]
