"""Topologies as other tools write them: GraphML, GML, SNDlib, JSON, Rocketfuel, BRITE, Mininet."""

from tercast.importers.read import FORMATS, Imported, read_topology

__all__ = ["FORMATS", "Imported", "read_topology"]
