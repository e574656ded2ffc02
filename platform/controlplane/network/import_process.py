"""Process that reads one topology file within limits of time and memory, without Django.

Standard input is a line of JSON (`format`, `hosts`, `family`, `taken`, `most`, `seconds`, `bytes`) and then
the file. Standard output is JSON: `{"ok": {"topology", "format", "repairs", "assumed"}}`, `{"refused":
[{"path", "code", "detail", "value"}]}` or `{"failed": text}`.
"""

import json
import resource
import sys
from collections.abc import Mapping
from typing import Any

from controlplane.common import bounded_answer
from tercast.topology.importers import TakenAddresses, read_topology


def main() -> None:
    """Read the question and the file, and write the answer."""
    question = json.loads(sys.stdin.buffer.readline())
    bounded_answer.limit(resource.RLIMIT_CPU, question["seconds"])
    bounded_answer.limit(resource.RLIMIT_DATA, question["bytes"])
    too_large = f"more than {question['bytes'] >> 20} MiB of memory"
    print(bounded_answer.json_text(lambda: read(question, sys.stdin.buffer.read()), too_large))


def read(question: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    """Return the topology of the file; raise the errors of the readers."""
    taken = TakenAddresses(**{name: frozenset(values) for name, values in question["taken"].items()})
    found = read_topology(
        data, question["format"], question["hosts"], question["family"], taken, question["most"]
    )
    topology = {"topology": found.topology, "format": found.format}
    return {**topology, "repairs": found.repairs, "assumed": found.assumed}


if __name__ == "__main__":
    main()
