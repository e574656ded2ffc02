"""Several table changes, one after the other, as the one change that they come to."""

from dataclasses import dataclass, field

from tercast.tables.entries import Entry, Key, SwitchDiff, switch_diff


@dataclass(slots=True)
class _Fate:
    """An entry's place in a table: whether something was there before, what if known, and what is there now.

    `last` is what was there last, when nothing is there now.
    """

    existed: bool
    before: Entry | None
    now: Entry | None = None
    last: Entry | None = None


@dataclass(slots=True)
class Merged:
    """Takes changes in order; switches stand in the order in which they first came."""

    _fates: dict[str, dict[Key, _Fate]] = field(default_factory=dict)

    def take(self, diff: SwitchDiff) -> None:
        """`diff` comes after all that was taken before."""
        fates = self._fates.setdefault(diff.switch, {})
        for entry in diff.added:
            fates.setdefault(entry.key, _Fate(False, None)).now = entry
        for entry in diff.modified:
            fates.setdefault(entry.key, _Fate(True, None)).now = entry
        for entry in diff.removed:
            fate = fates.setdefault(entry.key, _Fate(True, entry))
            fate.now, fate.last = None, entry

    def diffs(self) -> list[SwitchDiff]:
        """What it all comes to, without switches where it comes to nothing."""
        found = [_net(switch, list(fates.values())) for switch, fates in self._fates.items()]
        return [diff for diff in found if len(diff)]


def _net(switch: str, fates: list[_Fate]) -> SwitchDiff:
    return switch_diff(
        switch,
        (fate.now for fate in fates if fate.now and not fate.existed),
        (fate.now for fate in fates if fate.now and fate.existed and fate.now != fate.before),
        (fate.last for fate in fates if fate.last and fate.existed and fate.now is None),
    )
