"""The parts of an imported topology, validated like the bodies of calls that create objects."""

from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from controlplane.rest.request_body import Body, Errors, read_object
from controlplane.web.network.host_serializers import HostCreateSerializer
from controlplane.web.network.link_serializers import LinkCreateSerializer
from controlplane.web.network.serializers import SwitchCreateSerializer
from tercast.errors import Path
from tercast.topology.rest_rows import API_NAMES, api_row


def read_parts(topology: dict[str, Any]) -> dict[str, Body]:
    """Return the parts with their errors. It reads no database: the largest file takes seconds.

    The error pointers refer to the topology in the format of `tercast import`.
    """
    return {
        "switches": _body("switches", SwitchCreateSerializer(), topology),
        "links": _body("links", LinkCreateSerializer(), topology),
        "hosts": _body("hosts", HostCreateSerializer(), topology),
    }


@dataclass(slots=True)
class _PartErrors(Errors):
    """Errors of one part of the topology, with the topology's own names."""

    part: str = ""

    def add(  # noqa: PLR0917
        self,
        index: int,
        path: Path,
        code: str,
        detail: str,
        value: object = None,
        existing: str | None = None,
    ) -> None:
        """Add a bad value of item `index` of the part."""
        own = {api: name for name, api in API_NAMES[self.part].items()}
        steps = (own.get(str(step), step) if place == 0 else step for place, step in enumerate(path))
        Errors.add(self, index, (self.part, index, *steps), code, detail, value, existing)


def _body(part: str, serializer: serializers.Serializer[Any], topology: dict[str, Any]) -> Body:
    """Return a part of the topology as the API reads it."""
    errors = _PartErrors(part=part)
    items = [
        read_object(serializer, api_row(part, row), errors, index) for index, row in enumerate(topology[part])
    ]
    return Body(items, errors, bulk=True)
