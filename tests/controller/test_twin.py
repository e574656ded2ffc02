"""The selection of tests that run on os-ken: every module that uses the library has a test file."""

from __future__ import annotations

from pathlib import Path

from tests.controller.twin import OPENFLOW_FILES, TESTED_BY

HERE = Path(__file__).parent
MODULES = HERE.parents[1] / "controller_app"


def users(folder: Path) -> set[str]:
    """Return the modules that import `ryu_api`, by their path in the folder."""
    return {
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.py")
        if "controller_app.ryu_api import" in path.read_text()
    }


def test_every_module_that_uses_the_library_names_its_test() -> None:
    assert users(MODULES) <= TESTED_BY.keys()
    assert all((MODULES / f"{name}.py").exists() for name in TESTED_BY)


def test_every_file_is_there_and_those_that_call_the_library_are_among_them() -> None:
    assert all((HERE / f"{name}.py").exists() for name in OPENFLOW_FILES)
    assert users(HERE) - {"test_twin"} <= OPENFLOW_FILES


def test_the_marker_is_on_these_files_alone(request) -> None:
    items = request.session.items
    marked = {_name(one.path) for one in items if one.get_closest_marker("openflow")}
    own = {_name(one.path) for one in items if one.path.is_relative_to(HERE)}
    assert marked == own & OPENFLOW_FILES


def _name(path: Path) -> str:
    return path.relative_to(HERE).with_suffix("").as_posix()
