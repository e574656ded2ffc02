"""Order and groups of the test files for `make test`, which runs them in several processes.

A process runs one group after the other. A group is a file, or all files that share a platform, a control
plane or a JVM. The groups that take longest start first, so that none is left running alone at the end.

`--dist loadgroup` selects these groups. pytest-xdist 3.8 has groups of its own under that name, but it
renames the tests to mark them, and pytest 9.2 ignores the new names: each test becomes a group.
"""

from collections.abc import Iterable
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

GROUPS = {
    "tests/analytics/": "spark",
    "tests/e2e/": "platform",
    "tests/e2e/test_network_page_large.py": "control plane",
    "tests/e2e/test_stream_server.py": "control plane",
    "tests/e2e/test_welcome_page.py": "tests/e2e/test_welcome_page.py",
    "tests/e2e/test_whole_api.py": "tests/e2e/test_whole_api.py",
}
"""The group of the files whose path begins so; the longest beginning counts."""

LONGEST_FIRST = ("platform", "browser", "spark", "fabric", "servers")
"""Groups and markers by the time that their files take."""


def group_of(test: str) -> str:
    """Return the group of a test by its id: one of `GROUPS`, or its file."""
    file = test.partition("::")[0]
    return GROUPS[max(found, key=len)] if (found := [one for one in GROUPS if file.startswith(one)]) else file


def _rank(item: pytest.Item) -> int:
    """Return the place of a test's group or markers in `LONGEST_FIRST`."""
    names = {group_of(item.nodeid), *(mark.name for mark in item.iter_markers())}
    return min(
        (place for place, name in enumerate(LONGEST_FIRST) if name in names), default=len(LONGEST_FIRST)
    )


def ordered(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return the tests with those of a group together, and the groups that take longest first."""
    groups: dict[str, list[pytest.Item]] = {}
    for item in items:
        groups.setdefault(group_of(item.nodeid), []).append(item)
    by_rank = sorted(groups.values(), key=lambda group: min(map(_rank, group)))
    return [item for group in by_rank for item in group]


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Give a whole group to one process."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


@pytest.hookimpl(trylast=True)  # pytest-django sorts the tests, too
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = ordered(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> GroupScheduling | None:
    return GroupScheduling(config, log) if config.getoption("dist") == "loadgroup" else None
