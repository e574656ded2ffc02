"""The modules of the project, parsed."""

import ast
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOTS = ("platform/tercast", "platform/controlplane", "controller_app", "analytics", "mininet_labs")
OWN = tuple(root.rpartition("/")[2] for root in ROOTS)


@dataclass(frozen=True)
class Module:
    """One source file: its path below the root of the checkout, its number of lines, and its syntax tree."""

    path: str
    lines: int
    tree: ast.Module

    @property
    def name(self) -> str:
        """The dotted name; that of the package for its `__init__`."""
        path = self.path.removeprefix("platform/").removesuffix(".py").removesuffix("/__init__")
        return path.replace("/", ".")

    @property
    def is_kernel(self) -> bool:
        """Whether it has kernels, which may be longer."""
        text = ast.dump(self.tree) if "/kernels/" in self.path else ""
        decorators = ("compile_kernel", "compile_inner", "compile_borrower", "Kernel")
        return any(f"id='{name}'" in text for name in decorators)


def imported_modules(module: Module, names: Container[str]) -> set[str]:
    """Return which of `names` a module imports, in functions and for type checking too."""
    found: set[str] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in names else node.module for name in whole}
    return {name for name in found if name in names}


@cache
def modules() -> tuple[Module, ...]:
    """Return all modules but migrations, which Django writes."""
    return tuple(_read())


def _read() -> Iterator[Module]:
    for root in ROOTS:
        for file in sorted((ROOT / root).rglob("*.py")):
            if "migrations" not in file.parts:
                text = file.read_text(encoding="utf-8")
                yield Module(file.relative_to(ROOT).as_posix(), text.count("\n"), ast.parse(text))
