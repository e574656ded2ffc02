"""Largest size of an imported topology; a larger file is refused as a whole."""

from tercast.errors import Path, Refused
from tercast.topology.importers.raw_graph import RawGraph

LARGEST_FILE = 64 * 1024 * 1024
MOST_NODES = 100_000
MOST_LINKS = 400_000
MOST_HOSTS = 200_000
MOST_HOSTS_A_SWITCH = 100

TOO_MANY = "too_many"
TOO_LARGE = "too_large"


def check_nodes(count: int, path: Path = ()) -> None:
    """Refuse more nodes than a topology may have."""
    _check(count, MOST_NODES, "nodes", path)


def check_links(count: int, path: Path = ()) -> None:
    """Refuse more links than a topology may have."""
    _check(count, MOST_LINKS, "links", path)


def check_hosts(count: int, path: Path = ()) -> None:
    """Refuse more hosts than a topology may have."""
    _check(count, MOST_HOSTS, "hosts", path)


def check_total(raw: RawGraph, hosts_per_switch: int, most: int) -> None:
    """Refuse a graph that results in more than `most` switches, links and hosts together.

    Nodes with the same id count once. Links that may be listed for each direction count once. Therefore no
    graph is refused that has `most` elements or fewer after the repair.
    """
    nodes = len({node.key for node in raw.nodes})
    links = sum(edge.a != edge.b for edge in raw.edges) // 2
    least = nodes * (1 + hosts_per_switch) + links
    if least > most:
        rule = (
            f"{nodes} nodes and {len(raw.edges)} links, with {hosts_per_switch} hosts for each node; at most "
            f"{most} switches, links and hosts together are allowed, so split the file"
        )
        raise Refused((), TOO_MANY, rule, least)


def _check(count: int, most: int, what: str, path: Path) -> None:
    if count > most:
        raise Refused(
            path, TOO_MANY, f"more than {most} {what}; a topology has at most {most}, so split the file", None
        )
