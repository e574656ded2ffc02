"""The longest path of events, compared with the limit of a fabric with patch links.

Open vSwitch translates a packet through all switches of a patch fabric together, and stops after `MOST_LINKS`
links. Then it drops the packet for all receivers, and no counter shows this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

MOST_LINKS = 63
"""Highest number of patch links on the path of a packet. Open vSwitch stops at 64. The source check uses one
of them, because the entry of a host looks a packet up twice at its first switch."""

Neighbours = dict[str, list[tuple[float, str]]]


@dataclass(frozen=True, slots=True)
class LongestPath:
    """The path with the most links between two switches with hosts, in the tree from `root`."""

    links: int
    a: str
    b: str
    root: str


def depth_warning(topology: Mapping[str, Any]) -> str | None:
    """Return which events a patch fabric loses, and the remedy; None if it loses none."""
    if len(topology.get("switches", ())) <= MOST_LINKS + 1:
        return None
    path = longest_path(topology)
    if path is None or path.links <= MOST_LINKS:
        return None
    return (
        f"the longest path has {path.links} links, from switch {path.a} to switch {path.b} in the tree from "
        f"{path.root}. With patch links, Open vSwitch drops an event that crosses more than {MOST_LINKS} "
        "links (64 if the source check is off). Then no subscriber beyond that link receives it, and no "
        "counter shows the loss. Use a smaller network, the command `fabric` with `--links joined`, or "
        "`make lab`"
    )


def longest_path(topology: Mapping[str, Any]) -> LongestPath | None:
    """Return the longest path of events in trees from switches with hosts; None without hosts.

    Trees consist of shortest paths by cost, like those of the planner. Among equal paths the planner selects
    by load, so its path may be a little longer or shorter. This is also possible after a link has failed.
    """
    ends = sorted({place["switch"] for host in topology.get("hosts", ()) for place in _places(host)})
    neighbours = _neighbours(topology)
    paths = [_longest_in_tree(neighbours, root, frozenset(ends)) for root in ends]
    return max(paths, key=lambda path: path.links, default=None)


def _places(host: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [host, *host.get("standby", ())]


def _neighbours(topology: Mapping[str, Any]) -> Neighbours:
    """Return the neighbours of each switch, with the costs of the links."""
    neighbours: Neighbours = {switch["id"]: [] for switch in topology.get("switches", ())}
    for link in topology.get("links", ()):
        cost = _cost(link.get("cost"))
        neighbours[link["a"]].append((cost, link["b"]))
        neighbours[link["b"]].append((cost, link["a"]))
    return neighbours


def _cost(value: object) -> float:
    """Return the cost of a link; 1 without a valid cost, which a fabric accepts too."""
    return float(value) if isinstance(value, int | float) and value > 0 else 1.0


def _longest_in_tree(neighbours: Neighbours, root: str, ends: frozenset[str]) -> LongestPath:
    """Return the path with the most links between two of `ends` in the tree from `root`."""
    parents = _tree(neighbours, root)
    deepest: dict[str, tuple[int, str]] = {}
    longest = (0, root, root)
    for switch in reversed(parents):
        if switch in ends:
            deepest.setdefault(switch, (0, switch))
        if switch not in deepest or switch == root:
            continue
        depth, end = deepest[switch]
        parent = parents[switch]
        known, other = deepest.get(parent, (0, parent) if parent in ends else (-1, parent))
        if known >= 0:
            longest = max(longest, (depth + 1 + known, end, other))
        deepest[parent] = max((known, other), (depth + 1, end))
    links, a, b = longest
    return LongestPath(links, a, b, root)


def _tree(neighbours: Neighbours, root: str) -> dict[str, str]:
    """Return the parents in a tree of shortest paths, by distance; the root is its own."""
    parents: dict[str, str] = {}
    heap: list[tuple[float, int, str, str]] = [(0.0, 0, root, root)]
    while heap:
        distance, links, switch, parent = heappop(heap)
        if switch in parents:
            continue
        parents[switch] = parent
        for cost, far in neighbours[switch]:
            if far not in parents:
                heappush(heap, (distance + cost, links + 1, far, switch))
    return parents
