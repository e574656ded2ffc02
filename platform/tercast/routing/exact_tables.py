"""The exact tables of one topic at one switch: plain entries, and entries of ingress ports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tercast.routing.cell_keys import Key, Order
from tercast.routing.port_semantics import NO_ENTRY_NEEDED, PortMask
from tercast.routing.shadowing import Shadowing
from tercast.routing.switch_ports import SwitchPorts

InPortKey = tuple[int, Key]
"""An ingress port and a cell."""

InPortMasks = tuple[PortMask, PortMask]
"""Outputs to other ports, and outputs to hosts on the ingress port."""


class PlainTable:
    """Cells with their outputs.

    `entries` maps a cell to its outputs, without the `shadowed` entries, which no packet matches. An entry is
    installed without the `suppressed_outputs` of its cell. `touched` maps the cells that may have changed
    to their outputs when changes were last taken (0: no entry). `record_change` is called before a change.
    """

    __slots__ = (
        "_record_change",
        "_shadowing",
        "_site",
        "_suppressed_before",
        "entries",
        "shadowed",
        "suppressed_outputs",
        "touched",
    )

    def __init__(self, site: SwitchPorts, order: Order, record_change: Callable[[], None]) -> None:
        self._site = site
        self._record_change = record_change
        self._shadowing = Shadowing(order)
        self._suppressed_before: dict[Key, PortMask] = {}
        self.entries: dict[Key, PortMask] = {}
        self.shadowed: dict[Key, PortMask] = {}
        self.suppressed_outputs: dict[Key, PortMask] = {}
        self.touched: dict[Key, PortMask] = {}

    @property
    def has_suppressed_outputs(self) -> bool:
        """Whether any entry has suppressed outputs now, or had them when changes were last taken."""
        return bool(self.suppressed_outputs or self._suppressed_before)

    def installed(self) -> Mapping[Key, PortMask]:
        """Return the entries without their suppressed outputs."""
        suppressed = self.suppressed_outputs
        if not suppressed:
            return self.entries
        return {key: mask & ~suppressed.get(key, 0) for key, mask in self.entries.items()}

    def set_entry(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Change the outputs of the entry at `key` (0: no entry, or NO_ENTRY_NEEDED)."""
        shadowing, shadowed = self._shadowing, self.shadowed
        if before == NO_ENTRY_NEEDED:
            shadowing.without_need.remove(key)
        if after == NO_ENTRY_NEEDED:
            shadowing.without_need.add(key)
        if key in shadowing.full_by_halves:
            if after > 0:
                shadowed[key] = after
            else:
                shadowed.pop(key, None)
            return
        if before > 0 or after > 0:
            self._install(key, max(before, 0), max(after, 0))
        if not before:
            over = shadowing.mark_full(key, self.entries)
            if over:
                shadowed[over] = self.entries[over]
                self._install(over, shadowed[over], 0)
        elif not after:
            over = shadowing.mark_open(key, self.entries, shadowed)
            if over:
                self._install(over, 0, shadowed.pop(over))

    def set_suppressed_outputs(self, key: Key, after: PortMask) -> None:
        """Install the entry at `key`, if there is one, without these outputs from now on."""
        self._touch(key, self.entries.get(key, 0))
        self._suppressed_before.setdefault(key, self.suppressed_outputs.get(key, 0))
        if after:
            self.suppressed_outputs[key] = after
        else:
            del self.suppressed_outputs[key]

    def changes(self) -> Iterator[tuple[Key, PortMask, PortMask]]:
        """Yield possible changes: cell, installed outputs when last taken, and current outputs."""
        entries, suppressed, suppressed_before = (
            self.entries,
            self.suppressed_outputs,
            self._suppressed_before,
        )
        for key, was in self.touched.items():
            now = suppressed.get(key, 0)
            yield key, was & ~suppressed_before.get(key, now), entries.get(key, 0) & ~now

    def forget_changes(self) -> None:
        """Forget the changes after they were taken."""
        self.touched, self._suppressed_before = {}, {}

    def load_changes(self, touched: dict[Key, PortMask]) -> None:
        """Set the outputs that were installed at touched cells when changes were last taken."""
        self.touched, self._suppressed_before = touched, dict.fromkeys(touched, 0)

    def load_entries(
        self, rows: Iterable[tuple[Key, PortMask, PortMask]], touched: dict[Key, PortMask]
    ) -> None:
        """Replace all entries and changes without recording or counting this.

        Args:
            rows: Cell, outputs or NO_ENTRY_NEEDED, suppressed outputs.
            touched: The outputs that were installed at touched cells when changes were last taken.
        """
        site, record_change = self._site, self._record_change
        count, self._record_change = site.count, _record_nothing
        self.entries = {}
        self._shadowing.clear()
        self.shadowed.clear()
        self.suppressed_outputs.clear()
        for key, outputs, suppressed in rows:
            self.set_entry(key, 0, outputs)
            if suppressed:
                self.suppressed_outputs[key] = suppressed
        site.count, self._record_change = count, record_change
        self.load_changes(touched)

    def clear(self) -> None:
        """Remove all entries; these are changes."""
        self._shadowing.clear()
        self.shadowed.clear()
        for key in list(self.suppressed_outputs):
            self.set_suppressed_outputs(key, 0)
        for key in list(self.entries):
            self._install(key, self.entries[key], 0)

    def _install(self, key: Key, before: PortMask, after: PortMask) -> None:
        """Change the installed outputs at `key`."""
        self._touch(key, before)
        if after:
            self.entries[key] = after
            if not before:
                self._site.count += 1
        else:
            del self.entries[key]
            self._site.count -= 1

    def _touch(self, key: Key, before: PortMask) -> None:
        self._record_change()
        self.touched.setdefault(key, before)


def _record_nothing() -> None:
    """Record no change."""


class _CellsOfPort:
    """The cells of the `entries` for one ingress port."""

    __slots__ = ("_entries", "_port")

    def __init__(self, entries: Mapping[InPortKey, InPortMasks], port: int) -> None:
        self._entries = entries
        self._port = port

    def __contains__(self, key: object) -> bool:
        return (self._port, key) in self._entries


class _PortCells:
    """The installed cells of one ingress port, its shadowed ones, and its full ones."""

    __slots__ = ("installed", "shadowed", "shadowing")

    def __init__(self, table: InPortTable, port: int, order: Order) -> None:
        self.installed = _CellsOfPort(table.entries, port)
        self.shadowed = _CellsOfPort(table.shadowed, port)
        self.shadowing = Shadowing(order)


class InPortTable:
    """Ports and cells with their outputs.

    `entries` has no `shadowed` entries, which no packet matches. `touched` maps changed entries to their
    outputs when changes were last taken (None: no entry). `record_change` is called before a change.
    """

    __slots__ = ("_order", "_ports", "_record_change", "_site", "entries", "shadowed", "touched")

    def __init__(self, site: SwitchPorts, order: Order, record_change: Callable[[], None]) -> None:
        self._site = site
        self._order = order
        self._record_change = record_change
        self._ports: dict[int, _PortCells] = {}
        self.entries: dict[InPortKey, InPortMasks] = {}
        self.shadowed: dict[InPortKey, InPortMasks] = {}
        self.touched: dict[InPortKey, InPortMasks | None] = {}

    def set_entry(self, at: InPortKey, after: InPortMasks | None) -> None:
        """Change the entry of a port and cell; None removes it."""
        port, key = at
        cells = self._ports.get(port)
        if cells is None:
            cells = self._ports[port] = _PortCells(self, port, self._order)
        if key in cells.shadowing.full_by_halves:
            if after is not None:
                self.shadowed[at] = after
            else:
                self.shadowed.pop(at, None)
            return
        before = self.entries.get(at)
        if before == after:
            return
        self._install(at, before, after)
        if before is None:
            over = cells.shadowing.mark_full(key, cells.installed)
            if over:
                masks = self.shadowed[port, over] = self.entries[port, over]
                self._install((port, over), masks, None)
        elif after is None:
            over = cells.shadowing.mark_open(key, cells.installed, cells.shadowed)
            if over:
                self._install((port, over), None, self.shadowed.pop((port, over)))

    def forget_changes(self) -> None:
        """Forget the changes after they were taken."""
        self.touched = {}

    def clear(self) -> None:
        """Remove all entries; these are changes."""
        self._ports.clear()
        self.shadowed.clear()
        for at, before in list(self.entries.items()):
            self._install(at, before, None)

    def _install(self, at: InPortKey, before: InPortMasks | None, after: InPortMasks | None) -> None:
        """Change the installed entry of a port and cell; None removes it."""
        self._record_change()
        self.touched.setdefault(at, before)
        if after is None:
            del self.entries[at]
            self._site.count -= 1
        else:
            self.entries[at] = after
            if before is None:
                self._site.count += 1
