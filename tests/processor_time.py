"""Report the processor time of the tests: the total, and with `--processor-times N` the N costliest files."""

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

_KEY = "processor_seconds"
_STARTED = pytest.StashKey[float]()
_BY_FILE: Counter[str] = Counter()


def _spent() -> float:
    """Return the user and system seconds of this process and of the children that it has waited for."""
    return sum(os.times()[:4])


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("terminal reporting")
    help_text = "show the N test files that take most processor time, child processes included"
    group.addoption("--processor-times", type=int, default=0, metavar="N", help=help_text)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    item.stash[_STARTED] = _spent()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if call.when == "teardown" and _STARTED in item.stash:
        report.user_properties.append((_KEY, _spent() - item.stash[_STARTED]))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for key, value in report.user_properties:
        if key == _KEY:
            _BY_FILE[report.nodeid.partition("::")[0]] += value


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    user, system, of_children_user, of_children_system = os.times()[
        :4
    ]  # workers have ended: they are children
    total = f"{user + of_children_user:.0f} s user, {system + of_children_system:.0f} s system"
    terminalreporter.write_line(f"processor time: {total}")
    for name, seconds in _BY_FILE.most_common(config.getoption("--processor-times")):
        terminalreporter.write_line(f"{seconds:9.1f} s  {name}")
