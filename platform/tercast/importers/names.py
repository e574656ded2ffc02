"""Ids and labels: ids short, plain, unique and the same whenever the file is read; labels as they are."""

import re
import unicodedata
import zlib
from collections.abc import Hashable, Iterable

LONGEST_ID = 40
LONGEST_LABEL = 200


def slug(text: str) -> str:
    """`text` in lower-case ASCII letters, digits and hyphens; empty when nothing of it remains."""
    plain = unicodedata.normalize("NFKD", text[:1000]).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_ID].strip("-")


def unique_ids(labels: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    """An id for each (key, label): its slug; with the key behind it where another node has the same slug.

    A node's id depends on its own label and key, and on whether the slug is taken, not on where it stands in
    the file. Slugs that are left empty become `n` and the key; a key without any plain letter or digit counts
    by its checksum.
    """
    rows = list(labels)
    slugs = {key: slug(label) or f"n{_key_slug(key)}" for key, label in rows}
    holders: dict[str, list[Hashable]] = {}
    for key, name in slugs.items():
        holders.setdefault(name, []).append(key)
    ids = {keys[0]: name for name, keys in holders.items() if len(keys) == 1}
    taken = set(ids.values())
    last: dict[str, int] = {}
    for name, keys in holders.items():
        if len(keys) > 1:
            for key in keys:
                ids[key] = _free(f"{name}-{_key_slug(key)}", taken, last)
                taken.add(ids[key])
    return {key: ids[key] for key, _ in rows}


def plain_label(text: str) -> str:
    """The label without what cannot be kept: control characters, half surrogate pairs, excess length."""
    if not text.isprintable():
        text = "".join(map(_kept, text))
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 3] + "..."


def _kept(char: str) -> str:
    match unicodedata.category(char):
        case "Cc" | "Zl" | "Zp":
            return " "
        case "Cs":
            return "\ufffd"
        case _:
            return char


def _key_slug(key: Hashable) -> str:
    text = str(key)
    return slug(text) or f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _free(wanted: str, taken: set[str], last: dict[str, int]) -> str:
    """`wanted`, or it with the next number behind it; `last` keeps the numbers that were given."""
    name, number = wanted, last.get(wanted, 1)
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    last[wanted] = number
    return name
