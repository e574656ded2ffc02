"""Lines of JSON between both processes of the lab, with the standard library only."""

from __future__ import annotations

import json
from typing import IO, Any

LabMessage = dict[str, Any]


def send(stream: IO[str], message: LabMessage) -> None:
    """Write a message; raises BrokenPipeError if there is no reader any more."""
    stream.write(json.dumps(message) + "\n")
    stream.flush()


def receive(stream: IO[str]) -> LabMessage | None:
    """Return the next message; None at the end of the stream."""
    line = stream.readline()
    if not line:
        return None
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError(f"{line!r} is not an object")
    return message
