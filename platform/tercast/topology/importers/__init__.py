"""Topology files of other tools: GraphML, GML, SNDlib, JSON, Rocketfuel, BRITE, Mininet."""

from tercast.topology.importers.address_pool import FAMILIES, TakenAddresses
from tercast.topology.importers.format_guess import FORMATS
from tercast.topology.importers.importer import Imported, read_topology
from tercast.topology.importers.limits import MOST_HOSTS_A_SWITCH, TOO_LARGE, TOO_MANY

__all__ = [
    "FAMILIES",
    "FORMATS",
    "MOST_HOSTS_A_SWITCH",
    "TOO_LARGE",
    "TOO_MANY",
    "Imported",
    "TakenAddresses",
    "read_topology",
]
