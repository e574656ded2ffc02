"""Layout of a connected graph by stress majorization: distances follow the numbers of links.

See Gansner, Koren and North, Graph Drawing by Stress Majorization, 2004. The start is classical scaling.
Nothing is random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LINK = 100.0
"""The length of a link."""

MOST = 1500
"""Largest number of nodes for a layout by all distances; larger graphs become a spiral."""

_ROUNDS = 60
_CALM = 2e-3
_PUSHES = 25
_POWERS = 50
_GOLDEN = 2.399963

Coordinates = NDArray[np.float64]


def shape(neighbours: Sequence[Sequence[int]]) -> Coordinates:
    """Return (n, 2) positions of the nodes of a connected graph, around the origin."""
    n = len(neighbours)
    if n == 1:
        return np.zeros((1, 2))
    if n > MOST:
        return _spiral(_far(neighbours, 0))
    distances = np.array([_far(neighbours, node) for node in range(n)], dtype=float)
    points = _majorized(_scaled(distances), distances)
    centred: Coordinates = (points - points.mean(axis=0)) * LINK
    return centred


def _far(neighbours: Sequence[Sequence[int]], start: int) -> list[int]:
    """Count the links between `start` and each node."""
    far = [-1] * len(neighbours)
    far[start] = 0
    ring = [start]
    while ring:
        following = []
        for node in ring:
            for other in neighbours[node]:
                if far[other] < 0:
                    far[other] = far[node] + 1
                    following.append(other)
        ring = following
    return far


def _scaled(distances: Coordinates) -> Coordinates:
    """Classical scaling: project onto the plane that keeps most of the distances."""
    squares = distances**2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    turn = np.arange(len(distances)) * _GOLDEN
    basis = np.column_stack((np.cos(turn), np.sin(turn)))
    for _ in range(_POWERS):
        basis = np.linalg.qr(centred @ basis)[0]
    lengths = np.sqrt(np.maximum(np.einsum("ij,ij->j", basis, centred @ basis), 1e-9))
    # The leaves of one node get the same place from scaling, so they start with a small distance.
    start: Coordinates = basis * lengths + 0.05 * np.column_stack((np.cos(turn), np.sin(turn)))
    return start


def _majorized(points: Coordinates, distances: Coordinates) -> Coordinates:
    """Move points until the weighted error of distances (weights 1/d²) decreases only slightly."""
    n = len(points)
    weights = 1 / (distances + np.eye(n)) ** 2
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.inv(laplacian + 1.0 / n) - 1.0 / n
    pull = weights * distances
    before = np.inf
    for _ in range(_ROUNDS):
        apart = _apart(points)
        stress = float((weights * (distances - apart) ** 2).sum())
        if before - stress <= _CALM * stress:
            break
        before = stress
        ratio = np.divide(pull, apart, out=np.zeros_like(pull), where=apart > 1e-12)
        points = inverse @ (ratio.sum(axis=1)[:, None] * points - ratio @ points)
    return points


def _apart(points: Coordinates) -> Coordinates:
    """Compute the (n, n) distances."""
    squares = (points**2).sum(axis=1)
    apart: Coordinates = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))
    return apart


def spread(points: Coordinates, least: float) -> Coordinates:
    """Push apart points that are closer than `least`, for a limited number of rounds."""
    turn = np.arange(len(points)) * _GOLDEN
    # A small spiral separates points at the same place.
    points = points + 1e-3 * np.column_stack((np.cos(turn), np.sin(turn)))
    for _ in range(_PUSHES):
        apart = _apart(points)
        first, second = np.nonzero(np.triu(apart < least * 0.999, 1))
        if not len(first):
            break
        length = np.maximum(apart[first, second], 1e-6)
        push = (points[second] - points[first]) * ((least - length) / length / 2)[:, None]
        np.add.at(points, first, -push)
        np.add.at(points, second, push)
    return points


def _spiral(far: Sequence[int]) -> Coordinates:
    order = np.argsort(np.array(far), kind="stable")
    places = np.empty(len(far))
    places[order] = np.arange(len(far))
    radius, turn = LINK * 0.6 * np.sqrt(places), places * _GOLDEN
    return np.column_stack((radius * np.cos(turn), radius * np.sin(turn)))
