"""Preparation of a switch after its handshake: features and reserved entries.

Existing own content entries stay: the restart of a controller interrupts no traffic. The table-miss entry and
all entries of other owners stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller_app.errors import RequestRejected
from controller_app.openflow import flow_mods, messages, oxm
from controller_app.openflow.bundles import BundleAction, Control, control
from controller_app.openflow.flow_entry import RANGES, TABLE
from controller_app.openflow.messages import OpenFlowMessage, Stats
from controller_app.switch.connection import Connection
from controller_app.switch.features import read_features
from controller_app.switch.flow_stats import (
    EntryId,
    SwitchTable,
    identity,
    oxm_fields,
    read_foreign,
    read_table,
)
from tercast.runtime.wording import whole_characters

CAPABILITIES = {
    "flow_stats": 1 << 0,
    "table_stats": 1 << 1,
    "port_stats": 1 << 2,
    "group_stats": 1 << 3,
    "ip_reassembly": 1 << 5,
    "queue_stats": 1 << 6,
    "port_blocked": 1 << 8,
}
BUNDLES = "bundles"
NEEDED = ("flow_stats", "port_stats")


def prepare(connection: Connection, families: Sequence[str], bundles: bool = True) -> None:
    """Read the description of a switch, and install the reserved entries for `families`.

    Args:
        bundles: Also find out whether the switch supports bundles.
    """
    _describe(connection)
    _read_features(connection, families)
    if bundles and _has_bundles(connection):
        connection.bundles = True
        connection.capabilities += (BUNDLES,)
    elif bundles:
        connection.lacks.append(BUNDLES)
    connection.request(messages.multipart(Stats.PORT_DESC))
    connection.foreign = read_foreign(connection)
    _reserve(connection, families)


def _has_bundles(connection: Connection) -> bool:
    """Open a bundle and discard it; a switch may refuse this, or not answer."""
    bundle = connection.next_bundle()
    trial = [control(bundle, act) for act in (BundleAction.OPEN, BundleAction.DISCARD)]
    batch = connection.exchange([*trial, messages.barrier()])
    wanted = {Control(bundle, act.reply) for act in (BundleAction.OPEN, BundleAction.DISCARD)}
    return not batch.failures and wanted <= {part for part in batch.parts if isinstance(part, Control)}


def _describe(connection: Connection) -> None:
    features = connection.request(messages.features())[0]
    connection.tables = int(features.n_tables)
    connection.capabilities = tuple(name for name, bit in CAPABILITIES.items() if features.capabilities & bit)
    for name in NEEDED:
        if name not in connection.capabilities:
            connection.problems.append(f"the switch reports no support for {name}")
    try:
        connection.description = _description(connection.request(messages.multipart(Stats.DESC))[0])
    except RequestRejected as rejected:
        connection.problems.append(f"the switch refused to describe itself: {rejected}")


def _read_features(connection: Connection, families: Sequence[str]) -> None:
    """Read a switch's features; a required one that its table misses is a problem."""
    features = read_features(connection)
    connection.features, connection.lacks = features.to_json(), features.unanswered
    if features.table is not None:
        connection.problems += [f"table {TABLE}: {lack}" for lack in features.table.lacks(families)]


def _description(desc: Any) -> dict[str, str]:
    return {
        "manufacturer": whole_characters(desc.mfr_desc),
        "hardware": whole_characters(desc.hw_desc),
        "software": whole_characters(desc.sw_desc),
        "serial": whole_characters(desc.serial_num),
        "datapath": whole_characters(desc.dp_desc),
    }


def reserved(families: Sequence[str]) -> list[tuple[str, OpenFlowMessage, EntryId]]:
    """Return the name, the message and the identity of each reserved entry of every switch."""
    wanted: list[tuple[str, OpenFlowMessage, EntryId]] = [
        (
            f"the drop entry for {RANGES[family]}",
            flow_mods.add_drop(RANGES[family]),
            identity(flow_mods.drop_key(RANGES[family])),
        )
        for family in families
    ]
    punt = (flow_mods.LLDP_PRIORITY, frozenset(oxm_fields(oxm.lldp_match())))
    return [
        *wanted,
        ("the entry that sends discovery probes to the controller", flow_mods.add_lldp_punt(), punt),
    ]


def reserved_count(connection: Connection, families: Sequence[str]) -> int:
    """Count the reserved entries that the switch should have and other owners do not block."""
    places = [place for _, _, place in reserved(families)]
    return sum(place not in connection.foreign for place in places) + connection.extras.count()


def lacking(
    table: SwitchTable, connection: Connection, families: Sequence[str]
) -> list[tuple[str, OpenFlowMessage]]:
    """Return the missing or changed reserved entries that other owners do not block."""
    held = {(flow.identity, flow.cookie, flow.instructions) for flow in table.reserved}
    return [
        (name, message)
        for name, message, place in [*reserved(families), *connection.extras.entries()]
        if place not in connection.foreign and (place, *_content(message)) not in held
    ]


def _content(message: OpenFlowMessage) -> tuple[int, bytes]:
    """Return the cookie and the instructions of an addition."""
    return int.from_bytes(message.body[:8], "big"), flow_mods.instructions_of(message)


def repair(connection: Connection, families: Sequence[str]) -> dict[str, list[str]]:
    """Restore reserved entries, and remove own content entries that no key describes.

    First it restores what these entries depend on. If nothing is wrong, it sends nothing.

    Returns:
        The names of restored, removed and refused entries.

    Raises:
        Unreachable: The connection ended, or the switch does not answer.
        RequestRejected: The switch refused a question.
    """
    table = read_table(connection)
    if lacking(table, connection, families):
        connection.extras.restore(table)
    missing = lacking(table, connection, families)
    names = [name for name, _ in missing]
    names += [f"an entry with priority {flow.priority} in table {flow.table}" for flow in table.strange]
    if not names:
        return {"restored": [], "removed": [], "refused": []}
    removals = [flow_mods.remove_match(flow.table, flow.priority, flow.match) for flow in table.strange]
    failures = connection.confirm([*(message for _, message in missing), *removals])
    done = [n for n in range(len(names)) if n not in failures]
    return {
        "restored": [names[n] for n in done if n < len(missing)],
        "removed": [names[n] for n in done if n >= len(missing)],
        "refused": [f"{names[n]}: {failure.type}/{failure.code}" for n, failure in sorted(failures.items())],
    }


def _reserve(connection: Connection, families: Sequence[str]) -> None:
    """Install the drop entries and the punt of discovery frames; record what is refused."""
    wanted = reserved(families)
    stale = [flow_mods.remove_drop(range_) for family, range_ in RANGES.items() if family not in families]
    free = [(name, message) for name, message, place in wanted if place not in connection.foreign]
    for name, _, place in wanted:
        if place in connection.foreign:
            why = "cannot be installed: an entry of another program has the same match and priority"
            connection.problems.append(f"{name} {why}")
    failures = connection.confirm([*(message for _, message in free), *stale])
    for index, failure in sorted(failures.items()):
        if index < len(free):
            connection.problems.append(f"{free[index][0]} was refused: {failure.type}/{failure.code}")
