"""A small, strict OpenFlow 1.3 switch, for faults that real switches do not show on demand.

It shares no code with the controller. It refuses what the standard lets a switch refuse: a match without its
prerequisite, bits outside of a mask, an overlapping entry with the same priority, an action that the match
does not permit, a full table. `complaint` has the protocol error of the controller, if there is one.
"""

from __future__ import annotations

import socket
import ssl
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, FEATURES_REQUEST, FEATURES_REPLY = 0, 1, 2, 3, 5, 6
EXPERIMENTER, ONF, BUNDLE_CONTROL, BUNDLE_ADD = 4, 0x4F4E4600, 2300, 2301
OPEN, COMMIT, DISCARD = 0, 4, 6
BAD_ID, MSG_FAILED, BAD_EXPERIMENTER = 2302, 2313, (1, 3)
PACKET_IN, PORT_STATUS, PACKET_OUT, FLOW_MOD, MULTIPART_REQUEST, MULTIPART_REPLY = 10, 12, 13, 14, 18, 19
BARRIER_REQUEST, BARRIER_REPLY = 20, 21
DESC, FLOW, AGGREGATE, PORT_STATS, PORT_DESC = 0, 1, 2, 4, 13
ANY = 0xFFFFFFFF
FIELD_SIZE = {0: 4, 3: 6, 5: 2, 12: 4, 27: 16}
PREREQUISITE = {12: 0x0800, 27: 0x86DD}
TABLE_FULL, OVERLAP = (5, 1), (5, 3)
BAD_PREREQ, BAD_VALUE, BAD_FIELD, DUP_FIELD = (4, 9), (4, 7), (4, 6), (4, 10)
INCONSISTENT, BAD_OUT_PORT = (2, 10), (2, 4)


Masks = tuple[tuple[int, int], ...]
Values = tuple[int, ...]


class Refusal(Exception):
    """The switch answers with this (type, code)."""


@dataclass
class Flow:
    """An entry: match as field -> (value, mask), its original bytes, and its instructions."""

    match: dict[int, tuple[int, int]]
    match_bytes: bytes
    priority: int
    cookie: int
    instructions: bytes


@dataclass
class Faults:
    """Faults of the switch, and when they occur."""

    capacity: int | None = None
    refuse: Callable[[dict[int, tuple[int, int]]], tuple[int, int] | None] = lambda match: None
    silent_barriers: bool = False
    late_errors: bool = False
    cut_after_flow_mods: int | None = None
    cut_at_part: int | None = None
    part_size: int = 60_000
    deaf: bool = False
    mute: frozenset[int] = frozenset()
    endless: dict[int, tuple[bytes, float]] = field(default_factory=dict)
    """Part that it repeats without end in answer to a question, and the seconds between two parts."""
    bundles: str = "known"
    """`known`, `refused`, or `ignored`."""
    cut_at_commit: str | None = None
    """`before` or `after` the bundle takes effect."""
    expired_bundles: int = 0
    """Number of commits that find their bundle expired."""
    at_commit: Callable[[], None] = lambda: None
    features: dict[int, list[bytes]] = field(default_factory=dict)
    """Answers to questions for table, group and meter features; it refuses all others."""


class FakeSwitch:
    """A switch, served by a thread; `start` connects, `stop` disconnects."""

    def __init__(
        self,
        port: int,
        dpid: int,
        ports: Iterable[int] = (1, 2, 3, 4),
        *,
        version: int = 4,
        log: Any = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.controller = ("127.0.0.1", port)
        self.dpid = dpid
        self.version = version
        self.tls = tls
        self.faults = Faults()
        self.ports = dict.fromkeys(ports, True)
        self._groups: dict[tuple[int, Masks], dict[Values, Flow]] = {}
        self.log: list[tuple[int, str, Any]] = [] if log is None else log
        self.complaint: str | None = None
        self.closed = threading.Event()
        self.sent: Callable[[FakeSwitch, int, bytes], None] = lambda switch, port, frame: None
        self._flow_mods = 0
        self._lock = threading.Lock()
        self._late: list[bytes] = []
        self.answer_after = 0.0
        """Seconds before each answer to a question."""
        self._bundles: dict[int, tuple[int, list[tuple[int, bytes, bytes]]]] = {}
        self.commits: list[int] = []
        """Number of messages in each bundle that took effect."""

    # Connection

    def start(self) -> FakeSwitch:
        self.closed.clear()
        self.socket = socket.create_connection(self.controller, 10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.tls is not None:
            self.socket = self.tls.wrap_socket(self.socket)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        bitmap = struct.pack("!HHI", 1, 8, 1 << self.version)
        try:
            self._send(HELLO, bitmap if self.version > 1 else b"", 1)
        finally:
            self._thread.start()  # two threads must not use a TLS socket at the same time
        return self

    def stop(self) -> None:
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(5)

    def _serve(self) -> None:
        stream = self.socket.makefile("rb")
        try:
            while len(header := stream.read(8)) == 8:
                version, kind, length, xid = struct.unpack("!BBHI", header)
                body = stream.read(length - 8)
                if len(body) < length - 8:
                    break
                self._on_message(version, kind, body, xid)
        except OSError:
            pass
        finally:
            stream.close()
            self.socket.close()
            self.closed.set()

    def _send(self, kind: int, body: bytes, xid: int) -> None:
        with self._lock:
            self.socket.sendall(struct.pack("!BBHI", self.version, kind, 8 + len(body), xid) + body)

    def _refuse(self, refusal: tuple[int, int], original: bytes, xid: int) -> None:
        self._send(ERROR, struct.pack("!HH", *refusal) + original[:64], xid)

    # Messages that the switch sends without a request

    def packet_in(self, port: int, frame: bytes, cookie: int = 0x7EC0A57E00000004) -> None:
        match = struct.pack("!HHII", 1, 12, 0x80000004, port) + bytes(4)
        head = struct.pack("!IHBBQ", ANY, len(frame), 1, 0, cookie)
        self._send(PACKET_IN, head + match + b"\0\0" + frame, 0)

    def port_status(self, port: int, up: bool, reason: int = 2) -> None:
        self.ports[port] = up
        self._send(PORT_STATUS, struct.pack("!B7x", reason) + self._port(port), 0)
        if reason == 1:
            del self.ports[port]

    def send_raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    # Messages that change the switch

    def _on_message(self, version: int, kind: int, body: bytes, xid: int) -> None:
        original = struct.pack("!BBHI", version, kind, 8 + len(body), xid) + body
        if self.faults.deaf and kind not in (HELLO, FEATURES_REQUEST):
            return
        if kind == HELLO:
            return
        if version != self.version:
            if kind != ERROR:
                self.complaint = f"version {version}, type {kind}"
            return
        if kind == ECHO_REQUEST:
            self._send(ECHO_REPLY, body, xid)
        elif kind == FEATURES_REQUEST:
            self._send(FEATURES_REPLY, self._features(), xid)
        elif kind == FLOW_MOD:
            self._on_flow_mod(body, original, xid)
        elif kind == EXPERIMENTER:
            self._on_experimenter(body, original, xid)
        elif kind == BARRIER_REQUEST:
            self._on_barrier(xid)
        elif kind == MULTIPART_REQUEST:
            self._on_multipart(body, original, xid)
        elif kind == PACKET_OUT:
            self._on_packet_out(body)
        elif kind != ERROR:
            self.complaint = f"unexpected message of type {kind}"

    def _features(self) -> bytes:
        if self.version == 1:
            return struct.pack("!QIB3xII", self.dpid, 256, 1, 0xC7, 0xFFF)
        return struct.pack("!QIBB2xII", self.dpid, 256, 2, 0, 0x47, 0)

    def _on_barrier(self, xid: int) -> None:
        if self.faults.silent_barriers:
            return
        self._send(BARRIER_REPLY, b"", xid)
        late, self._late = b"".join(self._late), []
        if late:
            threading.Timer(0.2, self.send_raw, [late]).start()

    def _on_flow_mod(self, body: bytes, original: bytes, xid: int) -> None:
        self._flow_mods += 1
        cut = self.faults.cut_after_flow_mods
        if cut is not None and self._flow_mods > cut:
            self.socket.shutdown(socket.SHUT_RDWR)
            return
        try:
            self._apply(body)
        except Refusal as refusal:
            pair = (refusal.args[0], refusal.args[1])
            if self.faults.late_errors:
                data = struct.pack("!HH", *pair) + original[:64]
                self._late.append(struct.pack("!BBHI", self.version, ERROR, 8 + len(data), xid) + data)
            else:
                self._refuse(pair, original, xid)

    def _on_experimenter(self, body: bytes, original: bytes, xid: int) -> None:
        experimenter, kind, bundle = struct.unpack_from("!III", body)
        if self.faults.bundles == "refused":
            self._refuse(BAD_EXPERIMENTER, original, xid)
        elif self.faults.bundles == "known":
            if experimenter != ONF or kind not in (BUNDLE_CONTROL, BUNDLE_ADD):
                self.complaint = f"experimenter {experimenter:#x}, message {kind}"
            elif kind == BUNDLE_ADD:
                self._on_bundle_add(bundle, body[12:], original, xid)
            else:
                self._on_bundle_control(bundle, *struct.unpack("!HH", body[12:]), original, xid)

    def _on_bundle_add(self, bundle: int, rest: bytes, original: bytes, xid: int) -> None:
        """Add a message; its own errors are refused now, and a full table at the commit."""
        padding, flags, version, kind, length, inner_xid = struct.unpack_from("!HHBBHI", rest)
        if (padding, flags, version, kind, length, inner_xid) != (0, 3, 4, FLOW_MOD, len(rest) - 4, xid):
            self.complaint = f"a message in a bundle with {padding, flags, version, kind, length, inner_xid}"
        if bundle not in self._bundles:
            self.complaint = f"a message for bundle {bundle}, which is not open"
            return
        body = rest[12:]
        self._flow_mods += 1
        if self._flow_mods > (self.faults.cut_after_flow_mods or self._flow_mods):
            self.socket.shutdown(socket.SHUT_RDWR)
            return
        try:
            match, _, behind = self._parse_match(body, 40)
            self._check_instructions(match, body[behind:])
        except Refusal as refusal:
            self._refuse((refusal.args[0], refusal.args[1]), original, xid)
            return
        self._bundles[bundle][1].append((xid, body, original))

    def _on_bundle_control(self, bundle: int, act: int, flags: int, original: bytes, xid: int) -> None:
        if act == OPEN:
            if bundle in self._bundles:
                self.complaint = f"bundle {bundle} opened twice"
            self._bundles[bundle] = (flags, [])
        elif act in (COMMIT, DISCARD) and bundle in self._bundles:
            opened, messages = self._bundles.pop(bundle)
            if act == COMMIT and opened != flags:
                self.complaint = f"bundle {bundle} opened with flags {opened}, committed with {flags}"
            if act == COMMIT and not self._commit(messages, original, xid):
                return
        else:
            self.complaint = f"act {act} on bundle {bundle}"
            return
        self._send(EXPERIMENTER, struct.pack("!IIIHH", ONF, BUNDLE_CONTROL, bundle, act + 1, 0), xid)

    def _commit(self, messages: list[tuple[int, bytes, bytes]], original: bytes, xid: int) -> bool:
        """Apply all messages or none; return whether to confirm the commit."""
        self.faults.at_commit()
        if self.faults.cut_at_commit == "before":
            self.socket.shutdown(socket.SHUT_RDWR)
            return False
        if self.faults.expired_bundles:
            self.faults.expired_bundles -= 1
            self._refuse_bundle(BAD_ID, original, xid)
            return False
        log, before = self.log, {place: dict(group) for place, group in self._groups.items()}
        self.log = []
        for inner_xid, body, carrier in messages:
            try:
                self._apply(body)
            except Refusal as refusal:
                self._groups, self.log = before, log
                self._refuse((refusal.args[0], refusal.args[1]), carrier, inner_xid)
                self._refuse_bundle(MSG_FAILED, original, xid)
                return False
        log += self.log
        self.log = log
        self.commits.append(len(messages))
        if self.faults.cut_at_commit == "after":
            self.socket.shutdown(socket.SHUT_RDWR)
            return False
        return True

    def _refuse_bundle(self, code: int, original: bytes, xid: int) -> None:
        self._send(ERROR, struct.pack("!HHI", 0xFFFF, code, ONF) + original[:64], xid)

    def _apply(self, body: bytes) -> None:
        cookie, mask, table, command, idle, hard, priority, buffer, _, _, flags = struct.unpack_from(
            "!QQBBHHHIIIH", body
        )
        if (table, idle, hard, buffer, flags) != (
            0 if command == 0 else table,
            0,
            0,
            ANY,
            0,
        ) or command not in (0, 3, 4):
            self.complaint = f"flow-mod with table {table}, command {command}, flags {flags}"
        match, match_bytes, behind = self._parse_match(body, 40)
        instructions = body[behind:]
        masks, values = signature(match)
        group = self._groups.setdefault((priority, masks), {})
        same = group.get(values)
        if command in (3, 4):
            if not mask:
                self.complaint = "a deletion without a cookie mask"
            if command == 3:
                self._delete_all(match, cookie, mask)
            elif same is not None and same.cookie & mask == cookie & mask:
                del group[values]
            self.log.append((self.dpid, "remove", match))
            return
        refusal = self.faults.refuse(match)
        if refusal:
            raise Refusal(*refusal)
        self._check_instructions(match, instructions)
        if same is None:
            if (
                self.faults.capacity is not None
                and sum(map(len, self._groups.values())) >= self.faults.capacity
            ):
                raise Refusal(*TABLE_FULL)
            if any(overlap(flow.match, match) for flow in self._others(priority, masks)):
                raise Refusal(*OVERLAP)
        group[values] = Flow(match, match_bytes, priority, cookie, instructions)
        self.log.append((self.dpid, "add", match))

    def _delete_all(self, match: dict[int, tuple[int, int]], cookie: int, mask: int) -> None:
        for group in self._groups.values():
            for values, flow in list(group.items()):
                if flow.cookie & mask == cookie & mask and all(
                    inside(flow.match, n, v) for n, v in match.items()
                ):
                    del group[values]

    def _others(self, priority: int, masks: Masks) -> list[Flow]:
        """Return entries of a priority with other masks; with equal masks, only equal entries overlap."""
        return [
            flow
            for (level, other), group in self._groups.items()
            if level == priority and other != masks
            for flow in group.values()
        ]

    @property
    def table(self) -> list[Flow]:
        return [flow for group in self._groups.values() for flow in group.values()]

    def _parse_match(self, body: bytes, start: int) -> tuple[dict[int, tuple[int, int]], bytes, int]:
        kind, length = struct.unpack_from("!HH", body, start)
        behind = start + (length + 7) // 8 * 8
        if kind != 1 or any(body[start + length : behind]):
            self.complaint = "a match that is not OXM, or padding that is not zero"
        found: dict[int, tuple[int, int]] = {}
        at = start + 4
        while at < start + length:
            oxm_class, field_mask, size = struct.unpack_from("!HBB", body, at)
            number, masked = field_mask >> 1, field_mask & 1
            width = FIELD_SIZE.get(number)
            if oxm_class != 0x8000 or width is None or size != width * (1 + masked):
                raise Refusal(*BAD_FIELD)
            value = int.from_bytes(body[at + 4 : at + 4 + width], "big")
            full = (1 << 8 * width) - 1
            mask = int.from_bytes(body[at + 4 + width : at + 4 + size], "big") if masked else full
            if number in found:
                raise Refusal(*DUP_FIELD)
            if value & ~mask or (masked and mask in (0, full)):
                raise Refusal(*BAD_VALUE)
            if number in PREREQUISITE and found.get(5) != (PREREQUISITE[number], 0xFFFF):
                raise Refusal(*BAD_PREREQ)
            found[number] = (value, mask)
            at += 4 + size
        return found, body[start:behind], behind

    def _check_instructions(self, match: dict[int, tuple[int, int]], data: bytes) -> None:
        if not data:
            return
        kind, length = struct.unpack_from("!HH", data)
        if kind != 4 or length != len(data) or length % 8:
            self.complaint = f"instruction {kind} of length {length} in {len(data)}"
        at = 8
        while at < length:
            action, size = struct.unpack_from("!HH", data, at)
            if size % 8 or not size:
                self.complaint = f"action of length {size}"
                return
            if action == 0:
                (port,) = struct.unpack_from("!I", data, at + 4)
                if not port or (port > 0xFFFFFF00 and port not in (0xFFFFFFF8, 0xFFFFFFFD)):
                    raise Refusal(*BAD_OUT_PORT)
            elif action == 25:
                number = data[at + 6] >> 1
                needed = PREREQUISITE.get(number)
                if needed and match.get(5) != (needed, 0xFFFF):
                    raise Refusal(*INCONSISTENT)
            else:
                self.complaint = f"action {action}"
            at += size

    # Questions to the switch

    def _on_multipart(self, body: bytes, original: bytes, xid: int) -> None:
        kind, _ = struct.unpack_from("!HH", body)
        rest = body[8:]
        time.sleep(self.answer_after)
        if kind in self.faults.mute:
            return
        if kind in self.faults.endless:
            self._repeat(kind, *self.faults.endless[kind], xid)
        elif kind == DESC:
            self._reply(kind, [struct.pack("!256s256s256s32s256s", b"fake", b"fake", b"1", b"7", b"")], xid)
        elif kind == PORT_DESC:
            self._reply(kind, [self._port(number) for number in self.ports], xid)
        elif kind == PORT_STATS:
            rows = [struct.pack("!I4x12QII", n, *range(12), 0, 0) for n in self.ports]
            self._reply(kind, rows, xid)
        elif kind == FLOW:
            self._reply(kind, [self._flow(flow) for flow in self._asked(rest)], xid)
        elif kind == AGGREGATE:
            self._reply(kind, [struct.pack("!QQI4x", 0, 0, len(self._asked(rest)))], xid)
        elif kind in self.faults.features:
            self._reply(kind, self.faults.features[kind], xid)
        else:
            self._refuse((1, 2), original, xid)

    def _repeat(self, kind: int, item: bytes, pause: float, xid: int) -> None:
        """Send parts without end, until the controller closes the connection."""
        while True:
            self._send(MULTIPART_REPLY, struct.pack("!HH4x", kind, 1) + item, xid)
            time.sleep(pause)

    def _asked(self, rest: bytes) -> list[Flow]:
        _, _, _, cookie, mask = struct.unpack_from("!B3xII4xQQ", rest)
        wanted, _, _ = self._parse_match(rest, 32)
        return [
            flow
            for flow in self.table
            if flow.cookie & mask == cookie & mask
            and all(inside(flow.match, n, v) for n, v in wanted.items())
        ]

    def _reply(self, kind: int, items: list[bytes], xid: int) -> None:
        """Send parts of at most `part_size` bytes, as the standard requires for more than 64 KiB."""
        parts: list[list[bytes]] = [[]]
        size = 0
        for item in items:
            if parts[-1] and size + len(item) > self.faults.part_size:
                parts.append([])
                size = 0
            parts[-1].append(item)
            size += len(item)
        for n, part in enumerate(parts):
            if n == self.faults.cut_at_part and kind == FLOW:
                self.socket.shutdown(socket.SHUT_RDWR)
                return
            more = n < len(parts) - 1
            self._send(MULTIPART_REPLY, struct.pack("!HH4x", kind, more) + b"".join(part), xid)

    def _flow(self, flow: Flow) -> bytes:
        length = 48 + len(flow.match_bytes) + len(flow.instructions)
        head = struct.pack("!HBxIIHHHH4xQQQ", length, 0, 1, 0, flow.priority, 0, 0, 0, flow.cookie, 5, 500)
        return head + flow.match_bytes + flow.instructions

    def _port(self, number: int) -> bytes:
        mac = bytes((2, 0)) + (self.dpid & 0xFFFF).to_bytes(2, "big") + number.to_bytes(2, "big")
        state = 0 if self.ports[number] else 1
        name = f"p{number}".encode()
        return struct.pack("!I4x6s2x16sIIIIIIII", number, mac, name, 0, state, 0, 0, 0, 0, 0, 0)

    def _on_packet_out(self, body: bytes) -> None:
        _, _, length = struct.unpack_from("!IIH", body)
        frame = body[16 + length :]
        for at in range(16, 16 + length, 16):
            (port,) = struct.unpack_from("!I", body, at + 4)
            self.sent(self, port, frame)

    # Methods for tests

    @property
    def flow_mods(self) -> int:
        """Count the flow-mods that it has received since its creation, including those of its set-up."""
        return self._flow_mods

    def own(self, kind: int = 1) -> list[Flow]:
        return [flow for flow in self.table if flow.cookie == 0x7EC0A57E << 32 | kind]

    def take(self, flow: Flow) -> None:
        """Remove an entry without the controller."""
        masks, values = signature(flow.match)
        del self._groups[flow.priority, masks][values]

    def insert(self, flow: Flow, match: dict[int, tuple[int, int]]) -> None:
        """Add an entry with a match without the controller."""
        flow.match = match
        masks, values = signature(match)
        self._groups.setdefault((flow.priority, masks), {})[values] = flow

    @property
    def reserved(self) -> int:
        """Count the entries that are not content entries."""
        return len(self.table) - len(self.own())

    def put(self, cookie: int, priority: int, dst: int, length: int) -> Flow:
        """Add an IPv6 entry of another owner without the controller."""
        mask = (1 << 128) - (1 << 128 - length)
        plain = length == 128
        oxm = struct.pack("!HBBH", 0x8000, 5 << 1, 2, 0x86DD)
        oxm += struct.pack("!HBB", 0x8000, 27 << 1 | (not plain), 16 if plain else 32)
        oxm += dst.to_bytes(16, "big") + (b"" if plain else mask.to_bytes(16, "big"))
        raw = struct.pack("!HH", 1, 4 + len(oxm)) + oxm
        flow = Flow({5: (0x86DD, 0xFFFF), 27: (dst, mask)}, raw + bytes(-len(raw) % 8), priority, cookie, b"")
        masks, values = signature(flow.match)
        self._groups.setdefault((priority, masks), {})[values] = flow
        return flow


def signature(match: dict[int, tuple[int, int]]) -> tuple[Masks, Values]:
    fields = sorted(match.items())
    return tuple((n, mask) for n, (_, mask) in fields), tuple(value for _, (value, _) in fields)


def overlap(a: dict[int, tuple[int, int]], b: dict[int, tuple[int, int]]) -> bool:
    """Whether one packet can match both."""
    return all((a[n][0] ^ b[n][0]) & a[n][1] & b[n][1] == 0 for n in a.keys() & b.keys())


def inside(match: dict[int, tuple[int, int]], number: int, wanted: tuple[int, int]) -> bool:
    if number not in match:
        return False
    value, mask = match[number]
    return mask & wanted[1] == wanted[1] and value & wanted[1] == wanted[0]


@dataclass
class FakeNetwork:
    """Fake switches of one controller, and segments that forward frames between their ports."""

    port: int
    switches: list[FakeSwitch] = field(default_factory=list)
    log: list[tuple[int, str, Any]] = field(default_factory=list)
    segments: list[set[tuple[int, int]]] = field(default_factory=list)
    frames: dict[tuple[int, int], bytes] = field(default_factory=dict)
    """The last frame that each port sent."""
    sent: deque[tuple[tuple[int, int], bytes]] = field(default_factory=lambda: deque(maxlen=10_000))
    """The frames of all ports in their order, probes included."""

    def __enter__(self) -> FakeNetwork:
        return self

    def __exit__(self, *_: object) -> None:
        for switch in self.switches:
            switch.stop()

    def make(self, dpid: int, ports: Iterable[int] = (1, 2, 3, 4), **options: Any) -> FakeSwitch:
        """Create a switch that is not connected yet."""
        switch = FakeSwitch(self.port, dpid, ports, log=self.log, **options)
        switch.sent = self._carry
        self.switches.append(switch)
        return switch

    def add(self, dpid: int, ports: Iterable[int] = (1, 2, 3, 4), **options: Any) -> FakeSwitch:
        return self.make(dpid, ports, **options).start()

    def join(self, *ends: tuple[int, int]) -> None:
        """Connect two ports with a cable, or several ports with a hub."""
        self.segments.append(set(ends))

    def part(self, end: tuple[int, int]) -> None:
        self.segments = [segment for segment in self.segments if end not in segment]

    def _carry(self, switch: FakeSwitch, port: int, frame: bytes) -> None:
        sender = (switch.dpid, port)
        self.frames[sender] = frame
        self.sent.append((sender, frame))
        for segment in list(self.segments):
            if sender in segment:
                for dpid, number in segment - {sender}:
                    self._deliver(dpid, number, frame)

    def _deliver(self, dpid: int, number: int, frame: bytes) -> None:
        for switch in self.switches:
            if switch.dpid == dpid and not switch.closed.is_set() and switch.ports.get(number):
                with suppress(OSError, AttributeError):
                    switch.packet_in(number, frame)
