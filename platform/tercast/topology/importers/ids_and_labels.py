"""Ids and labels: short, plain, unique and reproducible ids; labels as they are in the file."""

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
    """Convert `text` to lower-case ASCII letters, digits and hyphens; the result may be empty."""
    plain = unicodedata.normalize("NFKD", text[:1000]).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_ID].strip("-")


def unique_ids(labels: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    """Choose an id for each pair of a key and a label: the label's slug, and more if needed.

    If another node has the same slug, the key follows the slug. If the keys look alike too, a checksum of the
    exact key follows. Keys look alike if they differ only in punctuation, case, their ends, or their type
    (text or number). Therefore the id of a node depends on its label, its key and the similar nodes, but
    never on its position in the file. If the slug is empty, the id is `n` and the key. A key without an ASCII
    letter or digit is replaced by its checksum.
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
    """Return the label without control characters, lone surrogates and excess length."""
    if not text.isprintable():
        text = "".join(map(_replace_unprintable, text))
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 3] + "..."


def _replace_unprintable(char: str) -> str:
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
    """Return the key with its type, so that 1 and "1" differ."""
    return f"{type(key).__name__} {text_of(key)}"


def _digest(key: Hashable, size: int) -> str:
    return blake2b(_exact(key).encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


_FORMS: tuple[Callable[[str, Hashable], str], ...] = (
    lambda name, _: name,
    lambda name, key: f"{name}-{_key_slug(key)}",
    lambda name, key: f"{name}-{_key_slug(key)}-{_digest(key, 4)}",
    lambda name, key: f"{name}-{_digest(key, 16)}",
)
"""Forms of an id, the shortest first; a node gets the first form that no other node has."""


def _free(wanted: str, taken: set[str]) -> str:
    """Return `wanted` with the first free number as a suffix."""
    return next(name for n in count(2) if (name := f"{wanted}-{n}") not in taken)
