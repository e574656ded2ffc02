"""Object that a request of the log concerns, by its name in the planner."""

from typing import Any, NamedTuple

from controlplane.requestlog.kinds import KINDS, LINK
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION


class NamedSubject(NamedTuple):
    """Object by its name in the planner. Only links have a `port` (at one of their two ends)."""

    type: str
    name: str
    port: int | None = None

    @property
    def shown(self) -> str:
        """Return the name; for a link with the port."""
        return self.name if self.port is None else f"{self.name}:{self.port}"


def named(payload: dict[str, Any]) -> NamedSubject | None:
    """Return the object that a request's payload concerns; None if there is no single object."""
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
    """Return the displayed name of the object that a request concerns; empty if none or many.

    A payload without the name is logged, too, and the planner refuses it.
    """
    try:
        found = named(payload)
    except (KeyError, TypeError, AttributeError):
        return ""
    return "" if found is None else found.shown
