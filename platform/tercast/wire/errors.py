"""What goes wrong at a host, by meaning."""

from __future__ import annotations

from tercast.errors import TercastError


class WireError(TercastError):
    """Bytes that are no event of the wire format: the offset where it shows, and the broken rule."""

    def __init__(self, position: int, rule: str) -> None:
        self.position = position
        self.rule = rule
        super().__init__(position, rule)

    def __str__(self) -> str:
        return f"byte {self.position}: {self.rule}"


class UnknownSchema(WireError):  # noqa: N818 - named by meaning
    """A well-formed header whose topic or attribute list the receiver does not know."""


class TransportError(TercastError):
    """The network below could not do it: the address, what the system said, what to do."""


class TransportClosed(TransportError):  # noqa: N818 - named by meaning
    """The other end is gone; nothing more will come."""


class SequenceError(TercastError):
    """A sequence number that never repeats cannot be given: the state file, and why."""


class ApiError(TercastError):
    """The REST API did not answer as needed: one line with request, status and reason.

    `status` is that of the answer, None where there was none.
    """

    def __init__(self, text: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(text)


class KeyFileError(TercastError):
    """A host's key or its counter cannot be used: the file, and why."""


class NoAnswer(TercastError):  # noqa: N818 - named by meaning
    """The platform did not answer a control message in time."""


class NotTaken(TercastError):  # noqa: N818 - named by meaning
    """The platform refused what a host asked for, or failed at it: the kind of reason, and the reason."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(reason, detail)

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


class LeaseLapsed(TercastError):  # noqa: N818 - named by meaning
    """A publisher may send nothing: the platform has not said for too long how events are encoded now."""

    def __init__(self, advertisement: str, reason: str) -> None:
        self.advertisement = advertisement
        self.reason = reason
        super().__init__(advertisement, reason)

    def __str__(self) -> str:
        because = f" ({self.reason})" if self.reason else ""
        return (
            f"the lease of {self.advertisement} is over{because}: nothing is sent until the platform has"
            " told how events are encoded now"
        )
