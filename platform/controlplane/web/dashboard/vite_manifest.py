"""Names of the files that Vite built, from its manifest."""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

BUILT = Path(__file__).parent / "static" / "dashboard"
ENTRY = "src/main.tsx"


class Build(NamedTuple):
    """Addresses below `/static/`: the start module, its style sheets, its required chunks."""

    script: str
    styles: tuple[str, ...]
    preload: tuple[str, ...]


class NotBuilt(Exception):  # noqa: N818 - named by meaning
    """The dashboard is not built. Run `make setup`, or `scripts/frontend.sh build`."""


def current() -> Build:
    """Return the existing build.

    Raises:
        NotBuilt: if the dashboard is not built.
    """
    path = BUILT / "manifest.json"
    try:
        return _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError as error:
        raise NotBuilt(NotBuilt.__doc__) from error


@lru_cache(maxsize=2)
def _read(path: Path, _changed: int) -> Build:
    chunks = json.loads(path.read_text(encoding="utf-8"))
    needed: list[str] = []
    _collect(chunks, ENTRY, needed)
    styles = [style for name in needed for style in chunks[name].get("css", ())]
    return Build(
        f"dashboard/{chunks[ENTRY]['file']}",
        tuple(f"dashboard/{style}" for style in dict.fromkeys(styles)),
        tuple(f"dashboard/{chunks[name]['file']}" for name in needed if name != ENTRY),
    )


def _collect(chunks: dict[str, dict[str, list[str]]], name: str, into: list[str]) -> None:
    if name in into:
        return
    into.append(name)
    for other in chunks[name].get("imports", ()):
        _collect(chunks, other, into)
