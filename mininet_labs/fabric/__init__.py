"""The embedded fabric: real Open vSwitch without root, in its own run directory."""

from mininet_labs.fabric.errors import FabricError, PortClosedError
from mininet_labs.fabric.fabric import Fabric
from mininet_labs.fabric.frames import FrameSocket, FrameSplitter
from mininet_labs.fabric.readings import FlowReading, PortReading

__all__ = [
    "Fabric",
    "FabricError",
    "FlowReading",
    "FrameSocket",
    "FrameSplitter",
    "PortClosedError",
    "PortReading",
]
