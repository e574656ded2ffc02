"""Covers: parts of an exact table that fewer entries replace.

The installed table has an entry at the `dz` of a cover and at each `dz` in `kept`, and no other entries at or
below its `dz`. Entries below no cover are installed unchanged. A merge of Bhowmik et al. (section 3) is a
cover with an empty `kept`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from tercast.errors import Path, Refused, shown
from tercast.eventspace.dz import Dz, covers, overlaps, parse, text
from tercast.runtime.strict_json import expect_keys, expect_list, expect_object, expect_text, integer_of_text


@dataclass(frozen=True, slots=True)
class Cover:
    """One replaced part; `kept` are strictly below `dz`, unique, in text order, possibly nested."""

    dz: Dz
    kept: tuple[Dz, ...] = ()

    @classmethod
    def of(cls, dz: Dz, kept: Iterable[Dz] = ()) -> Cover:
        """Return a cover with its `kept` in order."""
        return cls(dz, tuple(sorted(set(kept), key=bin)))

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> Cover:
        """Read `{"dz": "0101", "kept": ["010100"]}`; refuse a wrong order or a dz outside."""
        fields = expect_keys(obj, path, ("dz", "kept"))
        dz = _read_dz(fields["dz"], (*path, "dz"))
        kept: list[Dz] = []
        for i, item in enumerate(expect_list(fields["kept"], (*path, "kept"))):
            where = (*path, "kept", i)
            kept.append(_read_dz(item, where))
            if kept[-1] == dz or not covers(dz, kept[-1]):
                detail = f"{shown(item)} is not longer than {shown(text(dz))}, or does not begin with it"
                raise Refused(where, "not_below", detail, item)
            if i and bin(kept[-2]) >= bin(kept[-1]):
                rule = f"{shown(item)} is not in text order, or occurs twice"
                raise Refused(where, "not_in_order", rule, item)
        return cls(dz, tuple(kept))

    def to_json(self) -> dict[str, object]:
        """Return the cover as in a request."""
        return {"dz": text(self.dz), "kept": [text(dz) for dz in self.kept]}

    def __len__(self) -> int:
        """Count the entries that the cover installs."""
        return 1 + len(self.kept)


@dataclass(frozen=True, slots=True)
class TableCovers:
    """All covers of one topic at one switch: of its plain entries, and of each ingress port.

    The covers of one table do not overlap and are in text order.
    """

    plain: tuple[Cover, ...] = ()
    in_port: Mapping[int, tuple[Cover, ...]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> TableCovers:
        """Read `{"plain": [cover, ...], "in_port": {"3": [cover, ...]}}`; each key is optional."""
        fields = expect_keys(obj, path, (), ("plain", "in_port"))
        by_port: dict[int, tuple[Cover, ...]] = {}
        for name, item in expect_object(fields.get("in_port", {}), (*path, "in_port")).items():
            where = (*path, "in_port", name)
            port = integer_of_text(name, where)
            if port < 1:
                raise Refused(
                    where, "out_of_range", f"{shown(name)} is not a port; a port is 1 or more", name
                )
            by_port[port] = _read_list(item, where)
        plain = _read_list(fields.get("plain", []), (*path, "plain"))
        return cls(plain, {port: by_port[port] for port in sorted(by_port) if by_port[port]})

    def to_json(self) -> dict[str, object]:
        """Return the covers as in a request, without empty tables."""
        out: dict[str, object] = {}
        if self.plain:
            out["plain"] = [cover.to_json() for cover in self.plain]
        if any(self.in_port.values()):
            out["in_port"] = {
                str(port): [cover.to_json() for cover in found]
                for port, found in sorted(self.in_port.items())
                if found
            }
        return out

    def __bool__(self) -> bool:
        return bool(self.plain) or any(self.in_port.values())


NetworkCovers = dict[str, dict[str, TableCovers]]
"""Covers by switch and topic."""


def read_network_covers(obj: object, path: Path = ()) -> NetworkCovers:
    """Read `{switch: {topic: covers of the table}}`; a switch with `{}` has no covers."""
    return {
        switch: {
            topic: TableCovers.from_json(item, (*path, switch, topic))
            for topic, item in expect_object(topics, (*path, switch)).items()
        }
        for switch, topics in expect_object(obj, path).items()
    }


def network_covers_json(found: Mapping[str, Mapping[str, TableCovers]]) -> dict[str, object]:
    """Return the covers of a network as in a request."""
    return {
        switch: {topic: covers.to_json() for topic, covers in topics.items() if covers}
        for switch, topics in found.items()
    }


def _read_dz(obj: object, path: Path) -> Dz:
    return parse(expect_text(obj, path), path)


def _read_list(obj: object, path: Path) -> tuple[Cover, ...]:
    found = [Cover.from_json(item, (*path, i)) for i, item in enumerate(expect_list(obj, path))]
    placed = sorted(enumerate(found), key=lambda item: bin(item[1].dz))
    for (_, one), (i, other) in pairwise(placed):
        if overlaps(one.dz, other.dz):
            detail = f'the covers at "{text(one.dz)}" and "{text(other.dz)}" overlap'
            raise Refused((*path, i), "overlap", detail, text(other.dz))
    return tuple(cover for _, cover in placed)
