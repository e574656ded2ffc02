"""A small network, and the requests and events that its workers would write."""

from datetime import UTC, datetime, timedelta

PASSWORD = "correct horse battery"  # of every user

PLACES = {
    "s1": ("Seattle", 47.6, -122.3),
    "s2": ("Denver", 39.7, -105.0),
    "s3": ("Houston", 29.8, -95.4),
    "s4": ("New York", 40.7, -74.0),
}
LINKS = (("s1", 1, "s2", 1), ("s2", 2, "s3", 1), ("s2", 3, "s4", 1), ("s3", 2, "s4", 2))


def now(seconds=0.0):
    return (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()


def add_switch(plane, name, number, label="", latitude=None, longitude=None, **fields):
    fields = {"tcam_budget": 100, "connected": True, **fields}
    return plane.do(
        "create", model="network.Switch", name=name, dpid=f"{number:016x}", label=label,
        latitude=latitude, longitude=longitude, **fields,
    )  # fmt: skip


def add_link(plane, a, a_port, b, b_port, ids):
    return plane.do("create", model="network.Link", a_id=ids[a], a_port=a_port, b_id=ids[b], b_port=b_port)


def build(plane):
    """Four switches and four links; ids of the links, in order."""
    ids = {
        name: add_switch(plane, name, number, *place)
        for number, (name, place) in enumerate(PLACES.items(), 1)
    }
    return [add_link(plane, *link, ids) for link in LINKS]


def add_request(plane, state="queued", kind="subscribe", **fields):
    """A request of the log, told to live pages; its id."""
    payload = {"op": kind, "id": "q1"}
    pk = plane.do("create", model="control.Request", kind=kind, payload=payload, state=state, **fields)
    tell_request(plane, pk, state, kind=kind)
    return pk


def tell_request(plane, pk, state, kind="subscribe", matched=None, problem=None, confirmed_at=None):
    fields = {"state": state, "matched": matched, "problem": problem, "confirmed_at": confirmed_at}
    plane.do("update", model="control.Request", where={"pk": pk}, **fields)
    plane.emit("request", {"id": pk, "kind": kind, "received_at": now(), **fields})


def traffic(published, **fields):
    counters = dict.fromkeys(("wanted", "delivered"), published)
    zero = dict.fromkeys(("lost", "doubled", "unwanted"), 0)
    return {"published": published, **counters, **zero, "delay_ms": {"p50": 1.5, "p99": 9.25}, **fields}
