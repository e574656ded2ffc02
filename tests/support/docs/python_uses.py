"""Names and arguments in Python code that do not exist, found without running the code.

It follows imports, calls of imported names, and methods of variables whose class is imported.
"""

import ast
import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any


def wrong_uses(texts: Iterable[str]) -> list[str]:
    """Return what is wrong in the blocks of one page, which share their names."""
    checker = UseChecker()
    for text in texts:
        checker.visit(ast.parse(text))
    return checker.wrong


class UseChecker(ast.NodeVisitor):
    """Visitor of one page: `names` are imported objects, `made` the classes of variables."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.made: dict[str, type] = {}
        self.wrong: list[str] = []

    def visit_Import(self, node: ast.Import) -> None:
        """Import the modules."""
        for name in node.names:
            self.names[(name.asname or name.name).partition(".")[0]] = import_module(name.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Import the names."""
        module = import_module(node.module or "")
        for name in node.names:
            if found := self.member(module, name.name):
                self.names[name.asname or name.name] = found

    def visit_Assign(self, node: ast.Assign) -> None:
        """Remember the class of each variable."""
        self.generic_visit(node)
        for target in node.targets:
            self.remember(target, node.value)

    def visit_withitem(self, node: ast.withitem) -> None:
        """Remember the class of the variable."""
        self.generic_visit(node)
        self.remember(node.optional_vars, node.context_expr)

    def visit_Call(self, node: ast.Call) -> None:
        """Compare the arguments with the signature."""
        self.generic_visit(node)
        called, is_method = self.called(node.func)
        if called is None or any(isinstance(one, ast.Starred) for one in node.args):
            return
        try:
            signature = inspect.signature(called)
        except ValueError:  # some classes of the standard library have none
            return
        named = {str(keyword.arg): None for keyword in node.keywords if keyword.arg is not None}
        try:
            signature.bind(*[None] * (len(node.args) + is_method), **named)
        except TypeError as error:
            self.wrong.append(f"{ast.unparse(node.func)}: {error}")

    def remember(self, target: ast.expr | None, value: ast.expr) -> None:
        """Remember the class of a variable: of a constructor, or of a class method that makes an object."""
        if isinstance(target, ast.Name):
            self.made.pop(target.id, None)
            called = self.called(value.func)[0] if isinstance(value, ast.Call) else None
            made = called if inspect.isclass(called) else getattr(called, "__self__", None)
            if inspect.isclass(made):
                self.made[target.id] = made

    def called(self, node: ast.expr) -> tuple[Any, bool]:
        """Return the object that is called, if it is known, and whether it gets `self` in addition."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name), False
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in self.made:
                return self.member(self.made[owner], name), True
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in self.names:
                return self.member(self.names[owner], name), False
        return None, False

    def member(self, owner: Any, name: str) -> Any:
        """Return an attribute of a class or a module; note that it is missing."""
        found = getattr(owner, name, None)
        missing = f"{owner.__name__} has no {name}"
        if found is None and missing not in self.wrong:
            self.wrong.append(missing)
        return found
