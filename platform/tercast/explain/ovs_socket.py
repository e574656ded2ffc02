"""Sockets of Open vSwitch: control socket of `ovs-appctl`, and configuration database."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tercast.explain.observation import NotSeen

SECONDS = 5.0
MOST = 16 << 20
_LONGEST_PATH = 107


class OpenVSwitch:
    """One `ovs-vswitchd`, given by the folder of its sockets (`ovs-vswitchd*.ctl`, `db.sock`)."""

    def __init__(self, run_dir: str | Path, seconds: float = SECONDS) -> None:
        self._run_dir = Path(run_dir).resolve()  # a long path may be a link to a short path
        self._seconds = seconds

    def bridges(self) -> dict[str, str]:
        """The names of its bridges by datapath id; ids that several bridges share are left out."""
        query = {"op": "select", "table": "Bridge", "where": [], "columns": ["name", "datapath_id"]}
        answer = self._call(self._run_dir / "db.sock", "transact", ["Open_vSwitch", query])
        found: dict[str, list[str]] = {}
        for row in answer[0].get("rows", ()):
            if isinstance(row.get("datapath_id"), str):
                found.setdefault(row["datapath_id"], []).append(row["name"])
        return {dpid: names[0] for dpid, names in found.items() if len(names) == 1}

    def command(self, name: str, arguments: Sequence[str]) -> str:
        """The output of a run-time command, equal to that of `ovs-appctl NAME ARGUMENTS`."""
        answer = self._call(self._control(), name, list(arguments))
        return str(answer)

    def _control(self) -> Path:
        sockets = sorted(self._run_dir.glob("ovs-vswitchd*.ctl"))
        if not sockets:
            raise NotSeen(f"there is no control socket of ovs-vswitchd in {self._run_dir}")
        return sockets[-1]

    def _call(self, path: Path, method: str, parameters: list[Any]) -> Any:
        """Return the result of one JSON-RPC call. Raises `NotSeen`."""
        if len(str(path).encode()) > _LONGEST_PATH:
            raise NotSeen(f"the path {path} is too long for a socket; move the folder to a shorter path")
        request = json.dumps({"id": 1, "method": method, "params": parameters}).encode()
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as peer:
                peer.settimeout(self._seconds)
                peer.connect(str(path))
                peer.sendall(request)
                answer = _read(peer)
        except OSError as error:
            raise NotSeen(f"Open vSwitch does not answer at {path}: {error.strerror or error}") from None
        if answer.get("error") is not None:
            raise NotSeen(f"Open vSwitch refused {method}: {str(answer['error']).strip()[:200]}")
        return answer.get("result")


def _read(peer: socket.socket) -> dict[str, Any]:
    """Read the first JSON object; the peer may keep the connection open afterwards."""
    data = b""
    while len(data) < MOST:
        part = peer.recv(1 << 16)
        data += part
        try:
            answer = json.loads(data)
        except ValueError:
            if not part:
                break
            continue
        if isinstance(answer, dict):
            return answer
        break
    raise OSError("the answer is not JSON")
