"""The error for bytes that are not a control message."""

from __future__ import annotations

from tercast.errors import TercastError


class MalformedMessage(TercastError):  # noqa: N818 - named by meaning
    """Bytes that are not a control message: the kind of error, its offset, and the broken rule."""

    def __init__(self, code: str, position: int, rule: str) -> None:
        self.code = code
        self.position = position
        self.rule = rule
        super().__init__(code, position, rule)

    def __str__(self) -> str:
        return f"byte {self.position}: {self.rule}"
