"""Errors of the wire format, the transports and the clients of hosts."""

from __future__ import annotations

from tercast.errors import TercastError


class WireError(TercastError):
    """Bytes that are not an event of the wire format: the offset and the broken rule."""

    def __init__(self, position: int, rule: str) -> None:
        self.position = position
        self.rule = rule
        super().__init__(position, rule)

    def __str__(self) -> str:
        return f"byte {self.position}: {self.rule}"


class UnknownSchema(WireError):  # noqa: N818 - named by meaning
    """A well-formed header whose topic or attribute list the receiver does not know."""


class TransportError(TercastError):
    """An error of the network below: the address, the system's message, and the remedy."""


class TransportClosed(TransportError):  # noqa: N818 - named by meaning
    """The other end has closed the connection; no more data arrives."""


class SequenceError(TercastError):
    """A unique sequence number cannot be assigned: the state file, and the reason."""


class ApiError(TercastError):
    """An unexpected response of the REST API: request, status and reason in one line.

    `status` is the status of the response, or None without a response.
    """

    def __init__(self, text: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(text)


class KeyFileError(TercastError):
    """The key of a host or its counter cannot be used: the file, and the reason."""


class NoAnswer(TercastError):  # noqa: N818 - named by meaning
    """The platform did not answer a control message in time."""


class NotTaken(TercastError):  # noqa: N818 - named by meaning
    """The platform refused or failed a request of a host: the reason's kind, and the reason."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(reason, detail)

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


class LeaseLapsed(TercastError):  # noqa: N818 - named by meaning
    """A publisher may send nothing, because its information about the encoding has expired."""

    def __init__(self, advertisement: str, reason: str) -> None:
        self.advertisement = advertisement
        self.reason = reason
        super().__init__(advertisement, reason)

    def __str__(self) -> str:
        because = f" ({self.reason})" if self.reason else ""
        return (
            f"the lease of {self.advertisement} has expired{because}: no events are sent until the platform"
            " confirms the encoding of events"
        )
