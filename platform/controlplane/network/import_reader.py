"""Reading of topology files in a separate process, except for small ones."""

import json
import signal
from dataclasses import asdict
from threading import BoundedSemaphore
from typing import Any

from controlplane.common.child_process import ask_child
from controlplane.common.problems import Problem, too_large
from tercast.errors import Refused, RefusedMany
from tercast.topology.importers import Imported, TakenAddresses, read_topology

SMALL = 16_384
"""Limit of bytes × (hosts per switch + 1) below which a file is read in some 30 ms, without a process."""

CPU_SECONDS = 20
"""Processor time for one file; files at the limits of size and count need 2 to 3 s."""

MEMORY = 1 << 30
"""Memory in bytes for one file."""

SECONDS = 90
"""Longest wait of a call for its file, also on a busy machine."""

AT_ONCE = 2
PATIENCE_SECONDS = 10

_free = BoundedSemaphore(AT_ONCE)


def read(  # noqa: PLR0917
    data: bytes, form: str | None, hosts: int, family: str, taken: TakenAddresses, most: int
) -> Imported:
    """Return the topology of a file; reading stops after `most` switches, links and hosts.

    Raises:
        Refused: The readers refuse the file (or `RefusedMany`).
        Problem: The file needs too much time or memory (413), or others are being read (503).
    """
    if len(data) * (hosts + 1) <= SMALL:
        return read_topology(data, form, hosts, family, taken, most)
    if not _free.acquire(timeout=PATIENCE_SECONDS):
        detail = (
            f"The server is reading {AT_ONCE} other topology files, which is its limit. Try again in a "
            "minute."
        )
        raise Problem(503, "busy", detail, headers={"Retry-After": "10"})
    question: dict[str, Any] = {"format": form, "hosts": hosts, "family": family, "most": most}
    question |= {"taken": {name: sorted(values) for name, values in asdict(taken).items()}}
    question |= {"seconds": CPU_SECONDS, "bytes": MEMORY}
    try:
        return _read_result(_run(json.dumps(question).encode() + b"\n" + data))
    finally:
        _free.release()


def _run(question: bytes) -> dict[str, Any]:
    late = f"The file was not read within {SECONDS} s. Try again when the machine is less busy."
    killed: dict[int, str] = {
        signal.SIGXCPU: f"more than {CPU_SECONDS} s of processor time",
        signal.SIGKILL: "more memory than this machine has",
    }
    return ask_child("controlplane.network.import_process", question, SECONDS, late, killed)


def _read_result(found: dict[str, Any]) -> Imported:
    if "failed" in found:
        raise too_large(
            f"Reading the file needs {found['failed']}. Split the network into several files, or add "
            "switches and links as CSV or JSON lists."
        )
    if "refused" in found:
        errors = [
            Refused(tuple(row["path"]), row["code"], row["detail"], row["value"]) for row in found["refused"]
        ]
        raise errors[0] if len(errors) == 1 else RefusedMany(errors)
    ok = found["ok"]
    return Imported(ok["topology"], ok["format"], tuple(ok["repairs"]), ok["assumed"])
