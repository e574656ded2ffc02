"""Order and groups of the test files for `--dist loadgroup --no-loadscope-reorder`, as `make test` runs them.

A worker runs one group after the other in this order. A group is a file, or all files that share a platform,
a browser or a JVM. The groups that take longest start first, so that none is left running alone at the end.
"""

from pathlib import Path

import pytest

SHARED = {"running": "browser", "plane": "browser", "browser": "browser", "spark": "spark"}
"""Fixtures that several files share, and the group of all files that use them."""

LONGEST_FIRST = ("browser", "spark", "fabric", "servers")
"""Markers and groups by the time that their files take."""


def _places(item: pytest.Item) -> list[int]:
    """Return the places of the markers of a test in `LONGEST_FIRST`."""
    return [place for place, name in enumerate(LONGEST_FIRST) if item.get_closest_marker(name)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    groups: dict[Path, str] = {}
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            if fixture in SHARED:
                groups[item.path] = SHARED[fixture]
    ranks: dict[str, int] = {}
    for item in items:
        group = groups.setdefault(item.path, item.nodeid.partition("::")[0])
        item.add_marker(pytest.mark.xdist_group(group))
        ranks[group] = min([*_places(item), ranks.get(group, len(LONGEST_FIRST))])
    items.sort(key=lambda item: ranks[groups[item.path]])
