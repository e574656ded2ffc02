"""Paths of the programs of Open vSwitch, and the error for a missing one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mininet_labs.fabric.errors import FabricError

FOLDERS = ("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/sbin", "/bin")
SCHEMAS = (
    "/usr/share/openvswitch/vswitch.ovsschema",
    "/usr/local/share/openvswitch/vswitch.ovsschema",
)
INSTALL = "install Open vSwitch with `sudo apt-get install -y openvswitch-switch`"


@dataclass(frozen=True, slots=True)
class Binaries:
    """Absolute paths of the programs and files of a fabric."""

    ovsdb_tool: Path
    ovsdb_server: Path
    ovs_vswitchd: Path
    ovs_vsctl: Path
    ovs_ofctl: Path
    ovs_appctl: Path
    schema: Path

    @classmethod
    def find(cls, folders: Sequence[str] | None = None, schemas: Sequence[str] = SCHEMAS) -> Binaries:
        """Find all programs in `folders` (default: PATH, then the usual folders).

        Raises:
            FabricError: A program is missing.
        """
        if folders is None:
            folders = (*os.get_exec_path(), *FOLDERS)
        return cls(
            ovsdb_tool=_program("ovsdb-tool", folders),
            ovsdb_server=_program("ovsdb-server", folders),
            ovs_vswitchd=_program("ovs-vswitchd", folders),
            ovs_vsctl=_program("ovs-vsctl", folders),
            ovs_ofctl=_program("ovs-ofctl", folders),
            ovs_appctl=_program("ovs-appctl", folders),
            schema=_schema(schemas),
        )


def _program(name: str, folders: Sequence[str]) -> Path:
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise FabricError(name, "not found on this machine", INSTALL)
    return Path(found)


def _schema(candidates: Sequence[str]) -> Path:
    for candidate in candidates:
        if Path(candidate).is_file():
            return Path(candidate)
    raise FabricError("vswitch.ovsschema", "not found on this machine", INSTALL)
