"""JSON values of which a page shows a part.

`...` replaces what is left out:

- as the last member of an object or an array: further members,
- as a value: any value,
- within a text: any characters.
"""

import json
import re
from typing import Any

DOTS = "..."
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\.\.\.|…|[^".…]+|\.')


def read_excerpt(text: str) -> Any:
    """Read a value in which `...` replaces parts; a text `...` replaces each of them.

    Raises:
        ValueError: It is not JSON apart from the dots.
    """
    found = ""
    for token in TOKEN.findall(text):
        if token in {DOTS, "…"}:
            is_member = re.search(r"\{\s*$|,\s*$", found) and _is_in_object(found)
            found += f'"{DOTS}": null' if is_member else f'"{DOTS}"'
        else:
            found += token
    return json.loads(found)


def _is_in_object(text: str) -> bool:
    """Whether the innermost bracket that is open at the end of a text is that of an object."""
    opened: list[str] = []
    for bracket in re.findall(r"[][{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        if bracket in "[{":
            opened.append(bracket)
        elif opened:
            opened.pop()
    return opened[-1:] == ["{"]


def differs(shown: str, printed: str) -> str | None:
    """Return what a page shows and a command does not print; None where both agree."""
    try:
        found = json.loads(printed)
    except ValueError:
        return f"the commands print no JSON:\n{printed}"
    place = first_difference(read_excerpt(shown), found)
    return place and f"the page shows another value at {place}; the commands print\n{printed}"


def first_difference(shown: Any, found: Any, place: str = "$") -> str | None:
    """Return the place of the first value that differs; None where the values agree."""
    if shown == DOTS:
        return None
    if isinstance(shown, dict) and isinstance(found, dict):
        if not (DOTS in shown or shown.keys() >= found.keys()):
            return f"{place}, which also has {', '.join(found.keys() - shown.keys())}"
        pairs = [(f"{place}.{key}", value, found.get(key, KeyError)) for key, value in shown.items()]
        pairs = [pair for pair in pairs if pair[0] != f"{place}.{DOTS}"]
    elif isinstance(shown, list) and isinstance(found, list):
        is_open = shown[-1:] == [DOTS]
        if not (len(shown) == len(found) or (is_open and len(shown) - 1 <= len(found))):
            return f"{place}, which has {len(found)} values"
        pairs = [
            (f"{place}[{at}]", value, found[at]) for at, value in enumerate(shown[:-1] if is_open else shown)
        ]
    elif isinstance(shown, str) and isinstance(found, str):
        pattern = ".*?".join(map(re.escape, re.split(r"\.\.\.|…", shown)))
        return None if re.fullmatch(pattern, found, re.DOTALL) else place
    else:
        return None if type(shown) is type(found) and shown == found else place
    return next((one for at, value, other in pairs if (one := first_difference(value, other, at))), None)
