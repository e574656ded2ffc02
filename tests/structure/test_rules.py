"""Rules of the source tree: sizes, names and imports. `docs/development.md` explains them."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter

from tests.structure.source_tree import OWN, ROOT, Module, imported_modules, modules

MOST_MODULES = 20
MOST_LINES, MOST_OF_CLASS, MOST_OF_FUNCTION = 300, 250, 40

VAGUE_NAMES = {
    "answer",
    "answers",
    "aside",
    "board",
    "chunk",
    "former",
    "given",
    "ground",
    "hot",
    "keeper",
    "kept",
    "lag",
    "made",
    "naming",
    "partly",
    "quick",
    "room",
    "scene",
    "squeeze",
    "stakes",
    "standing",
    "tell",
    "things",
    "told",
    "turn",
    "turning",
    "turns",
    "util",
    "utils",
    "way",
    "ways",
    "work",
    "works",
}
"""Words that do not name what a module contains."""

SHARED_CLASSES = {
    # Django and argparse give these names
    "Command",
    "Meta",
    # Django models and what they store (docs/decisions/0010-names-of-models.md)
    "Host",
    "Link",
    "Policy",
    "Publisher",
    "Run",
    "Subscriber",
    "Switch",
    "Topic",
    "Tree",
}

NEXT_TO_TESTS = {
    # lists that one test compares
    "controller/twin.py",
    "controlplane/contracts/golden_documents.py",
    "controlplane/contracts/public_surface.py",
    "structure/source_tree.py",
}

MIRRORS = [
    ("tests/core", "platform/tercast", {"test_fuzz.py"}),
    ("tests/controlplane", "platform/controlplane", {"contracts"}),
    ("tests/analytics", "analytics", set()),
    ("tests/labs", "mininet_labs", {"test_full_disk.py", "test_service_logs.py"}),
    ("tests/controller", "controller_app", {"test_open_vswitch.py", "test_shortage.py", "test_twin.py"}),
]
"""Folders of tests, the package whose subpackages they mirror, and what else is there."""


def _parts(module: Module, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    return (node for node in ast.walk(module.tree) if isinstance(node, kinds))


def _length(node: ast.AST) -> int:
    return int(node.end_lineno) - int(node.lineno) + 1  # type: ignore[attr-defined]


def test_a_folder_has_few_modules() -> None:
    counts = Counter(one.path.rpartition("/")[0] for one in modules() if not one.path.endswith("__init__.py"))
    too_many = {name: n for name, n in counts.items() if n > MOST_MODULES}
    assert not too_many


def test_a_module_is_short() -> None:
    assert not {one.path: one.lines for one in modules() if not one.is_kernel and one.lines > MOST_LINES}


def test_a_module_name_says_what_it_contains() -> None:
    assert not [one.path for one in modules() if one.path.rpartition("/")[2][:-3] in VAGUE_NAMES]


def test_a_class_is_short() -> None:
    classes = [(one.path, node) for one in modules() for node in _parts(one, ast.ClassDef)]
    assert not {f"{path}:{node.name}" for path, node in classes if _length(node) > MOST_OF_CLASS}


def test_a_function_is_short() -> None:
    too_long = {
        f"{one.path}:{node.name}"
        for one in modules()
        if not one.is_kernel
        for node in _parts(one, ast.FunctionDef, ast.AsyncFunctionDef)
        if _length(node) > MOST_OF_FUNCTION
    }
    assert not too_long


def test_a_class_name_means_one_thing() -> None:
    places = defaultdict(set)
    for one in modules():
        for node in _parts(one, ast.ClassDef):
            places[node.name].add(one.path)
    shared = {name for name, paths in places.items() if len(paths) > 1}
    assert shared == SHARED_CLASSES


def test_scenes_and_judges_of_tests_are_in_support() -> None:
    """A test module imports no other one, and next to tests there are no modules of other kinds."""
    imports, other = [], []
    for path in sorted((ROOT / "tests").glob("*/**/*.py")):
        place = path.relative_to(ROOT / "tests")
        if place.parts[0] in ("support", "benchmarks"):
            continue
        if not path.name.startswith(("test_", "conftest")) and place.as_posix() not in NEXT_TO_TESTS:
            other.append(place.as_posix())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2].startswith(
                "test_"
            ):
                imports.append(f"{place}:{node.lineno}: {node.module}")
    assert not imports
    assert not other


def test_no_regular_expression_has_a_possessive_group() -> None:
    """Python before 3.11.5, for example that of Debian 12, lets such a group match half of its text."""
    group = re.compile(r"\)[?*+]\+|\(\?>")
    texts = {
        one.path: node.value
        for one in modules()
        for node in _parts(one, ast.Constant)
        if isinstance(node.value, str) and group.search(node.value) and "[" in node.value  # type: ignore[attr-defined]
    }
    assert not texts


def test_own_packages_are_imported_at_the_top() -> None:
    late = []
    for one in modules():
        if one.path.endswith("/apps.py"):
            continue
        for function in _parts(one, ast.FunctionDef, ast.AsyncFunctionDef):
            late += [
                f"{one.path}:{node.lineno}"
                for node in ast.walk(function)
                if any(name.partition(".")[0] in OWN for name in _imported_names(node))
            ]
    assert not late


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Imports for type checking and those inside functions count."""
    names = {one.name: one for one in modules()}
    edges = {name: sorted(imported_modules(one, names) - {name}) for name, one in names.items()}
    sorter = TopologicalSorter(edges)
    sorter.prepare()  # raises CycleError, which names the circle


def test_one_module_compiles() -> None:
    importing = {
        one.path
        for one in modules()
        for node in _parts(one, ast.Import, ast.ImportFrom)
        if any(name.partition(".")[0] == "numba" for name in _imported_names(node))
    }
    numbers = "platform/tercast/encoding/kernels/wide_numbers.py"  # defines operations of numbers
    known = {"platform/tercast/runtime/compiler.py", "platform/tercast/runtime/kernel_cache.py", numbers}
    assert importing == known


def _imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def test_tests_mirror_packages() -> None:
    for tests, package, more in MIRRORS:
        found = {path.relative_to(ROOT / tests).parts[0] for path in (ROOT / tests).rglob("test_*.py")}
        packages = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        packages |= {f"test_{path.name}" for path in (ROOT / package).glob("*.py")}
        assert found - more <= packages, tests


def test_the_architecture_page_names_modules_that_exist() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    places = [ROOT / name for name in ("platform", "platform/tercast", "platform/controlplane", ".")]
    places.append(ROOT / "controller_app")
    named = re.findall(r"`([a-z_]+(?:/[a-z_]+)+)(?:\.py)?`", page + glossary)
    assert len(named) > 80
    missing = [
        name
        for name in named
        if not any((place / name).is_dir() or (place / f"{name}.py").is_file() for place in places)
    ]
    assert not missing


def test_a_kernel_has_the_name_of_its_plain_twin() -> None:
    found = 0
    for one in modules():
        if not one.is_kernel:
            continue
        twin = re.search(r"[Tt]win of `([a-z_.]+)`", ast.get_docstring(one.tree) or "")
        if twin is not None:
            found += 1
            plain = f"platform/{twin[1].replace('.', '/')}.py"
            assert one.path.replace("/kernels/", "/") == plain
            assert (ROOT / plain).is_file()
    assert found > 6


def test_the_walk_of_a_request_names_few_modules() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(
        r"^\|.*\| (`.*) \|$", page.partition("## One request")[2].partition("## Where")[0], re.MULTILINE
    )
    named = {name for step in steps for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+)`", step)}
    assert len(named) < 50
    assert f"These are {len(named)} modules." in page
