"""Write the requirements files with the installed versions of what pyproject.toml requires.

Each file includes the one that it builds on: `requirements.txt` is what a production machine runs,
`requirements-labs.txt` adds what `make run` needs, `requirements-test.txt` the test suite and
`requirements-dev.txt` style and types.
"""

import re
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
HEADER = "# Written by `make requirements` from pyproject.toml; do not edit.\n"
FILES = {
    "requirements.txt": ("", "production"),
    "requirements-labs.txt": ("requirements.txt", "labs"),
    "requirements-test.txt": ("requirements-labs.txt", "test"),
    "requirements-dev.txt": ("requirements-labs.txt", "dev"),
}
"""By file: the file that it includes, and the extra or dependency group that it pins."""


def wanted(project: dict[str, Any], part: str) -> list[Requirement]:
    """List the requirements of an extra or dependency group and of the extras it names."""
    own = project["project"]
    texts = own["optional-dependencies"].get(part) or project["dependency-groups"][part]
    found = [Requirement(text) for text in own["dependencies"]]
    for requirement in map(Requirement, texts):
        if requirement.name == own["name"]:
            found += [need for extra in sorted(requirement.extras) for need in wanted(project, extra)]
        else:
            found.append(requirement)
    return found


def closure(roots: Iterable[Requirement]) -> dict[str, str]:
    """Names and installed versions of `roots` and of everything that they depend on."""
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
            raise SystemExit(f"{name} is not installed; install what pyproject.toml names first") from None
        if not requirement.specifier.contains(dist.version, prereleases=True):
            raise SystemExit(f"{name} {dist.version} is installed, and {requirement} is asked for")
        found[name] = dist.version
        waiting += [
            need for text in dist.requires or () if _applies(need := Requirement(text), requirement.extras)
        ]
    return found


def _applies(need: Requirement, extras: set[str]) -> bool:
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in (extras or {""}))


def pins(project: dict[str, Any]) -> dict[str, dict[str, str]]:
    """By file: the names and versions that it adds to the file that it includes."""
    added: dict[str, dict[str, str]] = {}
    complete: dict[str, dict[str, str]] = {"": {}}
    for file, (base, part) in FILES.items():
        found = closure(wanted(project, part))
        added[file] = {name: version for name, version in found.items() if name not in complete[base]}
        complete[file] = complete[base] | found
    return added


def main() -> None:
    """Write all files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for file, versions in pins(project).items():
        base = FILES[file][0]
        text = HEADER + (f"-r {base}\n" if base else "")
        text += "".join(f"{name}=={version}\n" for name, version in sorted(versions.items()))
        (ROOT / file).write_text(text, encoding="utf-8")
        print(f"{file}: {len(versions)} packages pinned")


if __name__ == "__main__":
    main()
