"""Combination of consecutive table changes into one equivalent change."""

from dataclasses import dataclass, field

from tercast.tables.entries import Entry, MatchKey, SwitchDiff, switch_diff


@dataclass(slots=True)
class _Fate:
    """History of a key: whether an entry existed, that entry if known, and the present one.

    `last` is the last entry, if there is none now.
    """

    existed: bool
    before: Entry | None
    now: Entry | None = None
    last: Entry | None = None


@dataclass(slots=True)
class Merged:
    """Accumulates changes in order; switches keep the order in which they first occurred."""

    _fates: dict[str, dict[MatchKey, _Fate]] = field(default_factory=dict)

    def append(self, diff: SwitchDiff) -> None:
        """Append `diff` to the sequence."""
        fates = self._fates.setdefault(diff.switch, {})
        for entry in diff.added:
            fates.setdefault(entry.key, _Fate(False, None)).now = entry
        for entry in diff.modified:
            fates.setdefault(entry.key, _Fate(True, None)).now = entry
        for entry in diff.removed:
            fate = fates.setdefault(entry.key, _Fate(True, entry))
            fate.now, fate.last = None, entry

    def diffs(self) -> list[SwitchDiff]:
        """Return the net change, without switches that do not change."""
        found = [_net(switch, list(fates.values())) for switch, fates in self._fates.items()]
        return [diff for diff in found if len(diff)]


def _net(switch: str, fates: list[_Fate]) -> SwitchDiff:
    return switch_diff(
        switch,
        (fate.now for fate in fates if fate.now and not fate.existed),
        (fate.now for fate in fates if fate.now and fate.existed and fate.now != fate.before),
        (fate.last for fate in fates if fate.last and fate.existed and fate.now is None),
    )
