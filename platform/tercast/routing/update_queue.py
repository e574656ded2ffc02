"""What switches still have to be told by neighbours while a change spreads, and what has been touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tercast.routing.cell_keys import Key
from tercast.routing.switch_ports import PortBit, SwitchPorts
from tercast.routing.table_overlay import overlay_of

if TYPE_CHECKING:
    from tercast.routing.kernels.compiled_topic import Change, CompiledTopic
    from tercast.routing.spanning_tree import Tree
    from tercast.routing.switch_trie import SwitchTrie

Message = tuple["SwitchTrie", Key, PortBit]
Aside = list[tuple["SwitchTrie", dict[Any, Any], dict[Any, Any], Any]]


class UpdateQueue:
    """Changes of tries that wait: additions are taken before removals, and opposite ones cancel.

    Removals first would make entries go that come back a moment later.
    """

    __slots__ = ("_ads", "_ads_gone", "_marked", "_subs", "_subs_gone", "_webs", "tries")

    def __init__(self) -> None:
        self._subs: dict[Message, None] = {}
        self._ads: dict[Message, Tree] = {}
        self._subs_gone: dict[Message, None] = {}
        self._ads_gone: dict[Message, None] = {}
        self._marked: list[tuple[SwitchPorts, int]] = []
        self._webs: list[CompiledTopic] = []
        self.tries: list[SwitchTrie] = []

    @property
    def is_settled(self) -> bool:
        """Whether nothing waits."""
        return not (self._subs or self._ads or self._subs_gone or self._ads_gone or self._webs)

    def wait_for(self, web: CompiledTopic) -> None:
        """A web has something to carry out."""
        self._webs.append(web)

    def subscribe(self, trie: SwitchTrie, key: Key, bit: PortBit) -> None:
        """`bit` of `trie` is going to want `key`."""
        message = (trie, key, bit)
        if message in self._subs_gone:
            del self._subs_gone[message]
        else:
            self._subs[message] = None

    def unsubscribe(self, trie: SwitchTrie, key: Key, bit: PortBit) -> None:
        """`bit` of `trie` is going to want `key` no more."""
        message = (trie, key, bit)
        if message in self._subs:
            del self._subs[message]
        else:
            self._subs_gone[message] = None

    def advertise(self, trie: SwitchTrie, key: Key, bit: PortBit, tree: Tree) -> None:
        """`bit` of `trie` is going to bring `key` in `tree`."""
        message = (trie, key, bit)
        if message in self._ads_gone:
            del self._ads_gone[message]
        else:
            self._ads[message] = tree

    def unadvertise(self, trie: SwitchTrie, key: Key, bit: PortBit) -> None:
        """`bit` of `trie` is going to bring `key` no more."""
        message = (trie, key, bit)
        if message in self._ads:
            del self._ads[message]
        else:
            self._ads_gone[message] = None

    def settle(self) -> None:
        """Carry out all that waits, and all that follows from it, until nothing is left."""
        while self._webs:
            self._webs.pop().run()
        subs, ads, subs_gone, ads_gone = self._subs, self._ads, self._subs_gone, self._ads_gone
        while True:
            if subs:
                (trie, key, bit), _ = subs.popitem()
                trie.subscribe(key, bit)
            elif ads:
                (trie, key, bit), tree = ads.popitem()
                trie.advertise(key, bit, tree)
            elif subs_gone:
                (trie, key, bit), _ = subs_gone.popitem()
                trie.unsubscribe(key, bit)
            elif ads_gone:
                (trie, key, bit), _ = ads_gone.popitem()
                trie.unadvertise(key, bit)
            else:
                return

    def mark(self, site: SwitchPorts) -> None:
        """Note how many entries a switch has before its table changes for the first time in a request."""
        site.marked = True
        self._marked.append((site, site.count))

    def take_marked(self) -> list[tuple[SwitchPorts, int]]:
        """The switches whose tables changed since the last call, with their numbers of entries before."""
        marked = self._marked
        if not marked:
            return marked
        for site, _ in marked:
            site.marked = False
        self._marked = []
        return marked

    def touch(self, trie: SwitchTrie) -> None:
        """Note that the table of a topic at a switch is about to change; the order is that of the changes."""
        if not trie.is_touched:
            trie.is_touched = True
            self.tries.append(trie)

    def take_changes(self) -> dict[SwitchTrie, list[Change]]:
        """The changes of those touched tries whose plain entries webs know; they are gone from there."""
        found: dict[SwitchTrie, list[Change]] = {}
        for web in dict.fromkeys(trie.web for trie in self.tries):
            if web is not None:
                found.update(web.take_changes())
        return found

    def put_aside(self) -> Aside:
        """Hand over what was touched, and begin anew."""
        aside: Aside = []
        changes = self.take_changes()
        for trie in self.tries:
            overlay = overlay_of(trie)
            touched = {key: before for key, before, _ in changes.get(trie) or trie.changes()}
            aside.append((trie, touched, trie.in_touched, None if overlay is None else overlay.take()))
            trie.forget_changes()
            trie.is_touched = False
        self.tries = []
        return aside

    def take_back(self, aside: Aside) -> None:
        """Go on from what `put_aside` handed over; tables are as they were then."""
        self.tries = []
        for trie, touched, in_touched, installed in aside:
            overlay = overlay_of(trie)
            trie.is_touched = True
            if overlay is None or installed is None:
                trie.give_touched(touched)
                trie.in_touched = in_touched
            if overlay is not None:
                if installed is None:  # it came since
                    overlay.take_exact()
                else:
                    overlay.give(installed)
            self.tries.append(trie)
