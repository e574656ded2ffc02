"""Rules of the source tree: sizes, names and imports. `docs/development.md` explains them."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
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
"""Words that do not name what a module, a class or a function contains."""

BARE_VERBS = {"ask", "look", "note", "see", "take", "tell"}
"""Verbs that name a function only together with an object: `record_heartbeat`, not `note`."""

VAGUE_FUNCTIONS = BARE_VERBS | {"broken", "but", "followed", "held", "settled", "still_owing", "stuck"}
"""Words that do not name what a function does; a public property or method may have a participle as name."""

VAGUE_CLASSES = {
    "act",
    "carried",
    "decided",
    "deeds",
    "effort",
    "eyes",
    "facts",
    "from",
    "gone",
    "holding",
    "inside",
    "judge",
    "known",
    "least",
    "means",
    "meeting",
    "misread",
    "missed",
    "missing",
    "need",
    "net",
    "oftopic",
    "past",
    "picture",
    "positioned",
    "recent",
    "seen",
    "served",
    "shown",
    "shrunk",
    "tight",
    "unfit",
    "wanting",
    "wires",
    "wish",
}
"""Words that do not name what a class contains, in lower case."""

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

SHARED_ALIASES = {
    # Django models (docs/decisions/0010-names-of-models.md)
    "Action",
    "Place",
    "Port",
    "Request",
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


KERNEL_TWINS = {
    "encoding/kernels/budgeted_search",
    "encoding/kernels/cell_node",
    "encoding/kernels/cell_selection",
    "encoding/kernels/grid_boxes",
    "encoding/kernels/refinement",
    "encoding/kernels/refinement_tree",
    "filters/kernels/parser",
    "routing/kernels/port_semantics",
    "routing/kernels/propagation",
    "routing/kernels/shadowing",
    "routing/kernels/update_queue",
}
"""Modules of folders `kernels` that give the results of the plain module with the same name."""

_WIDE = "second size of numbers, 128 bits, of"
_CUTS = "compiled version, 256 bits, of"
_ONE_SOURCE = "runs compiled or as plain Python, from one source (`runtime/jit`)"

KERNELS_WITHOUT_TWIN = {
    "encoding/kernels/box_encoder": "encoder of `encoding/encoder` for one box; calls the kernels",
    "encoding/kernels/cut_branches": f"{_CUTS} `encoding/cut_refinement`",
    "encoding/kernels/cut_encoder": "encoder of `encoding/encoder` for a space with cuts; calls the kernels",
    "encoding/kernels/cut_grids": "arrays of the values in `eventspace/cut_space`",
    "encoding/kernels/cut_rows": f"{_CUTS} the descent in `encoding/cut_refinement`",
    "encoding/kernels/disjoint_parts": "second part of the compiled version of `encoding/grid_boxes`",
    "encoding/kernels/grid_codes": f"{_WIDE} `eventspace/interleaving` and `eventspace/bisection`",
    "encoding/kernels/number_heap": "data structure; the plain modules use heapq",
    "encoding/kernels/part_encoder": "encoder of `encoding/encoder` for many parts; calls the kernels",
    "encoding/kernels/part_search": f"{_WIDE} `encoding/budgeted_search`",
    "encoding/kernels/part_selection": f"{_WIDE} `encoding/cell_selection`",
    "encoding/kernels/smallest_cell": "first part of the compiled version of `encoding/refinement`",
    "encoding/kernels/volume_estimate": "third part of the compiled version of `encoding/refinement`",
    "encoding/kernels/wide_numbers": "arithmetic; Python's integers have it",
    "optimizer/kernels/entries": _ONE_SOURCE,
    "optimizer/kernels/exceptions": _ONE_SOURCE,
    "optimizer/kernels/merges": _ONE_SOURCE,
    "optimizer/kernels/tries": _ONE_SOURCE,
    "routing/kernels/compiled_storage": "second implementation of the protocol in `routing/trie_storage`",
    "routing/kernels/compiled_tables": "tables of a compiled topic, read from its arrays",
    "routing/kernels/compiled_topic": "a topic in arrays: calls the kernels, replaces `routing/topic_tries`",
    "routing/kernels/network_rows": "arrays of the values in `routing/switch_ports`",
    "routing/kernels/node_keys": "keys of `routing/cell_keys` at the depth of compiled tries",
    "routing/kernels/operations": "constants",
    "routing/kernels/patricia": "data structure of compiled tries; `routing/switch_trie` uses dictionaries",
    "routing/kernels/table_changes": "net changes of compiled tables, as rows",
}
"""The other modules, and why no plain module has their name."""


_COMPILED = "loads compiled code only if a problem is large enough for it"
_COMMANDS = "loads a command only when it runs, and reports missing packages"
_PROCESS = "starts a process of its own from the module"
_TASK = "names a scheduled task, not the module"

NAMED_BY_STRING = {
    "analytics/__main__.py": _COMMANDS,
    "controller_app/__main__.py": "makes the standard library cooperative before it imports the launcher",
    "controller_app/launcher.py": "passes the application to Ryu, which imports it",
    "controller_app/ryu_api.py": "finds the modules that call a logger in tracebacks",
    "mininet_labs/__main__.py": _COMMANDS,
    "mininet_labs/commands.py": _COMMANDS,
    "mininet_labs/demo/feed.py": _PROCESS,
    "mininet_labs/demo/platform_up.py": _PROCESS,
    "mininet_labs/figures/runner.py": _PROCESS,
    "mininet_labs/lab/network.py": _PROCESS,
    "platform/controlplane/aggregation/process_client.py": _PROCESS,
    "platform/controlplane/common/celery.py": "Celery reads settings and queues by name",
    "platform/controlplane/common/child_process.py": "Django reads its settings by name",
    "platform/controlplane/config/asgi.py": "Django reads its settings by name",
    "platform/controlplane/config/settings.py": "Django imports applications and URLs by name",
    "platform/controlplane/config/urls.py": "Django imports the URLs of packages by name",
    "platform/controlplane/network/import_reader.py": _PROCESS,
    "platform/controlplane/operations/bootstrap.py": _TASK,
    "platform/controlplane/rest/openapi.py": "compares the module of a view",
    "platform/controlplane/worker/dimension_tasks.py": _TASK,
    "platform/controlplane/worker/telemetry_tasks.py": _TASK,
    "platform/tercast/__main__.py": _COMMANDS,
    "platform/tercast/cli/main.py": _COMMANDS,
    "platform/tercast/cli/precompile.py": _COMPILED,
    "platform/tercast/client/__main__.py": _COMMANDS,
    "platform/tercast/compiled/__main__.py": _COMMANDS,
    "platform/tercast/encoding/dispatch.py": _COMPILED,
    "platform/tercast/routing/topic_tries.py": _COMPILED,
    "platform/tercast/runtime/jit.py": _COMPILED,
}
"""Modules with strings that name own modules, and the reasons; `apps.py` names its own package."""

IMPORTS_BY_NAME = {
    "controller_app/__main__.py": "makes the standard library cooperative before it imports the launcher",
    "controller_app/ryu_api.py": "imports Ryu or os-ken, whichever is installed",
    "mininet_labs/commands.py": _COMMANDS,
    "platform/controlplane/live/openers.py": "imports the session engine of the settings, as Django does",
    "platform/tercast/cli/main.py": _COMMANDS,
    "platform/tercast/client/__init__.py": "loads each public name of the library when it is first used",
    "platform/tercast/runtime/jit.py": _COMPILED,
    "platform/tercast/runtime/packages.py": _COMMANDS,
}
"""Modules that import another one by a name that they compute, and the reasons."""


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


def test_the_name_of_a_class_or_function_says_what_it_does() -> None:
    """A public method may be `take`, like that of a queue, or a noun that its class explains.

    The underscores of private names do not count.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for one in modules():
        classes = [node for node in ast.walk(one.tree) if isinstance(node, ast.ClassDef)]
        names = {
            name for name in _functions(one.tree.body) if name.strip("_") in VAGUE_NAMES | VAGUE_FUNCTIONS
        }
        for node in classes:
            names |= {
                name
                for name in _functions(node.body)
                if name.strip("_") in (BARE_VERBS - {"take"})
                or (name.startswith("_") and name.strip("_") in VAGUE_NAMES | VAGUE_FUNCTIONS)
            }
            if node.name.strip("_").lower() in VAGUE_NAMES | VAGUE_CLASSES:
                names.add(node.name)
        if names:
            found[one.path] = names
    assert not found


def _functions(body: Iterable[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


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
    """The underscore of a private class does not count."""
    places = defaultdict(set)
    for one in modules():
        for node in _parts(one, ast.ClassDef):
            places[node.name.strip("_")].add(one.path)  # type: ignore[attr-defined]
    shared = {name for name, paths in places.items() if len(paths) > 1}
    assert shared == SHARED_CLASSES


def test_a_type_alias_means_one_thing() -> None:
    """Two aliases have the same name only if they have the same definition; none has the name of a class."""
    meanings: dict[str, set[str]] = defaultdict(set)
    for one in modules():
        for node in one.tree.body:
            if isinstance(node, ast.ClassDef):
                meanings[node.name.strip("_")].add(f"class in {one.path}")
            elif _is_alias(node):
                definition = ast.unparse(node.value).removeprefix("npt.")  # type: ignore[attr-defined]
                meanings[node.targets[0].id.strip("_")].add(definition)  # type: ignore[attr-defined]
    shared = {
        name: found
        for name, found in meanings.items()
        if len(found) > 1 and not all(one.startswith("class in ") for one in found)
    }
    assert shared.keys() == SHARED_ALIASES, shared


def _is_alias(node: ast.stmt) -> bool:
    """Return whether a statement gives a type or a type expression a second name."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            is_call = isinstance(value, ast.Call)
            return re.fullmatch(r"_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*", name) is not None and not is_call
    return False


def test_scenes_and_judges_of_tests_are_in_support() -> None:
    """A test module imports no other one, and next to tests there are no modules of other kinds."""
    imports: list[str] = []
    other = set()
    for path in sorted((ROOT / "tests").glob("*/**/*.py")):
        place = path.relative_to(ROOT / "tests")
        if place.parts[0] in ("support", "benchmarks"):
            continue
        if not path.name.startswith(("test_", "conftest")):
            other.add(place.as_posix())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").rpartition(".")[2].startswith(
                "test_"
            ):
                imports.append(f"{place}:{node.lineno}: {node.module}")
    assert not imports
    assert other == NEXT_TO_TESTS


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
        for block in _parts(one, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
            if one.path.endswith("/apps.py") and block.name == "ready":  # type: ignore[attr-defined]
                continue
            inside = block.body if isinstance(block, ast.ClassDef) else ast.walk(block)
            late += [
                f"{one.path}:{node.lineno}"
                for node in inside
                if any(name.partition(".")[0] in OWN for name in _imported_names(node))
            ]
    assert not late


def test_imports_have_absolute_names() -> None:
    """Checks of imports do not read relative names."""
    relative = [
        f"{one.path}:{node.lineno}"  # type: ignore[attr-defined]
        for one in modules()
        for node in _parts(one, ast.ImportFrom)
        if node.level  # type: ignore[attr-defined]
    ]
    assert not relative


def test_strings_that_name_own_modules_have_a_reason() -> None:
    """Such a string can import a module in a function, where no check of imports sees it."""
    names = {one.name for one in modules() if "." in one.name}
    found = {
        one.path
        for one in modules()
        if not one.path.endswith("/apps.py")
        for node in _parts(one, ast.Constant)
        if isinstance(node.value, str) and node.value in names  # type: ignore[attr-defined]
    }
    assert found == NAMED_BY_STRING.keys()


def test_imports_by_name_have_a_reason() -> None:
    """A computed name can import an own module where no check of imports sees it."""
    calls = {"import_module", "__import__", "import_string", "run_module", "exec", "eval"}
    found = {
        one.path
        for one in modules()
        for node in _parts(one, ast.Call)
        if ast.unparse(node.func).rpartition(".")[2] in calls  # type: ignore[attr-defined]
    }
    assert found == IMPORTS_BY_NAME.keys()


def test_the_library_loads_its_public_names_from_modules_that_it_imports_for_type_checking() -> None:
    """So the checks of layers and circles see these imports."""
    library = next(one for one in modules() if one.name == "tercast.client")
    names = {one.name for one in modules()}
    loaded = {
        f"tercast.{node.value}"
        for node in _parts(library, ast.Constant)
        if isinstance(node.value, str) and f"tercast.{node.value}" in names  # type: ignore[attr-defined]
    }
    assert loaded
    assert loaded <= imported_modules(library, names)


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
        assert found - packages == more, tests
        folders = {path.parent.relative_to(ROOT / tests) for path in (ROOT / tests).rglob("test_*.py")}
        missing = {f"{one}" for one in folders if not (ROOT / package / one / "__init__.py").is_file()}
        assert missing <= more, tests


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


def test_every_kernel_is_the_twin_of_a_plain_module_or_has_a_reason() -> None:
    """A compiled module has the name of its plain module, next to whose folder `kernels` it is."""
    kernels = {
        one.path.removeprefix("platform/tercast/").removesuffix(".py"): one
        for one in modules()
        if "/kernels/" in one.path and not one.path.endswith("__init__.py")
    }
    assert kernels.keys() == KERNEL_TWINS | KERNELS_WITHOUT_TWIN.keys()
    assert not KERNEL_TWINS & KERNELS_WITHOUT_TWIN.keys()
    for name, one in kernels.items():
        plain = name.replace("/kernels/", "/")
        named = re.search(r"Compiled version of `([a-z_.]+)`", ast.get_docstring(one.tree) or "")
        if name in KERNEL_TWINS:
            assert (ROOT / "platform" / "tercast" / f"{plain}.py").is_file(), name
            assert named is not None and named[1] == f"tercast.{plain.replace('/', '.')}", name
        else:
            assert named is None, name


def test_the_plain_modules_of_other_kernels_exist() -> None:
    named = {name for reason in KERNELS_WITHOUT_TWIN.values() for name in re.findall(r"`([^`]+)`", reason)}
    assert named
    assert not [name for name in named if not (ROOT / "platform" / "tercast" / f"{name}.py").is_file()]


def test_the_walk_of_a_request_names_few_modules() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    steps = re.findall(
        r"^\|.*\| (`.*) \|$", page.partition("## One request")[2].partition("## Where")[0], re.MULTILINE
    )
    named = {name for step in steps for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+)`", step)}
    assert len(named) < 50
    assert f"These are {len(named)} modules." in page
