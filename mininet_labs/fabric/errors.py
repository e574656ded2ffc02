"""Exceptions of the fabric."""

from __future__ import annotations

from mininet_labs.errors import LabError


class FabricError(LabError):
    """The fabric cannot do what was requested."""


class PortClosedError(FabricError):
    """The switch closed a host's port: the fabric was stopped, or the port was removed."""
