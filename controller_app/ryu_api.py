"""The only module that imports Ryu or os-ken: all that the controller uses of them.

Both libraries have the same modules in different packages. TERCAST_OPENFLOW_LIBRARY names the package: `ryu`
(the default) or `os_ken`. Ryu 4.34 imports `eventlet.wsgi.ALREADY_HANDLED`, which newer versions of eventlet
do not have, so it is defined first. os-ken uses eventlet only if OSKEN_HUB_TYPE requests it. The launcher
patches the standard library before it imports this module; this module patches nothing.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import eventlet
import eventlet.wsgi

from controller_app.openflow_library import read_library

log = logging.getLogger(__name__)

_TRANSPORT = (__name__, "controller_app.switch.tls_channel", "controller_app.switch.message_guard")
"""Modules between the library and the socket; they are in the traceback of every error."""

LIBRARY = read_library()

if not hasattr(eventlet.wsgi, "ALREADY_HANDLED"):
    eventlet.wsgi.ALREADY_HANDLED = object()
os.environ["OSKEN_HUB_TYPE"] = "eventlet"


def _part(name: str) -> Any:
    return import_module(f"{LIBRARY}.{name}")


cfg: Any = _part("cfg")
_part("log")  # registers the options that the other modules read
app_manager: Any = _part("base.app_manager")
controller: Any = _part("controller.controller")
ofp_event: Any = _part("controller.ofp_event")
ofp_handler: Any = _part("controller.ofp_handler")
_handler: Any = _part("controller.handler")
hub: Any = _part("lib.hub")
ofproto_parser: Any = _part("ofproto.ofproto_parser")
ofproto_v1_0: Any = _part("ofproto.ofproto_v1_0")
ofproto_v1_3: Any = _part("ofproto.ofproto_v1_3")
ofproto_v1_3_parser: Any = _part("ofproto.ofproto_v1_3_parser")
OFPUnknownVersion: type[Exception] = _part("exception").OFPUnknownVersion

CONFIG_DISPATCHER: str = _handler.CONFIG_DISPATCHER
DEAD_DISPATCHER: str = _handler.DEAD_DISPATCHER
HANDSHAKE_DISPATCHER: str = _handler.HANDSHAKE_DISPATCHER
MAIN_DISPATCHER: str = _handler.MAIN_DISPATCHER

__all__ = [
    "CONFIG_DISPATCHER",
    "DEAD_DISPATCHER",
    "HANDSHAKE_DISPATCHER",
    "LIBRARY",
    "MAIN_DISPATCHER",
    "OF10",
    "OF13",
    "AppBase",
    "Handler",
    "Queue",
    "QueueEmpty",
    "RawEntries",
    "RyuEvent",
    "Semaphore",
    "deadline",
    "error_names",
    "events",
    "handles",
    "kill",
    "load",
    "serve_connection",
    "sleep",
    "spawn",
    "unload",
]

OF10: int = ofproto_v1_0.OFP_VERSION
OF13: int = ofproto_v1_3.OFP_VERSION
MORE: int = ofproto_v1_3.OFPMPF_REPLY_MORE
PORT_DOWN: int = ofproto_v1_3.OFPPC_PORT_DOWN
LINK_DOWN: int = ofproto_v1_3.OFPPS_LINK_DOWN
PORT_DELETED: int = ofproto_v1_3.OFPPR_DELETE

RyuEvent = Any
Handler = TypeVar("Handler", bound=Callable[..., None])

events: Any = ofp_event
handles: Callable[[Any, Any], Callable[[Handler], Handler]] = _handler.set_ev_cls
AppBase: Any = app_manager.RyuApp if LIBRARY == "ryu" else app_manager.OSKenApp

Queue: Any = hub.Queue
QueueEmpty: type[Exception] = hub.QueueEmpty
Semaphore: Any = hub.BoundedSemaphore
spawn: Callable[..., Any] = hub.spawn
sleep: Callable[[float], None] = hub.sleep
kill: Callable[[Any], None] = hub.kill
deadline: Callable[..., Any] = eventlet.Timeout
"""A context that raises the given exception in the calling greenlet after a number of seconds."""


RAW = ("FlowStats", "TableFeaturesStats", "GroupFeaturesStats", "MeterFeaturesStats", "MeterConfigStats")
"""Replies whose entries stay bytes."""


class RawEntries:
    """A part of a reply as bytes: objects for thousands of entries would block all other work."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.length = len(data)

    @classmethod
    def parser(cls, buffer: bytes, offset: int) -> RawEntries:
        """Return a whole part as one piece."""
        return cls(bytes(buffer[offset:]))


def error_names(type_: int, code: int) -> tuple[str, str]:
    """Return the names of an OpenFlow error's type and code in snake case, or their numbers."""
    kind = str(ofproto_v1_3.ofp_error_type_to_str(type_)).partition("(")[0]
    what = str(ofproto_v1_3.ofp_error_code_to_str(type_, code)).partition("(")[0]
    known = kind.startswith("OFPET_")
    return (
        kind.removeprefix("OFPET_").lower() if known else str(type_),
        what.partition("_")[2].lower() if what.startswith("OFP") else str(code),
    )


def serve_connection(socket: Any, address: tuple[Any, ...]) -> str | None:
    """Serve OpenFlow on an accepted socket (a `Guard`) until the connection ends.

    Returns:
        The fault of the peer in words; None if the peer only disconnected.
    """
    try:
        controller.datapath_connection_factory(socket, address)
    except OFPUnknownVersion:
        return "it uses an unknown version of OpenFlow; configure it to use OpenFlow 1.3"
    except (OSError, EOFError):
        return str(socket.broken) if socket.broken else None
    except Exception as error:
        if _is_own(error):
            log.exception("a connection failed")
            return "the controller failed to handle its message; see the controller's log"
        log.info("unreadable message", extra={"fields": {"from": address[0], "error": repr(error)}})
        return "it sent a message that is not OpenFlow 1.3"
    return str(socket.broken) if socket.broken else None


def _is_own(error: BaseException) -> bool:
    """Whether code of the controller raised the error, not the library that reads messages."""
    modules = (frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(name.startswith("controller_app.") and name not in _TRANSPORT for name in modules)


def load(module: str, accept: Callable[[], None], **context: object) -> Any:
    """Start the app of a module.

    Args:
        accept: Replaces the listener of Ryu.
        context: Objects that the app receives.

    Returns:
        The manager, for `unload`.
    """
    cfg.CONF(args=[], project="tercast-controller", default_config_files=[], default_config_dirs=[])
    for reply in RAW:
        reply_class = getattr(ofproto_v1_3_parser, f"OFP{reply}Reply")
        reply_class.cls_stats_body_cls, reply_class.cls_body_single_struct = RawEntries, False
    ofproto_parser.msg = _read_message
    ofp_handler.OpenFlowController = lambda: accept
    manager = app_manager.AppManager.get_instance()
    manager.load_apps([module])
    manager.create_contexts()
    manager.instantiate_apps(**context)
    return manager


def _read_message(datapath: Any, version: int, *message: Any) -> Any:
    """Read a message.

    Errors are raised; the library would log them with all bytes of the message.
    """
    parser = ofproto_parser._MSG_PARSERS.get(version)
    if parser is None:
        raise OFPUnknownVersion(f"version {version}")
    return parser(datapath, version, *message)


def unload(manager: Any) -> None:
    """End the apps that `load` has started."""
    manager.close()
