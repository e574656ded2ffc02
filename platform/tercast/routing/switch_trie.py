"""One topic at one switch: who wants and who brings which cells, and the table that follows.

Cells lie in two layers, subscriptions (S) and advertisements (A); the owners of a cell are bits of the site.
A change at a cell is felt there and below, down to cells that the bit owns itself; everything at one cell
follows from the masks there and just above (`SwitchPorts.state`). What has to cross to a neighbour is queued
as a change of the neighbour's trie, for the bit of the port between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tercast.routing.cell_keys import LENGTH_MASK, Key, Order
from tercast.routing.cell_layers import AdLayer, Layer
from tercast.routing.kernels.operations import ADVERTISE, SUBSCRIBE, UNADVERTISE, UNSUBSCRIBE
from tercast.routing.shadowing import Fill
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import NOTHING, TAKEN, PortBit, PortMask, State, SwitchPorts
from tercast.routing.update_queue import UpdateQueue
from tercast.topology.topology import Port

if TYPE_CHECKING:
    from tercast.routing.kernels.compiled_topic import CompiledTopic

InPortKey = tuple[int, Key]
InPortMasks = tuple[PortMask, PortMask]

Masks = tuple[PortMask, PortMask]
"""One mask over a cell, and at it."""


class Peer(NamedTuple):
    """The other end of a link port: its trie, its bit there, and end `a` of the link."""

    trie: SwitchTrie
    bit: PortBit
    link: Port


class SubtreeFrame(NamedTuple):
    """What lies over the cells up to `end` during a walk: masks before and after the change."""

    end: Key
    s0: PortMask
    s1: PortMask
    a0: PortMask
    a1: PortMask
    tree: Tree | None


class OfPort:
    """The cells of those of `entries` that are for one ingress port."""

    __slots__ = ("_entries", "_port")

    def __init__(self, entries: Mapping[InPortKey, InPortMasks], port: int) -> None:
        self._entries = entries
        self._port = port

    def __contains__(self, key: object) -> bool:
        return (self._port, key) in self._entries


class SwitchTrie:
    """Layers and table of one topic at one switch.

    `entries` maps a cell to its mask of outputs, `in_entries` a port and cell to outputs elsewhere and back;
    `hidden` and `in_hidden` are those that no packet meets, as `fill` and, for ports, `in_fill` tell. An
    entry is installed without the outputs that `spare` has for its cell.
    `touched`, `in_touched`, `spare_touched` hold what stood there when changes were last taken (0: nothing).
    Where a web spreads changes and nothing needs to `keep` entries, it knows all about the plain ones.
    """

    __slots__ = (
        "_entries",
        "ads",
        "code",
        "fill",
        "hidden",
        "in_entries",
        "in_fill",
        "in_hidden",
        "in_touched",
        "is_touched",
        "order",
        "peers",
        "queue",
        "site",
        "spare",
        "spare_touched",
        "subs",
        "touched",
        "web",
    )

    def __init__(self, site: SwitchPorts, code: int, order: Order, queue: UpdateQueue) -> None:
        self.site = site
        self.code = code
        self.order = order
        self.queue = queue
        self.subs = Layer(order)
        self.ads = AdLayer(order)
        self._entries: dict[Key, PortMask] = {}
        self.is_touched = False
        self.in_entries: dict[InPortKey, InPortMasks] = {}
        self.fill = Fill(order)
        self.hidden: dict[Key, PortMask] = {}
        self.in_fill: dict[int, Fill] = {}
        self.in_hidden: dict[InPortKey, InPortMasks] = {}
        self.spare: dict[Key, PortMask] = {}
        self.spare_touched: dict[Key, PortMask] = {}
        self.touched: dict[Key, PortMask] = {}
        self.in_touched: dict[InPortKey, InPortMasks | None] = {}
        self.peers: dict[PortBit, Peer] = {}
        self.web: CompiledTopic | None = None

    @property
    def entries(self) -> dict[Key, PortMask]:
        """The plain entries: one dictionary that follows every change; a new one where a web knows them."""
        web = self.web
        return self._entries if web is None or web.keeps(self) else web.entries(self)

    def keep(self) -> None:
        """Have `entries` and `touched` follow every change from now on."""
        if self.web is not None:
            self.web.keep(self)

    def installed(self) -> Mapping[Key, PortMask]:
        """The plain entries without what is spare."""
        web, spare = self.web, self.spare
        if web is not None and not web.keeps(self):
            return web.entries(self, installed=True)
        if not spare:
            return self._entries
        return {key: mask & ~spare.get(key, 0) for key, mask in self._entries.items()}

    def give(self, plain: Iterable[tuple[Key, PortMask, PortMask]], touched: dict[Key, PortMask]) -> None:
        """Let these be all plain entries (cell, outputs or TAKEN, what is spare), and this what was touched.

        Nothing is touched by that, nor counted.
        """
        site = self.site
        before = site.count, site.marked, self.is_touched
        site.marked = self.is_touched = True
        self._entries = {}
        self.fill.clear()
        for found in (self.hidden, self.spare):
            found.clear()
        for key, outputs, spare in plain:
            self.put(key, 0, outputs)
            if spare:
                self.spare[key] = spare
        site.count, site.marked, self.is_touched = before
        self.touched, self.spare_touched = touched, dict.fromkeys(touched, 0)

    def give_touched(self, touched: dict[Key, PortMask]) -> None:
        """Let this be what was installed of touched plain entries when changes were last taken."""
        web = self.web
        if web is None or web.keeps(self):
            self.touched, self.spare_touched = touched, dict.fromkeys(touched, 0)
        elif touched:
            now = self.installed()
            web.give_changes(self, [(key, before, now.get(key, 0)) for key, before in touched.items()])

    def changes(self) -> Iterator[tuple[Key, PortMask, PortMask]]:
        """Where entries that are kept here may have changed: cell, what was last taken, what is installed."""
        entries, spare, was_spare = self._entries, self.spare, self.spare_touched
        for key, was in self.touched.items():
            now_spare = spare.get(key, 0)
            yield key, was & ~was_spare.get(key, now_spare), entries.get(key, 0) & ~now_spare

    def forget_changes(self) -> None:
        """What has changed was taken."""
        self.touched, self.spare_touched, self.in_touched = {}, {}, {}

    def takes(self, keys: Sequence[Key]) -> CompiledTopic | None:
        """The web that changes of these cells have to be noted at, if there is one."""
        web = self.web
        return web if web is not None and web.takes(self, keys) else None

    def want(self, came: Sequence[Key], went: Sequence[Key], bit: PortBit) -> None:
        """`bit`, a host, wants the cells that came, and those that went no more."""
        web = self.takes((*came, *went))
        if web is None:
            for key in came:
                self.subscribe(key, bit)
            for key in went:
                self.unsubscribe(key, bit)
            return
        if came:
            web.note(SUBSCRIBE, self, came, bit)
        if went:
            web.note(UNSUBSCRIBE, self, went, bit)

    def bring(self, came: Sequence[Key], went: Sequence[Key], bit: PortBit, tree: Tree | None = None) -> None:
        """`bit`, a host, brings the cells that came, which lie in `tree`, and those that went no more."""
        web = self.takes((*came, *went))
        if web is None:
            for key in came:
                assert tree is not None
                self.advertise(key, bit, tree)
            for key in went:
                self.unadvertise(key, bit)
            return
        if came:
            web.note(ADVERTISE, self, came, bit, tree)
        if went:
            web.note(UNADVERTISE, self, went, bit)

    def subscribe(self, key: Key, bit: PortBit) -> None:
        """`bit` wants `key`."""
        subs = self.subs
        own = subs.own.get(key)
        if own is None:
            over, below = subs.insert(key, bit)
            own = 0
        elif own & bit:
            return
        else:
            subs.own[key] = own | bit
            subs.seen |= bit
            over, below = subs.above[key], True
        if not over & bit:
            self._spread_s(key, bit, over, own, below)

    def unsubscribe(self, key: Key, bit: PortBit) -> None:
        """`bit`, which owns `key`, wants it no more."""
        subs = self.subs
        own = subs.own[key]
        over = subs.above[key]
        if own == bit:
            subs.remove(key)
        else:
            subs.own[key] = own ^ bit
        if not over & bit:
            self._spread_s(key, bit, over, own, True)

    def advertise(self, key: Key, bit: PortBit, tree: Tree) -> None:
        """`bit` brings `key`, which lies in `tree`."""
        ads = self.ads
        own = ads.own.get(key)
        if own is None:
            over, _ = ads.insert(key, bit)
            ads.tree[key] = tree
            own = 0
        elif own & bit:
            return
        else:
            ads.own[key] = own | bit
            over = ads.above[key]
        if not over & bit:
            self._spread_a(key, bit, over, own, tree)

    def unadvertise(self, key: Key, bit: PortBit) -> None:
        """`bit`, which owns `key`, brings it no more."""
        ads = self.ads
        own = ads.own[key]
        over = ads.above[key]
        tree = ads.tree[key]
        if own == bit:
            ads.remove(key)
        else:
            ads.own[key] = own ^ bit
        if not over & bit:
            self._spread_a(key, bit, over, own, tree)

    def change_links(self, tree: Tree, before: PortMask, after: PortMask) -> None:
        """The link ports that `tree` uses here change from one mask to another."""
        if self.web is not None:
            self.web.change_links(self, tree, before)
            return
        ads, wanted = self.ads, self.site.wanted
        for key in [key for key, owner in ads.tree.items() if owner is tree]:
            over = ads.above[key]
            brought = over | ads.own[key]
            was = wanted(brought, before) & ~wanted(over, before)
            now = wanted(brought, after) & ~wanted(over, after)
            if was != now:
                self._export_a(key, was, now, tree)

    def clear(self) -> None:
        """Nobody wants or brings anything; neighbours are not told."""
        self.keep()
        self._clear_table()
        self.subs = Layer(self.order)
        self.ads = AdLayer(self.order)
        self.web = None

    def know(self, wanted: dict[Key, PortMask], brought: dict[Key, PortMask], trees: dict[Key, Tree]) -> None:
        """Let just these bits want and bring cells; the table and neighbours are not told."""
        self.subs = Layer(self.order, wanted)
        self.ads = AdLayer(self.order, brought)
        self.ads.tree = trees

    def _spread_s(self, key: Key, bit: PortBit, over: PortMask, own: PortMask, below: bool) -> None:
        """S at `key`, which was `own` and what lies over it, changes by `bit`."""
        s0 = over | own
        s1 = s0 ^ bit
        a_over, a_at, tree, a_below = self.ads.look(key)
        state = self.site.state
        before = NOTHING if s0 == over and a_over == a_at else state(over, a_over, s0, a_at)
        after = NOTHING if s1 == over and a_over == a_at else state(over, a_over, s1, a_at)
        if before != after:
            self._change(key, before, after, tree)
        if a_below:
            frame = SubtreeFrame(self.order.end(key), s0, s1, a_at, a_at, tree)
            self._walk(key, frame, s_bit=bit, a_bit=0)
        elif below:
            self._walk_s(key, bit, a_at, tree)

    def _walk_s(self, key: Key, bit: PortBit, brought: PortMask, tree: Tree | None) -> None:
        """The same below `key`, where no advertisement begins."""
        own, above = self.subs.own, self.subs.above
        state, shifts = self.site.state, self.order.shifts
        scan = self.subs.keys.scan(key + 1, self.order.end(key))
        cell = next(scan, None)
        while cell is not None:
            over = above[cell]
            now = above[cell] = over ^ bit
            mine = own[cell]
            before = state(over, brought, over | mine, brought)
            after = state(now, brought, now | mine, brought)
            if before != after:
                self._change(cell, before, after, tree)
            if mine & bit:
                shift = shifts[cell & LENGTH_MASK]
                cell = _resume(scan, (cell >> shift) + 1 << shift)
            else:
                cell = next(scan, None)

    def _spread_a(self, key: Key, bit: PortBit, over: PortMask, own: PortMask, tree: Tree) -> None:
        """A at `key`, which was `own` and what lies over it, changes by `bit`."""
        a0 = over | own
        a1 = a0 ^ bit
        s_over = self.subs.over(key)
        s_at = s_over | self.subs.own.get(key, 0)
        before = self.site.state(s_over, over, s_at, a0)
        after = self.site.state(s_over, over, s_at, a1)
        if before != after:
            self._change(key, before, after, tree)
        self._compare_a(key, (over, a0), (over, a1), tree)
        if self.site.same_below(a0, a1, self.subs.seen):
            self._walk_a(key, bit, tree)
        else:
            self._walk(key, SubtreeFrame(self.order.end(key), s_at, s_at, a0, a1, tree), s_bit=0, a_bit=bit)

    def _walk_a(self, key: Key, bit: PortBit, tree: Tree) -> None:
        """The same below `key`, where the change means nothing to subscriptions."""
        own, above = self.ads.own, self.ads.above
        scan = self.ads.keys.scan(key + 1, self.order.end(key))
        cell = next(scan, None)
        while cell is not None:
            over = above[cell]
            now = above[cell] = over ^ bit
            mine = own[cell]
            self._compare_a(cell, (over, over | mine), (now, now | mine), tree)
            cell = _resume(scan, self.order.end(cell)) if mine & bit else next(scan, None)

    def _walk(self, key: Key, frame: SubtreeFrame, s_bit: PortBit, a_bit: PortBit) -> None:
        """Below `key`, one of S and A changes by its bit at cells of both layers."""
        subs, ads, state = self.subs, self.ads, self.site.state
        stack = [frame]
        skip = key
        for cell in self._both(key + 1, frame.end):
            if cell < skip:
                continue
            while stack[-1].end <= cell:
                stack.pop()
            _, s0, s1, a0, a1, tree = stack[-1]
            s_own, a_own = subs.own.get(cell, 0), ads.own.get(cell, 0)
            if s_bit and s_own:
                subs.above[cell] = s1
            if a_own:
                ads.above[cell] = a1
                tree = ads.tree[cell]
            s0_at, s1_at, a0_at, a1_at = s0 | s_own, s1 | s_own, a0 | a_own, a1 | a_own
            before, after = state(s0, a0, s0_at, a0_at), state(s1, a1, s1_at, a1_at)
            if before != after:
                self._change(cell, before, after, tree)
            end = self.order.end(cell)
            if a_bit and a_own and tree is not None:
                self._compare_a(cell, (a0, a0_at), (a1, a1_at), tree)
            if s0_at == s1_at and a0_at == a1_at:
                skip = end
            else:
                stack.append(SubtreeFrame(end, s0_at, s1_at, a0_at, a1_at, tree))

    def _both(self, low: Key, high: Key) -> Iterator[Key]:
        """Cells of either layer, depth first."""
        s_keys, a_keys = self.subs.keys.range(low, high), self.ads.keys.range(low, high)
        return iter(sorted({*s_keys, *a_keys}) if a_keys else s_keys)

    def _compare_a(self, key: Key, before: Masks, after: Masks, tree: Tree) -> None:
        """Export what changes for the neighbours when A over and at `key` changes."""
        wanted, links = self.site.wanted, tree.masks.get(self.site, 0)
        was = wanted(before[1], links) & ~wanted(before[0], links)
        now = wanted(after[1], links) & ~wanted(after[0], links)
        if was != now:
            self._export_a(key, was, now, tree)

    def _change(self, key: Key, before: State, after: State, tree: Tree | None) -> None:
        """The state at `key` changes: its entry, its exports, its entries with an `in_port`."""
        if before[0] != after[0]:
            self.put(key, before[0], after[0])
        if before[1] != after[1]:
            self._export_s(key, before[1], after[1], tree)
        if before[3] != after[3]:
            self.put_spare(key, after[3])
        if before[2] != after[2]:
            gone = {port for port, _, _ in before[2]} - {port for port, _, _ in after[2]}
            for port in gone:
                self.put_in((port, key), None)
            for port, outputs, back in after[2]:
                self.put_in((port, key), (outputs, back))

    def put(self, key: Key, before: PortMask, after: PortMask) -> None:
        """The outputs of the entry at `key` change (0: there is none, or TAKEN)."""
        fill, hidden = self.fill, self.hidden
        if before == TAKEN:
            fill.taken.remove(key)
        if after == TAKEN:
            fill.taken.add(key)
        if key in fill.halves:
            if after > 0:
                hidden[key] = after
            else:
                hidden.pop(key, None)
            return
        if before > 0 or after > 0:
            self._show(key, max(before, 0), max(after, 0))
        if not before:
            over = fill.close(key, self._entries)
            if over:
                hidden[over] = self._entries[over]
                self._show(over, hidden[over], 0)
        elif not after:
            over = fill.open(key, self._entries, hidden)
            if over:
                self._show(over, 0, hidden.pop(over))

    def put_spare(self, key: Key, after: PortMask) -> None:
        """The entry at `key`, if there is one, is installed without these outputs from now on."""
        self._touch(key, self._entries.get(key, 0))
        self.spare_touched.setdefault(key, self.spare.get(key, 0))
        if after:
            self.spare[key] = after
        else:
            del self.spare[key]

    def put_in(self, at: InPortKey, after: InPortMasks | None) -> None:
        """The entry of a port and cell is this one from now on; None: there is none."""
        port, key = at
        fill, shown = self.in_fill.get(port), OfPort(self.in_entries, port)
        if fill is None:
            fill = self.in_fill[port] = Fill(self.order)
        if key in fill.halves:
            if after is not None:
                self.in_hidden[at] = after
            else:
                self.in_hidden.pop(at, None)
            return
        before = self.in_entries.get(at)
        self._show_in(at, after)
        if before is None and after is not None:
            over = fill.close(key, shown)
            if over:
                self.in_hidden[port, over] = self.in_entries[port, over]
                self._show_in((port, over), None)
        elif before is not None and after is None:
            over = fill.open(key, shown, OfPort(self.in_hidden, port))
            if over:
                self._show_in((port, over), self.in_hidden.pop((port, over)))

    def _show(self, key: Key, before: PortMask, after: PortMask) -> None:
        """What is installed at `key` changes."""
        site = self.site
        self._touch(key, before)
        if after:
            self._entries[key] = after
            if not before:
                site.count += 1
        else:
            del self._entries[key]
            site.count -= 1

    def _show_in(self, key: InPortKey, after: InPortMasks | None) -> None:
        """This is installed for a port and cell from now on; None: nothing."""
        before = self.in_entries.get(key)
        if before == after:
            return
        site = self.site
        if not site.marked:
            self.queue.mark(site)
        self.queue.touch(self)
        self.in_touched.setdefault(key, before)
        if after is None:
            del self.in_entries[key]
            site.count -= 1
        else:
            self.in_entries[key] = after
            if before is None:
                site.count += 1

    def _touch(self, key: Key, before: PortMask) -> None:
        if not self.site.marked:
            self.queue.mark(self.site)
        self.queue.touch(self)
        self.touched.setdefault(key, before)

    def _clear_table(self) -> None:
        self.fill.clear()
        self.hidden.clear()
        self.in_fill.clear()
        self.in_hidden.clear()
        for key in list(self.spare):
            self.put_spare(key, 0)
        for key in list(self._entries):
            self._show(key, self._entries[key], 0)
        for at in list(self.in_entries):
            self._show_in(at, None)

    def _export_s(self, key: Key, was: PortMask, now: PortMask, tree: Tree | None) -> None:
        changed = was ^ now
        while changed:
            bit = changed & -changed
            changed ^= bit
            peer, peer_bit, link = self.peers[bit]
            if now & bit:
                self.queue.subscribe(peer, key, peer_bit)
            else:
                self.queue.unsubscribe(peer, key, peer_bit)
            if tree is not None:
                tree.carry(link, 1 if now & bit else -1)

    def _export_a(self, key: Key, was: PortMask, now: PortMask, tree: Tree) -> None:
        changed = was ^ now
        while changed:
            bit = changed & -changed
            changed ^= bit
            peer, peer_bit, _ = self.peers[bit]
            if now & bit:
                self.queue.advertise(peer, key, peer_bit, tree)
            else:
                self.queue.unadvertise(peer, key, peer_bit)


def _resume(scan: object, jump: Key) -> Key | None:
    """The next cell of a scan from `jump` on; None at its end."""
    try:
        return scan.send(jump)  # type: ignore[attr-defined, no-any-return]
    except StopIteration:
        return None
