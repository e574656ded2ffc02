"""Readers of the requests that concern borders to other partitions."""

from __future__ import annotations

from collections.abc import Mapping

from tercast.errors import Path, Refused, shown
from tercast.requests.cell_lists import read_cells
from tercast.requests.model import AddBorder, External, RemoveBorder
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tercast.runtime.strict_json import expect_keys, expect_text
from tercast.topology.elements import read_cost, read_port


def read_add_border(obj: Mapping[str, object], path: Path) -> AddBorder:
    """Read `add_border`."""
    fields = expect_keys(obj, path, ("op", "switch", "port"), ("cost",))
    switch = expect_text(fields["switch"], (*path, "switch"))
    port = read_port(fields["port"], (*path, "port"))
    return AddBorder(switch, port, read_cost(fields.get("cost", 1), (*path, "cost")))


def read_remove_border(obj: Mapping[str, object], path: Path) -> RemoveBorder:
    """Read `remove_border`."""
    fields = expect_keys(obj, path, ("op", "switch", "port"))
    switch = expect_text(fields["switch"], (*path, "switch"))
    return RemoveBorder(switch, read_port(fields["port"], (*path, "port")))


def read_external(obj: Mapping[str, object], path: Path) -> External:
    """Read `external`."""
    fields = expect_keys(obj, path, ("op", "border", "topic", "kind"), ("add", "remove"))
    kind = expect_text(fields["kind"], (*path, "kind"))
    if kind not in (ADVERTISEMENT, SUBSCRIPTION):
        detail = f"unknown kind {shown(kind)}; use {ADVERTISEMENT} or {SUBSCRIPTION}"
        raise Refused((*path, "kind"), "wrong_kind", detail, kind)
    return External(
        expect_text(fields["border"], (*path, "border")),
        expect_text(fields["topic"], (*path, "topic")),
        kind,
        *(read_cells(fields.get(key, []), (*path, key), fewest=0) for key in ("add", "remove")),
    )
