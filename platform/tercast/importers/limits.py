"""How large a topology may be that is read; beyond it the file is refused, and not half of it taken."""

from tercast.errors import Path, Refused

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


def _check(count: int, most: int, what: str, path: Path) -> None:
    if count > most:
        raise Refused(
            path, TOO_MANY, f"more than {most} {what}; a topology has at most {most}, so split the file", None
        )
