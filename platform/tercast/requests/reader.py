"""Strict reader of requests from JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.requests.border_reader import read_add_border, read_external, read_remove_border
from tercast.requests.cell_lists import MAX_CELLS, read_cells
from tercast.requests.kinds import (
    ADD_BORDER,
    ADD_HOST,
    ADD_LINK,
    ADD_SWITCH,
    ADD_TOPIC,
    ADVERTISE,
    AGGREGATE,
    EXTERNAL,
    FINISH_MOVE,
    HOST_MOVE,
    LINK_DOWN,
    LINK_UP,
    REMOVE_BORDER,
    REMOVE_HOST,
    REMOVE_LINK,
    REMOVE_SWITCH,
    REMOVE_TOPIC,
    SET_AGGREGATION,
    SET_BUDGET,
    SET_CAPACITY,
    SET_INDEXED,
    SET_RESERVE,
    SUBSCRIBE,
    SWITCH_DOWN,
    SWITCH_UP,
    UNADVERTISE,
    UNSUBSCRIBE,
)
from tercast.requests.model import (
    METHODS,
    Add,
    Advertise,
    Aggregate,
    FinishMove,
    HostMove,
    Registering,
    Remove,
    RemoveLink,
    Request,
    SetAggregation,
    SetBudget,
    SetCapacity,
    SetIndexed,
    SetPort,
    SetReserve,
    SetSwitch,
    Subscribe,
    Unadvertise,
    Unsubscribe,
    Withdrawing,
)
from tercast.runtime.strict_json import (
    expect_boolean,
    expect_integer,
    expect_keys,
    expect_object,
    expect_text,
)
from tercast.tables.covers import read_network_covers
from tercast.topology.elements import MAX_BUDGET, Attachment, read_budget, read_name, read_port

__all__ = ["MAX_CELLS", "read_cells", "read_method", "read_or_refusal", "read_request"]

Reader = Callable[[Mapping[str, object], Path], Request]


def read_request(obj: object, path: Path = (), platform: bool = True) -> Request:
    """Read a request from its JSON object; Refused with the path of an error.

    `platform` also allows what a scenario excludes: `dz` in a request, and adding and removing parts of the
    network.
    """
    op = expect_object(obj, path).get("op")
    known = _READERS if platform else _SCENARIO_READERS
    if not isinstance(op, str) or op not in known:  # so readers need not test `op`
        fault = "the operation is missing" if op is None else f"unknown operation {shown(op)}"
        detail = f"{fault}; use one of {', '.join(known)}"
        raise Refused((*path, "op"), "missing_key" if op is None else "unknown_operation", detail, op)
    return known[op](obj, path)  # type: ignore[arg-type]


def read_or_refusal(request: Mapping[str, object] | Request | Refused) -> Request | Refused:
    """Return the request, read from JSON if necessary; if that fails, return the first error."""
    if type(request) is not dict and not isinstance(request, Mapping):  # the first test is faster
        return request
    try:
        return read_request(request)
    except Refused as refused:
        return refused
    except RefusedMany as many:
        return many.errors[0]


def _read_registering(kind: type[Registering], platform: bool) -> Reader:
    def read(obj: Mapping[str, object], path: Path) -> Request:
        name, host, topic, text = obj.get("id"), obj.get("host"), obj.get("topic"), obj.get("filter")
        if len(obj) == len(_TEXTS) and type(name) is type(host) is type(topic) is type(text) is str:
            return kind(read_name(name, (*path, "id")), host, topic, text)
        own_dz = platform and "dz" in obj
        required = _TEXTS[:-1] if own_dz else _TEXTS
        fields = expect_keys(obj, path, required, ("dz", "filter") if own_dz else ())
        filter_text = fields.get("filter")
        return kind(
            read_name(fields["id"], (*path, "id")),
            expect_text(fields["host"], (*path, "host")),
            expect_text(fields["topic"], (*path, "topic")),
            None if filter_text is None and own_dz else expect_text(filter_text, (*path, "filter")),
            read_cells(fields["dz"], (*path, "dz")) if own_dz else None,
        )

    return read


_TEXTS = ("op", "id", "host", "topic", "filter")


_WITHDRAWAL = ("op", "id")


def _read_withdrawing(kind: type[Withdrawing]) -> Reader:
    def read(obj: Mapping[str, object], path: Path) -> Request:
        name = obj.get("id")
        if len(obj) == len(_WITHDRAWAL) and type(name) is str:
            return kind(name)
        fields = expect_keys(obj, path, _WITHDRAWAL)
        return kind(expect_text(fields["id"], (*path, "id")))

    return read


def _read_port(up: bool, optional: tuple[str, ...] = ()) -> Reader:
    def read(obj: Mapping[str, object], path: Path) -> Request:
        fields = expect_keys(obj, path, ("op", "switch", "port"), optional)
        switch = expect_text(fields["switch"], (*path, "switch"))
        port = read_port(fields["port"], (*path, "port"))
        return SetPort(switch, port, up, _read_flag(fields, "planned", path))

    return read


def _read_switch(up: bool, optional: tuple[str, ...] = ()) -> Reader:
    def read(obj: Mapping[str, object], path: Path) -> Request:
        fields = expect_keys(obj, path, ("op", "switch"), optional)
        switch = expect_text(fields["switch"], (*path, "switch"))
        return SetSwitch(switch, up, _read_flag(fields, "planned", path))

    return read


def _read_flag(fields: Mapping[str, object], key: str, path: Path) -> bool:
    return expect_boolean(fields.get(key, False), (*path, key))


def _read_finish_move(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "topic", "version"))
    topic = expect_text(fields["topic"], (*path, "topic"))
    return FinishMove(topic, expect_integer(fields["version"], (*path, "version"), 1))


def _read_move(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "host", "switch", "port"))
    place = Attachment(
        expect_text(fields["switch"], (*path, "switch")), read_port(fields["port"], (*path, "port"))
    )
    return HostMove(expect_text(fields["host"], (*path, "host")), place)


def _read_indexed(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "topic", "indexed"), ("cuts",))
    topic = expect_text(fields["topic"], (*path, "topic"))
    return SetIndexed(topic, fields["indexed"], fields.get("cuts"))


def _read_set_budget(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "switch", "tcam_budget"))
    budget = read_budget(fields["tcam_budget"], (*path, "tcam_budget"))
    return SetBudget(expect_text(fields["switch"], (*path, "switch")), budget)


def _read_set_reserve(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "switch", "entries"))
    entries = expect_integer(fields["entries"], (*path, "entries"), 0, MAX_BUDGET)
    return SetReserve(expect_text(fields["switch"], (*path, "switch")), entries)


def _read_set_capacity(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "switch", "entries"))
    entries = read_budget(fields["entries"], (*path, "entries"))
    return SetCapacity(expect_text(fields["switch"], (*path, "switch")), entries)


def read_method(value: object, path: Path) -> str:
    """Read the name of an aggregation method."""
    method = expect_text(value, path)
    if method not in METHODS:
        detail = f"unknown method {shown(method)}; use one of {', '.join(METHODS)}"
        raise Refused(path, "unknown_method", detail, method)
    return method


def _read_set_aggregation(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "method"))
    return SetAggregation(read_method(fields["method"], (*path, "method")))


def _read_aggregate(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "method", "covers"))
    method = read_method(fields["method"], (*path, "method"))
    return Aggregate(method, read_network_covers(fields["covers"], (*path, "covers")))


def _read_add(kind: str) -> Reader:
    def read(obj: Mapping[str, object], path: Path) -> Request:
        return Add(kind, expect_keys(obj, path, ("op", kind))[kind])

    return read


def _read_remove(kind: str) -> Reader:
    def read(obj: Mapping[str, object], path: Path) -> Request:
        return Remove(kind, expect_text(expect_keys(obj, path, ("op", kind))[kind], (*path, kind)))

    return read


def _read_remove_link(obj: Mapping[str, object], path: Path) -> Request:
    fields = expect_keys(obj, path, ("op", "switch", "port"))
    port = expect_integer(fields["port"], (*path, "port"), 1)
    return RemoveLink(expect_text(fields["switch"], (*path, "switch")), port)


_SHARED_READERS: dict[str, Reader] = {
    UNSUBSCRIBE: _read_withdrawing(Unsubscribe),
    UNADVERTISE: _read_withdrawing(Unadvertise),
    LINK_DOWN: _read_port(up=False),
    LINK_UP: _read_port(up=True),
    SWITCH_DOWN: _read_switch(up=False),
    SWITCH_UP: _read_switch(up=True),
    HOST_MOVE: _read_move,
    SET_INDEXED: _read_indexed,
    SET_BUDGET: _read_set_budget,
}


_SCENARIO_READERS: dict[str, Reader] = {
    ADVERTISE: _read_registering(Advertise, platform=False),
    SUBSCRIBE: _read_registering(Subscribe, platform=False),
    **_SHARED_READERS,
}


_READERS: dict[str, Reader] = {
    ADVERTISE: _read_registering(Advertise, platform=True),
    SUBSCRIBE: _read_registering(Subscribe, platform=True),
    **_SHARED_READERS,
    ADD_SWITCH: _read_add("switch"),
    ADD_LINK: _read_add("link"),
    ADD_HOST: _read_add("host"),
    ADD_TOPIC: _read_add("topic"),
    REMOVE_SWITCH: _read_remove("switch"),
    REMOVE_HOST: _read_remove("host"),
    REMOVE_TOPIC: _read_remove("topic"),
    LINK_DOWN: _read_port(up=False, optional=("planned",)),
    SWITCH_DOWN: _read_switch(up=False, optional=("planned",)),
    REMOVE_LINK: _read_remove_link,
    FINISH_MOVE: _read_finish_move,
    SET_RESERVE: _read_set_reserve,
    SET_CAPACITY: _read_set_capacity,
    SET_AGGREGATION: _read_set_aggregation,
    AGGREGATE: _read_aggregate,
    ADD_BORDER: read_add_border,
    REMOVE_BORDER: read_remove_border,
    EXTERNAL: read_external,
}
