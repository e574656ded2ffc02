"""Write requirements.txt: what requirements.in needs, in the versions that are installed."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
HEADER = "# Written by `make requirements` from requirements.in; do not edit.\n"


def closure(roots: list[Requirement]) -> dict[str, str]:
    """Names and versions of `roots` and all that they need here."""
    found: dict[str, str] = {}
    waiting = list(roots)
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        requirement = waiting.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        key = (name, frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            dist = distribution(name)
        except PackageNotFoundError:
            raise SystemExit(f"{name} is not installed; install requirements.in first") from None
        found[name] = dist.version
        waiting += [
            need for text in dist.requires or () if _wanted(need := Requirement(text), requirement.extras)
        ]
    return found


def _wanted(need: Requirement, extras: set[str]) -> bool:
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in (extras or {""}))


def main() -> None:
    """Pin."""
    lines = (ROOT / "requirements.in").read_text(encoding="utf-8").splitlines()
    roots = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    pins = closure(roots)
    text = HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))
    (ROOT / "requirements.txt").write_text(text, encoding="utf-8")
    print(f"{len(pins)} packages pinned")


if __name__ == "__main__":
    main()
