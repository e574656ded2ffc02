"""Routes of the API with their methods, read from the URL patterns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

METHODS = ("GET", "POST", "PATCH", "DELETE")
_PARAMETER = re.compile(r"<\w+:(\w+)>|\(\?P<(\w+)>[^)]*\)")


@dataclass(frozen=True, slots=True)
class ApiRoute:
    """Address below the version (`switches/{pk}/aggregated/`), its view, and its methods."""

    path: str
    view: type[Any]
    methods: tuple[str, ...]

    @property
    def resource(self) -> str:
        """Return the name of the resource. A list and its objects are one resource."""
        return self.path.removesuffix("{pk}/").rstrip("/")


def routes() -> Iterator[ApiRoute]:
    """Yield all routes below the version, in the order of resolution."""
    for pattern in _patterns("api/", "v1/"):
        assert isinstance(pattern, URLPattern)
        text = str(pattern.pattern).removeprefix("^").removesuffix("$")
        path = _PARAMETER.sub(lambda found: f"{{{found[1] or found[2]}}}", text)
        if "." not in path:  # the router adds a second pattern with a format suffix
            callback: Any = pattern.callback
            yield ApiRoute(path, callback.cls, _methods(callback))


def _patterns(*prefixes: str) -> list[URLPattern | URLResolver]:
    """Return the patterns below the nested includes with these prefixes."""
    patterns: list[URLPattern | URLResolver] = get_resolver().url_patterns
    for prefix in prefixes:
        patterns = next(
            one.url_patterns
            for one in patterns
            if isinstance(one, URLResolver) and str(one.pattern) == prefix
        )
    return patterns


def _methods(view: Any) -> tuple[str, ...]:
    named = getattr(view, "actions", None) or {name: name for name in dir(view.cls)}
    return tuple(method for method in METHODS if method.lower() in named)
