"""Run the everyday suite, its three parts next to each other: `make test` without ARGS.

The output of the main part appears while it runs, that of each other part when it has ended. The exit status
is 1 if a part failed.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

PYTEST = [sys.executable, "-m", "pytest"]
BESIDE: Mapping[str, tuple[Sequence[str], Mapping[str, str]]] = {
    "dashboard": (["scripts/frontend.sh", "test"], {}),
    "controller on os-ken": (
        [*PYTEST, "-m", "openflow and not full", "tests/controller"],
        {"TERCAST_OPENFLOW_LIBRARY": "os_ken"},
    ),
}
"""The parts next to the main one, by name: their commands, and what they add to the environment."""


class Part(NamedTuple):
    """A running part of the suite, and where it writes to."""

    name: str
    process: subprocess.Popen[bytes]
    output: IO[bytes]


def start(name: str, command: Sequence[str], added: Mapping[str, str]) -> Part:
    """Start a part at low priority, with a temporary file for its output.

    The main part takes longest and has priority.
    """
    output = tempfile.TemporaryFile()  # noqa: SIM115 - read when the part has ended
    process = subprocess.Popen(
        ["nice", *command], env={**os.environ, **added}, stdout=output, stderr=subprocess.STDOUT
    )
    return Part(name, process, output)


def end_of(part: Part) -> bool:
    """Wait for a part and print its output.

    Returns:
        Whether its tests passed.
    """
    status = part.process.wait()
    part.output.seek(0)
    print(f"\n=== {part.name} ===", flush=True)
    sys.stdout.buffer.write(part.output.read())
    sys.stdout.flush()
    return status == 0


def run(main: Sequence[str]) -> bool:
    """Run all parts; an interrupt reaches each of them.

    Args:
        main: The arguments of pytest for the main part.

    Returns:
        Whether all parts passed.
    """
    parts = [start(name, *what) for name, what in BESIDE.items()]
    passed = subprocess.run([*PYTEST, *main], check=False).returncode == 0
    return all([passed, *(end_of(part) for part in parts)])


def main() -> int:
    """Run the suite and return its exit status."""
    os.chdir(Path(__file__).parent.parent)
    begin = time.monotonic()
    try:
        passed = run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"\n{'passed' if passed else 'FAILED'} in {time.monotonic() - begin:.0f} s; processor time "
        f"{used.ru_utime:.0f} s user, {used.ru_stime:.0f} s system"
    )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
