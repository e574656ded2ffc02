"""Limits of encodings and trees."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.encoding.encoder import MAX_LIMIT
from tercast.errors import Path
from tercast.eventspace.address_plan import AddressPlan
from tercast.runtime.strict_json import expect_integer, expect_keys

MAX_DZ_LENGTH = 112
MAX_DZ_PER_FILTER = MAX_LIMIT
MAX_TREES = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum bits of a dz (None: no limit), cells of a filter, trees of a topic by component."""

    max_dz_length: int | None = None
    max_dz_per_filter: int = 50
    max_trees: int = 64

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> Limits:
        """Read the `limits` of a scenario; each key is optional."""
        fields = expect_keys(obj, path, (), ("max_dz_length", "max_dz_per_filter", "max_trees"))
        highest = {
            "max_dz_length": MAX_DZ_LENGTH,
            "max_dz_per_filter": MAX_DZ_PER_FILTER,
            "max_trees": MAX_TREES,
        }
        return cls(
            **{key: expect_integer(value, (*path, key), 1, highest[key]) for key, value in fields.items()}
        )

    def to_json(self) -> dict[str, object]:
        """Write the `limits` object of a scenario."""
        out: dict[str, object] = {"max_dz_per_filter": self.max_dz_per_filter, "max_trees": self.max_trees}
        if self.max_dz_length is not None:
            out["max_dz_length"] = self.max_dz_length
        return out

    def depth(self, address: AddressPlan) -> int:
        """The length of a full-depth dz: the limit, or the dz bits of an address if fewer."""
        return address.dz_room if self.max_dz_length is None else min(self.max_dz_length, address.dz_room)
