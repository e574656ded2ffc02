"""Free ports of the loopback address for programs that will listen on them."""

import fcntl
import os
import socket
import tempfile
from pathlib import Path
from typing import IO

from mininet_labs.errors import LabError

_PORTS_TO_TRY = 20


def choosing_ports() -> IO[str]:
    """Lock the choice of ports on this machine until the chosen ones are in use; others wait."""
    path = Path(tempfile.gettempdir()) / f"tercast-ports-{os.getuid()}.lock"
    lock = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("tercast: another start on this machine is choosing its ports; waiting …", flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def free_port(wanted: int, but: tuple[int, ...] = ()) -> int:
    """Return `wanted`, or the next free port of the loopback address."""
    for port in range(wanted, min(wanted + _PORTS_TO_TRY, 65536)):
        if port in but:
            continue
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise LabError(
        f"ports {wanted} to {wanted + _PORTS_TO_TRY - 1} of 127.0.0.1",
        "none of them is free",
        "choose another port with --port",
    )
