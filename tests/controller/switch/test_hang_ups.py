"""Peers that disconnect at each stage: no internal error is in an alarm, with or without TLS."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tercast.cli.certificate_authority import Identity, make_certificates
from tests.support.controller.controller_harness import Controller, eventually, running

HELLO = b"\x04\x00\x00\x08\x00\x00\x00\x01"
FEATURES = struct.pack("!BBHIQIBBHII", 4, 6, 32, 2, 0xABC, 0, 254, 0, 0, 0, 0)
GARBAGE = {
    "text": b"GET / HTTP/1.1\r\nHost: controller\r\n\r\n",
    "zeros": bytes(64),
    "cut off": b"\x04\x06\x00\x0a\x00\x00\x00\x01\x00\x00",
    "wrong length": b"\x04\x00\x00\x02\x00\x00\x00\x01" * 4,
    "bad hello": b"\x04\x00\x00\x10\x00\x00\x00\x01\x00\x01\xff\xff\x00\x00\x00\x00",
    "bad features": b"\x04\x06\x00\x09\x00\x00\x00\x01\x00",
    "unknown type": b"\x04\xff\x00\x08\x00\x00\x00\x01",
    "unknown version": b"\x63\x00\x00\x08\x00\x00\x00\x01",
}
Channel = socket.socket
Peer = Callable[[Channel], None]


def reset(channel: Channel) -> None:
    """Close with a reset instead of an orderly end."""
    channel.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    channel.close()


def said(*data: bytes) -> Peer:
    def peer(channel: Channel) -> None:
        for one in data:
            channel.sendall(one)

    return peer


def hears_all(channel: Channel) -> None:
    """Close only the sending side, and read until the controller closes."""
    channel.sendall(HELLO)
    socket.socket.shutdown(channel, socket.SHUT_WR)
    channel.settimeout(30)
    try:
        while channel.recv(4096):
            pass
    except (ConnectionError, ssl.SSLError):
        return


STAGES: dict[str, Peer] = {
    "before hello": said(),
    "after hello": said(HELLO),
    "in a message": said(HELLO, FEATURES[:20]),
    "after features": said(HELLO, FEATURES),
    "half open": hears_all,
    **{f"garbage: {name}": said(data) for name, data in GARBAGE.items()},
    **{f"garbage after hello: {name}": said(HELLO, data) for name, data in GARBAGE.items()},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder, ["controller", "switches"])
    return folder


@pytest.fixture(scope="module", params=["tls", "tcp"])
def served(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[Controller, Path | None]]:
    """Yield a controller, and the folder of its peers' certificates if they need some."""
    own = Identity.of(folder, "controller")
    names = ("--tls-certificate", "--tls-key", "--tls-authority")
    files = (own.certificate, own.key, own.authority)
    pairs = zip(names, files, strict=True) if request.param == "tls" else ()
    options = [str(word) for pair in pairs for word in pair]
    with running(folder, *options, "--reply-timeout", "1") as controller:
        controller.dpids()  # the northbound has its descriptors when it answers
        yield controller, folder if request.param == "tls" else None


def connect(controller: Controller, folder: Path | None) -> Channel:
    plain = socket.create_connection(("127.0.0.1", controller.openflow))
    if folder is None:
        return plain
    files = Identity.of(folder, "switches")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(files.authority)
    context.load_cert_chain(files.certificate, files.key)
    return context.wrap_socket(plain)


def details(controller: Controller) -> list[str]:
    return [f"{row['alarm']}: {row['detail']}" for row in controller.get("/v1/alarms")]


def check_words(controller: Controller) -> None:
    """Check texts for users: no names of exceptions or attributes, and no traceback in the log."""
    text = "\n".join(details(controller))
    for word in ("Error", "object has no", "Traceback", "GreenSocket", "(b'", "None"):
        assert word not in text, text
    log = controller.log_path.read_text()
    assert "Traceback" not in log and "GreenSocket" not in log, log


ENDS: dict[str, Peer] = {"close": Channel.close, "reset": reset}
CASES = [(stage, end) for stage in STAGES for end in ENDS if end == "close" or "garbage" not in stage]


@pytest.mark.parametrize(("stage", "end"), CASES)
def test_a_peer_that_hangs_up_is_forgotten(served, stage: str, end: str) -> None:
    controller, folder = served
    before = controller.descriptors()
    channel = connect(controller, folder)
    with contextlib.suppress(ConnectionError, ssl.SSLError):  # the controller may disconnect it meanwhile
        STAGES[stage](channel)
    ENDS[end](channel)
    assert eventually(lambda: controller.descriptors() <= before, 20), controller.log_path.read_text()
    assert controller.dpids() == set()
    check_words(controller)


def test_only_a_peer_that_hangs_up_in_the_greeting_raises_an_alarm(folder: Path) -> None:
    """A later disconnection is not a fault, whatever the peer has sent before."""
    own = Identity.of(folder, "controller")
    options = ("--tls-certificate", own.certificate, "--tls-key", own.key, "--tls-authority", own.authority)
    with running(folder, *map(str, options)) as controller:
        controller.dpids()  # the northbound has its descriptors when it answers
        before = controller.descriptors()
        for stage in ("before hello", "after hello", "in a message"):
            for leave in ENDS.values():
                channel = connect(controller, folder)
                STAGES[stage](channel)
                leave(channel)
        assert eventually(lambda: controller.descriptors() <= before)
        assert details(controller) == []
        for greeting in (b"", b"\x16\x03\x01\x02\x00\x01\x00"):  # the first bytes of a client's hello
            for leave in ENDS.values():
                plain = socket.create_connection(("127.0.0.1", controller.openflow))
                plain.sendall(greeting)
                leave(plain)
        assert eventually(lambda: sum(row["count"] for row in controller.get("/v1/alarms")) == 4)
        for detail in details(controller):
            assert "was refused: it disconnected during the TLS handshake" in detail
        check_words(controller)
