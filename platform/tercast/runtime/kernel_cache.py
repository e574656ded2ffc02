"""Folders for compiled code, one for each state of the sources, the machine and Numba."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_HERE = _PACKAGE / "compiled"
_MARK = "complete"


def is_ready() -> bool:
    """Whether the folder contains all kernels in compiled form."""
    folder = _folder()
    return folder is not None and (folder / _MARK).exists()


def prepare() -> bool:
    """Set Numba's cache folder; return False without Numba or a writable folder."""
    folder = _folder()
    if folder is None:
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        import numba  # noqa: PLC0415 - it takes a third of a second
    except (OSError, ImportError):
        return False
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return True


def mark_ready() -> None:
    """Record that all kernels are compiled, and delete the compiled code of former sources."""
    folder = _folder()
    if folder is None:
        return
    (folder / _MARK).touch()
    if folder.parent == _HERE / "__pycache__":
        for mark in folder.parent.glob(f"*/{_MARK}"):
            if mark.parent != folder:
                shutil.rmtree(mark.parent, ignore_errors=True)


@cache
def _folder() -> Path | None:
    """Return the folder for the current sources; None without Numba."""
    try:
        versions = [version("numba"), version("llvmlite"), version("numpy"), platform.python_version()]
    except PackageNotFoundError:
        return None
    stamp = hashlib.sha256("\0".join([*versions, _processor(), *_sources()]).encode()).hexdigest()[:16]
    beside = _HERE / "__pycache__"
    if (beside / stamp / _MARK).exists() or os.access(beside if beside.exists() else _HERE, os.W_OK):
        return beside / stamp
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "tercast" / stamp


def _sources() -> list[str]:
    """Return times and contents of the sources.

    Numba uses the times. The contents show a changed kernel that another kernel calls.
    """
    others = [
        *("encoding/budgeted_search.py", "encoding/cell_selection.py", "encoding/refinement.py"),
        "runtime/compiler.py",
    ]
    files = [*sorted(_PACKAGE.glob("*/kernels/*.py")), *(_PACKAGE / name for name in others)]
    return [f"{file.name}:{file.stat().st_mtime_ns}:{file.read_text()}" for file in files]


def _processor() -> str:
    """Describe the processor, because compiled code uses its features."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return "".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
