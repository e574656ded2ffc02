"""What a request of the log is about, by the names that the planner knows."""

from typing import Any, NamedTuple

from controlplane.requestlog.kinds import KINDS, LINK
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION


class NamedSubject(NamedTuple):
    """An object by the name that the planner knows; `port` only for links (one of their two ends)."""

    type: str
    name: str
    port: int | None = None

    @property
    def shown(self) -> str:
        """The name, of a link with the port."""
        return self.name if self.port is None else f"{self.name}:{self.port}"


def named(payload: dict[str, Any]) -> NamedSubject | None:
    """What a request's payload is about; None for what concerns no single object."""
    kind = KINDS.get(payload["op"])
    if kind is None or kind.subject is None:
        return None
    subject = kind.subject
    if subject in (ADVERTISEMENT, SUBSCRIPTION):
        return NamedSubject(subject, payload["id"])
    if subject == LINK:
        link = payload.get("link")
        return (
            NamedSubject(subject, link["a"], link["a_port"])
            if link
            else NamedSubject(subject, payload["switch"], payload["port"])
        )
    value = payload[subject]
    return NamedSubject(subject, value if isinstance(value, str) else value.get("id") or value["name"])


def subject_of(payload: dict[str, Any]) -> str:
    """The name of what a request is about, as it is shown; empty for what concerns no single object.

    A payload that does not say what it is about is logged all the same, and the planner refuses it.
    """
    try:
        found = named(payload)
    except (KeyError, TypeError, AttributeError):
        return ""
    return "" if found is None else found.shown
