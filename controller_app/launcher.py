"""Start and end of the controller: sockets first, then Ryu, then the northbound."""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import eventlet
import eventlet.wsgi

from controller_app import log_setup, ryu_api
from controller_app.controller import Controller
from controller_app.endpoints import Endpoints
from controller_app.errors import SettingError
from controller_app.northbound.routes import NorthboundApi
from controller_app.resource_shortage import PatientListener, run_forever
from controller_app.settings import ListenAddress, read_settings
from controller_app.switch import tls_channel
from controller_app.switch.connection import peer_text
from controller_app.switch.datapath_proof import Proofs
from controller_app.switch.message_guard import Guard

BACKLOG = 512
MAX_CLIENTS = 256
CLIENT_TIMEOUT = 60
ALLOCATIONS = 100_000
"""Container objects (created minus deleted) between two collections of the youngest generation."""

PATIENCE = 1.0
"""Seconds that a running change gets to end before the controller ends."""

log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the controller until a signal.

    Returns:
        The exit status: 0 after a signal, 1 if it cannot listen, 2 for a bad setting.
    """
    try:
        settings = read_settings(arguments)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        context = settings.tls.context() if settings.tls else None
        proofs = Proofs(settings.switch_proof, settings.switch_keys)
    except SettingError as error:
        print(error, file=sys.stderr)
        return 2
    log_setup.configure(settings.log_format, settings.log_level)
    _spare_collections()
    try:
        openflow = listen(settings.openflow, "--openflow")
        northbound = listen(settings.northbound, "--northbound")
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    _run(Controller(settings, proofs), openflow, northbound, context)
    return 0


def _spare_collections() -> None:
    """Collect garbage less often: a change makes thousands of objects, none in a cycle."""
    gc.freeze()
    gc.set_threshold(ALLOCATIONS, 20, 50)


def listen(address: ListenAddress, name: str) -> socket.socket:
    """Return a listening socket that no other process shares.

    Raises:
        OSError: The address cannot be used; the message names the setting.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
    except OSError as error:
        listener.close()
        remedy = f"set {name} to a free address of this machine"
        raise OSError(f"{name}: cannot listen at {address}: {error.strerror}; {remedy}.") from None
    listener.listen(BACKLOG)
    return listener


def _run(
    controller: Controller,
    openflow: socket.socket,
    northbound: socket.socket,
    context: ssl.SSLContext | None,
) -> None:
    wait_for_signal = _catch_signals()
    accept = partial(_accept, openflow, controller, context)
    manager = ryu_api.load(
        "controller_app.ryu_app",
        lambda: run_forever(accept, "switches", controller.peer_alarms.report_shortage),
        controller=controller,
    )
    controller.start()
    endpoints = Endpoints(openflow.getsockname()[:2], northbound.getsockname()[:2], context is not None)
    api = NorthboundApi(controller, endpoints)
    patient = PatientListener(northbound, "northbound", controller.peer_alarms.report_shortage)
    eventlet.spawn(
        run_forever, partial(_serve, patient, api), "northbound", controller.peer_alarms.report_shortage
    )
    places = {
        "openflow": peer_text(openflow.getsockname()),
        "northbound": peer_text(northbound.getsockname()),
        "library": ryu_api.LIBRARY,
        "tls": context is not None,
    }
    log.info("listening", extra={"fields": places})
    wait_for_signal()
    log.info("stopping")
    api.stopping = True
    _end(controller, manager)


def _catch_signals() -> Callable[[], None]:
    """Return a function that waits for SIGTERM or SIGINT.

    It reads a pipe, because a signal handler alone does not wake the hub of eventlet.
    """
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)

    def wait() -> None:
        os.read(reader, 1)

    return wait


def _end(controller: Controller, manager: Any) -> None:
    """Wait up to `PATIENCE` for the running change, then close every connection."""
    with eventlet.Timeout(PATIENCE, False):
        while controller.programmer.waiting:
            eventlet.sleep(0.02)
    controller.stop()
    with eventlet.Timeout(PATIENCE, False):
        ryu_api.unload(manager)


def _accept(listener: socket.socket, controller: Controller, context: ssl.SSLContext | None) -> None:
    """Accept switches, without end."""
    patient = PatientListener(listener, "switches", controller.peer_alarms.report_shortage)
    while True:
        peer, address = patient.accept()
        refusal = controller.admission.refusal(address[0])
        if refusal is not None:
            peer.close()
            controller.peer_alarms.report_crowd(address[0], refusal)
            eventlet.sleep(0)
            continue
        ticket = controller.admission.enter(address[0])
        eventlet.spawn(_serve_peer, peer, address, controller, context, ticket)
        eventlet.sleep(0)


def _serve_peer(
    peer: socket.socket,
    address: tuple[Any, ...],
    controller: Controller,
    context: ssl.SSLContext | None,
    ticket: int,
) -> None:
    """Serve the connection of a peer until it ends."""
    try:
        _talk(peer, address, controller, context, ticket)
    finally:
        controller.admission.leave(ticket)


def _talk(
    peer: socket.socket,
    address: tuple[Any, ...],
    controller: Controller,
    context: ssl.SSLContext | None,
    ticket: int,
) -> None:
    channel: Any = peer
    certificate = None
    settings = controller.settings
    if context is not None:
        try:
            channel = tls_channel.greet(peer, context, 2 * settings.reply_timeout)
            certificate = tls_channel.certificate(channel)
        except tls_channel.Untrusted as error:
            controller.peer_alarms.report_untrusted(address, str(error))
            return
    crowd = controller.admission
    guard = Guard(channel, 2 * settings.reply_timeout, settings.bounds.ports, lambda: crowd.in_handshake)
    guard.ticket, guard.certificate = ticket, certificate
    broken = ryu_api.serve_connection(guard, address)
    if broken is not None:
        controller.peer_alarms.report_broken(address[0], broken)


def _serve(listener: PatientListener, api: NorthboundApi) -> None:
    """Serve the northbound until an error ends the server.

    The server closes its socket, so it gets a copy of the listener.
    """
    eventlet.wsgi.server(
        listener.dup(),
        api.application(),
        log=logging.getLogger("eventlet.wsgi"),
        log_output=False,
        max_size=MAX_CLIENTS,
        socket_timeout=CLIENT_TIMEOUT,
        keepalive=CLIENT_TIMEOUT,
        debug=False,
    )
