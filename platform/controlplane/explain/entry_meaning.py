"""Topic and dz of installed entries, and filters of entry lists by both."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from controlplane.common.address_plan import address_plan
from controlplane.common.problems import bad_parameter
from controlplane.explain.region_text import Regions
from controlplane.network.models import InstalledEntry
from controlplane.registry.models import Topic
from controlplane.rest.query_parameters import ParameterKind, QueryFilterField
from tercast.errors import shown
from tercast.eventspace import dz


def with_topics(rows: Sequence[InstalledEntry]) -> list[InstalledEntry]:
    """Set `topic` and `region` (texts) of the rows; null if a match is not one of the plan.

    It makes four queries for any number of rows. A topic's odd code counts as its even one.
    """
    codes = {row.code for row in rows if row.code is not None}
    even = {code & ~1 for code in codes} | codes
    names = dict(Topic.objects.filter(code__in=even).values_list("code", "name"))
    regions = Regions.of_codes(codes)
    for row in rows:
        row.topic = row.region = None  # type: ignore[attr-defined]
        if row.code is not None and row.dz is not None:
            row.topic = names.get(row.code, names.get(row.code & ~1))  # type: ignore[attr-defined]
            row.region = regions.text(row.code, dz.parse(row.dz))  # type: ignore[attr-defined]
    return list(rows)


@dataclass(frozen=True, slots=True)
class TopicNameFilter(QueryFilterField):
    """Filter for entries under either code of a topic."""

    def condition(self, parameter: str, lookup: str, text: str) -> Q:
        """Return the condition; it matches nothing for an unknown topic."""
        named = Topic.objects.filter(name=self.kind.read(parameter, text))
        codes = [code & ~1 for code in named.values_list("code", flat=True)]
        return Q(code__in=[one for code in codes for one in (code, code | 1)])


@dataclass(frozen=True, slots=True)
class DzOverlapFilter(QueryFilterField):
    """Filter for entries whose dz contains the given dz, or is contained in it."""

    def condition(self, parameter: str, lookup: str, text: str) -> Q:
        """Return a condition by ranges of texts, for the index.

        A dz that is contained in the given one sorts before the given dz followed by a 2.
        """
        given = self.kind.read(parameter, text)
        above = [given[:bits] for bits in range(len(given))]
        return Q(dz__in=above) | Q(dz__gte=given, dz__lt=f"{given}2")


def _read_dz(name: str, text: str) -> str:
    room = address_plan().dz_room
    if text.strip("01"):
        raise bad_parameter(
            name, "not_a_dz", f"{name}={shown(text)} is not a dz; use only the digits 0 and 1.", text
        )
    if len(text) > room:
        detail = f"{name} has {len(text)} bits; at most {room} bits fit in an address. Shorten it."
        raise bad_parameter(name, "dz_too_long", detail, text)
    return text


DZ = ParameterKind(_read_dz, {"type": "string", "pattern": "^[01]*$", "maxLength": 128})
