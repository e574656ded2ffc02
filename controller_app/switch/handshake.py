"""What is done with a switch right after its hand-shake: ask what it is, and install the reserved entries.

Own content entries that are there already stay: a controller that was restarted interrupts nothing. The
table-miss entry and everything of other owners is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller_app.errors import RequestRejected
from controller_app.openflow import flow_mods, messages, oxm
from controller_app.openflow.bundles import Act, Control, control
from controller_app.openflow.flow_entry import RANGES, TABLE
from controller_app.openflow.messages import OpenFlowMessage, Stats
from controller_app.switch.connection import Connection
from controller_app.switch.features import read_features
from controller_app.switch.flow_stats import (
    Identity,
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
    """Fills in what the switch says of itself, and installs the reserved entries for `families`.

    With `bundles` the switch is also asked whether it has those.
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
    """Opens a bundle and discards it; a switch may refuse that, or say nothing to it."""
    bundle = connection.next_bundle()
    trial = [control(bundle, act) for act in (Act.OPEN, Act.DISCARD)]
    batch = connection.exchange([*trial, messages.barrier()])
    wanted = {Control(bundle, act.reply) for act in (Act.OPEN, Act.DISCARD)}
    return not batch.failures and wanted <= {part for part in batch.parts if isinstance(part, Control)}


def _describe(connection: Connection) -> None:
    features = connection.request(messages.features())[0]
    connection.tables = int(features.n_tables)
    connection.capabilities = tuple(name for name, bit in CAPABILITIES.items() if features.capabilities & bit)
    for name in NEEDED:
        if name not in connection.capabilities:
            connection.problems.append(f"the switch says that it has no {name}")
    try:
        connection.description = _description(connection.request(messages.multipart(Stats.DESC))[0])
    except RequestRejected as rejected:
        connection.problems.append(f"no description: {rejected}")


def _read_features(connection: Connection, families: Sequence[str]) -> None:
    """What its table can do, and how much of what goes in; the lack of what is needed is a problem."""
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


def reserved(families: Sequence[str]) -> list[tuple[str, OpenFlowMessage, Identity]]:
    """The reserved entries, by name: what installs them, and their places in a table."""
    wanted: list[tuple[str, OpenFlowMessage, Identity]] = [
        (
            f"the drop entry for {RANGES[family]}",
            flow_mods.add_drop(RANGES[family]),
            identity(flow_mods.drop_key(RANGES[family])),
        )
        for family in families
    ]
    punt = (flow_mods.LLDP_PRIORITY, frozenset(oxm_fields(oxm.lldp_match())))
    return [*wanted, ("the punt of discovery frames", flow_mods.add_lldp_punt(), punt)]


def reserved_count(connection: Connection, families: Sequence[str]) -> int:
    """How many reserved entries the switch should have; the places of other owners' entries do not count."""
    places = [place for _, _, place in reserved(families)]
    return sum(place not in connection.foreign for place in places) + connection.extras.count()


def lacking(
    table: SwitchTable, connection: Connection, families: Sequence[str]
) -> list[tuple[str, OpenFlowMessage]]:
    """The reserved entries that are not in a table as they were installed, and are free to be put there."""
    held = {(flow.identity, flow.cookie, flow.instructions) for flow in table.reserved}
    return [
        (name, message)
        for name, message, place in [*reserved(families), *connection.extras.entries()]
        if place not in connection.foreign and (place, *_content(message)) not in held
    ]


def _content(message: OpenFlowMessage) -> tuple[int, bytes]:
    """Cookie and instructions of an addition."""
    return int.from_bytes(message.body[:8], "big"), flow_mods.instructions_of(message)


def repair(connection: Connection, families: Sequence[str]) -> dict[str, list[str]]:
    """Puts back reserved entries and removes own entries that no key says; what was done, and what refused.

    What those entries depend on is restored first. Sends nothing where nothing is wrong. Raises Unreachable
    or Rejected.
    """
    table = read_table(connection)
    if lacking(table, connection, families):
        connection.extras.restore(table)
    missing = lacking(table, connection, families)
    names = [name for name, _ in missing]
    names += [f"an entry of priority {flow.priority} in table {flow.table}" for flow in table.strange]
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
    """Installs the drop entries and the punt of discovery frames; what is refused is a problem."""
    wanted = reserved(families)
    stale = [flow_mods.remove_drop(range_) for family, range_ in RANGES.items() if family not in families]
    free = [(name, message) for name, message, place in wanted if place not in connection.foreign]
    for name, _, place in wanted:
        if place in connection.foreign:
            connection.problems.append(f"{name} has no room: another owner's entry stands in its place")
    failures = connection.confirm([*(message for _, message in free), *stale])
    for index, failure in sorted(failures.items()):
        if index < len(free):
            connection.problems.append(f"{free[index][0]} was refused: {failure.type}/{failure.code}")
