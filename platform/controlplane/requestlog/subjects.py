"""What a request of the log is about, by the names that the planner knows."""

from typing import Any, NamedTuple

_TYPES = {
    "advertise": "advertisement",
    "unadvertise": "advertisement",
    "subscribe": "subscription",
    "unsubscribe": "subscription",
    "add_switch": "switch",
    "remove_switch": "switch",
    "switch_up": "switch",
    "switch_down": "switch",
    "set_budget": "switch",
    "set_reserve": "switch",
    "set_capacity": "switch",
    "add_link": "link",
    "remove_link": "link",
    "link_up": "link",
    "link_down": "link",
    "add_host": "host",
    "remove_host": "host",
    "host_move": "host",
    "add_topic": "topic",
    "remove_topic": "topic",
    "set_indexed": "topic",
}


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
    kind = _TYPES.get(payload["op"])
    if kind is None:
        return None
    if kind in ("advertisement", "subscription"):
        return NamedSubject(kind, payload["id"])
    if kind == "link":
        link = payload.get("link")
        return (
            NamedSubject(kind, link["a"], link["a_port"])
            if link
            else NamedSubject(kind, payload["switch"], payload["port"])
        )
    value = payload[kind]
    return NamedSubject(kind, value if isinstance(value, str) else value.get("id") or value["name"])


def subject_of(payload: dict[str, Any]) -> str:
    """The name of what a request is about, as it is shown; empty for what concerns no single object.

    A payload that does not say what it is about is logged all the same, and the planner refuses it.
    """
    try:
        found = named(payload)
    except (KeyError, TypeError, AttributeError):
        return ""
    return "" if found is None else found.shown
