"""Ids and labels: ids short, plain, unique and the same whenever the file is read; labels as they are."""

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from hashlib import blake2b
from itertools import count

from tercast.topology.importers.raw_graph import text_of

LONGEST_ID = 40
LONGEST_LABEL = 200


def slug(text: str) -> str:
    """`text` in lower-case ASCII letters, digits and hyphens; empty when nothing of it remains."""
    plain = unicodedata.normalize("NFKD", text[:1000]).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_ID].strip("-")


def unique_ids(labels: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    """An id for each (key, label): its slug; with the key behind it where another node has the same slug.

    Where keys look alike too (they differ in punctuation, case, their ends, or in being text or number), a
    checksum of the exact key follows. So a node's id depends on its label and key, and on which others look
    like these, and never on where it stands in the file. Slugs that are left empty become `n` and the key; a
    key without any plain letter or digit counts by its checksum.
    """
    rows = list(labels)
    ids: dict[Hashable, str] = {}
    taken: set[str] = set()
    waiting = {key: slug(label) or f"n{_key_slug(key)}" for key, label in rows}
    for form in _FORMS:
        names = {key: form(name, key) for key, name in waiting.items()}
        times = Counter(names.values())
        ids |= {key: name for key, name in names.items() if times[name] == 1 and name not in taken}
        taken.update(names[key] for key in waiting.keys() & ids.keys())
        waiting = {key: name for key, name in waiting.items() if key not in ids}
    for key in sorted(waiting, key=_exact):
        ids[key] = _free(waiting[key], taken)
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
    text = text_of(key)
    return slug(text) or f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _exact(key: Hashable) -> str:
    """The key with what it is, so that 1 and "1" differ."""
    return f"{type(key).__name__} {text_of(key)}"


def _digest(key: Hashable, size: int) -> str:
    return blake2b(_exact(key).encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


_FORMS: tuple[Callable[[str, Hashable], str], ...] = (
    lambda name, _: name,
    lambda name, key: f"{name}-{_key_slug(key)}",
    lambda name, key: f"{name}-{_key_slug(key)}-{_digest(key, 4)}",
    lambda name, key: f"{name}-{_digest(key, 16)}",
)
"""What an id may be, the shortest form first; each is for those whose shorter forms are another's too."""


def _free(wanted: str, taken: set[str]) -> str:
    """`wanted` with the first number behind it that is free."""
    return next(name for n in count(2) if (name := f"{wanted}-{n}") not in taken)
