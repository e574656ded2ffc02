"""Requirements of pyproject.toml are pinned in their files; production has no developer tools."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
FILES = {
    "requirements.txt": ("", [*PROJECT["project"]["dependencies"], *EXTRAS["production"]]),
    "requirements-labs.txt": ("requirements.txt", EXTRAS["labs"]),
    "requirements-test.txt": ("requirements-labs.txt", GROUPS["test"]),
    "requirements-dev.txt": ("requirements-labs.txt", GROUPS["dev"]),
}


def own_pins(file: str) -> dict[str, str]:
    lines = [line for line in (ROOT / file).read_text().splitlines() if "==" in line]
    return {name: version for name, _, version in (line.partition("==") for line in lines)}


def all_pins(file: str) -> dict[str, str]:
    base = FILES[file][0]
    return own_pins(file) | (all_pins(base) if base else {})


def requirements(texts: list[str]) -> list[Requirement]:
    found = []
    for requirement in map(Requirement, texts):
        if requirement.name == "tercast":
            found += [need for extra in sorted(requirement.extras) for need in requirements(EXTRAS[extra])]
        else:
            found.append(requirement)
    return found


@pytest.mark.parametrize("file", FILES)
def test_every_requirement_is_pinned_within_its_bounds(file):
    base, texts = FILES[file]
    pins = all_pins(file)
    lines = [line for line in (ROOT / file).read_text().splitlines() if not line.startswith("#")]
    assert [line for line in lines if "==" not in line] == ([f"-r {base}"] if base else [])
    names = requirements(texts)
    assert len(names) > 2
    for need in names:
        version = pins[canonicalize_name(need.name)]
        assert need.specifier.contains(version, prereleases=True), (need, version)


@pytest.mark.parametrize("file", [name for name in FILES if FILES[name][0]])
def test_a_file_repeats_nothing_of_the_file_that_it_includes(file):
    assert own_pins(file).keys() & all_pins(FILES[file][0]).keys() == set()


def test_the_files_agree_on_packages_that_several_name():
    test, dev = own_pins("requirements-test.txt"), own_pins("requirements-dev.txt")
    common = test.keys() & dev.keys()
    assert common and {name: test[name] for name in common} == {name: dev[name] for name in common}


def test_production_has_no_tool_of_developers():
    tools = {canonicalize_name(Requirement(text).name) for text in [*GROUPS["test"], *GROUPS["dev"]]}
    assert {"mypy", "playwright", "hypothesis", "pytest", "ruff"} <= tools
    assert tools & all_pins("requirements-labs.txt").keys() == set()


def test_every_part_of_the_set_up_installs_its_file():
    text = (ROOT / "scripts" / "setup.sh").read_text()
    assert [file for file in FILES if f"FILE={file} " not in text] == []
