"""Topologies as other tools write them: GraphML, GML, SNDlib, JSON, Rocketfuel, BRITE, Mininet."""

from tercast.importers.format_guess import FORMATS
from tercast.importers.given import FAMILIES, Taken
from tercast.importers.limits import MOST_HOSTS_A_SWITCH, TOO_LARGE, TOO_MANY
from tercast.importers.read import Imported, read_topology

__all__ = [
    "FAMILIES",
    "FORMATS",
    "MOST_HOSTS_A_SWITCH",
    "TOO_LARGE",
    "TOO_MANY",
    "Imported",
    "Taken",
    "read_topology",
]
