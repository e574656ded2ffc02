"""How large a topology may be that is read; beyond it the file is refused, and not half of it taken."""

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
    """Refuse a graph that leads to more than `most` switches, links and hosts.

    Counts nodes of one id once, and links that may be listed for each direction once, so it refuses nothing
    that has `most` when it is repaired.
    """
    nodes = len({node.key for node in raw.nodes})
    links = sum(edge.a != edge.b for edge in raw.edges) // 2
    least = nodes * (1 + hosts_per_switch) + links
    if least > most:
        rule = (
            f"{nodes} nodes and {len(raw.edges)} links, with {hosts_per_switch} hosts a node; at most {most}"
            " of all three are taken at once, so split the file"
        )
        raise Refused((), TOO_MANY, rule, least)


def _check(count: int, most: int, what: str, path: Path) -> None:
    if count > most:
        raise Refused(
            path, TOO_MANY, f"more than {most} {what}; a topology has at most {most}, so split the file", None
        )
