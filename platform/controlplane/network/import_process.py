"""A process that reads one topology file within bounds of time and memory, without Django.

Standard input is a line of JSON (`format`, `hosts`, `family`, `taken`, `most`, `seconds`, `bytes`) and then
the file. Standard output is JSON: `{"ok": {"topology", "format", "repairs", "assumed"}}`, `{"refused":
[{"path", "code", "detail", "value"}]}` or `{"failed": text}`.
"""

import json
import resource
import sys
from collections.abc import Mapping
from typing import Any

from tercast.errors import Refused, RefusedMany, shown
from tercast.topology.importers import TakenAddresses, read_topology

Question = Mapping[str, Any]


def main() -> None:
    """Read the question and the file, and write the answer."""
    question = json.loads(sys.stdin.buffer.readline())
    bound(resource.RLIMIT_CPU, question["seconds"])
    bound(resource.RLIMIT_DATA, question["bytes"])
    try:
        text = json.dumps(answer(question, sys.stdin.buffer.read()))
    except MemoryError:
        text = json.dumps({"failed": f"more than {question['bytes'] >> 20} MiB of memory"})
    print(text)


def bound(kind: int, most: int) -> None:
    """Limit what this process may use of a resource from now on."""
    hard = resource.getrlimit(kind)[1]
    resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))


def answer(question: Question, data: bytes) -> dict[str, Any]:
    """Return the topology of the file, or why there is none."""
    taken = TakenAddresses(**{name: frozenset(values) for name, values in question["taken"].items()})
    try:
        found = read_topology(
            data, question["format"], question["hosts"], question["family"], taken, question["most"]
        )
    except Refused as refused:
        return {"refused": [_refusal(refused)]}
    except RefusedMany as many:
        return {"refused": [_refusal(refused) for refused in many.errors]}
    topology = {"topology": found.topology, "format": found.format}
    return {"ok": {**topology, "repairs": found.repairs, "assumed": found.assumed}}


def _refusal(refused: Refused) -> dict[str, Any]:
    value = refused.value
    scalar = value if isinstance(value, str | int | float | None) else shown(value)
    return {"path": list(refused.path), "code": refused.code, "detail": refused.detail, "value": scalar}


if __name__ == "__main__":
    main()
