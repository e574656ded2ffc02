"""Process ids in a process namespace, and the ids of the same processes outside."""

from __future__ import annotations

from pathlib import Path

from mininet_labs.errors import LabError


def outer_pids(unshare: int) -> dict[int, int]:
    """Return the outer process ids by the inner ones, for the namespace of a child of `unshare`."""
    children = Path(f"/proc/{unshare}/task/{unshare}/children").read_text("ascii").split()
    if not children:
        raise LabError("the main process of the lab", "has ended", "see lab.log")
    wanted = _namespace(children[0])
    found: dict[int, int] = {}
    for name in (path.name for path in Path("/proc").iterdir() if path.name.isdigit()):
        if _namespace(name) == wanted:
            chain = _chain(name)
            if chain:
                found[chain[-1]] = int(name)
    return found


def _namespace(pid: str) -> str | None:
    try:
        return str(Path(f"/proc/{pid}/ns/pid").readlink())
    except OSError:
        return None


def _chain(pid: str) -> list[int]:
    """Return the ids of a process, from the outermost visible namespace to its own."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    except OSError:
        return []
    line = next((line for line in status.splitlines() if line.startswith("NSpid:")), "NSpid:")
    return [int(part) for part in line.split()[1:]]
