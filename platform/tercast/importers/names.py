"""Ids from labels: short, plain, unique, and the same whenever the file is read."""

import re
import unicodedata
from collections.abc import Hashable, Iterable

LONGEST_ID = 40


def slug(text: str) -> str:
    """`text` in lower-case ASCII letters, digits and hyphens; empty when nothing of it remains."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_ID].strip("-")


def unique_ids(labels: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    """An id for each (key, label): its slug; with the key behind it where another node has the same slug.

    A node's id depends on its own label and key, and on whether the slug is taken, not on where it stands in
    the file. Slugs that are left empty become `n` and the key.
    """
    rows = list(labels)
    slugs = {key: slug(label) or f"n{slug(str(key))}" for key, label in rows}
    holders: dict[str, list[Hashable]] = {}
    for key, name in slugs.items():
        holders.setdefault(name, []).append(key)
    ids = {keys[0]: name for name, keys in holders.items() if len(keys) == 1}
    taken = set(ids.values())
    for name, keys in holders.items():
        if len(keys) > 1:
            for key in keys:
                ids[key] = _free(f"{name}-{slug(str(key)) or 'x'}", taken)
                taken.add(ids[key])
    return {key: ids[key] for key, _ in rows}


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name in taken:
        name = f"{wanted}-{number}"
        number += 1
    return name
