"""Proving tables before they are deployed."""

from collections.abc import Sequence

from tercast.planner import Planner
from tercast.tables import SwitchDiff


class Unproved(Exception):  # noqa: N818 - named by meaning
    """The verifier found what the tables do wrong."""


def prove(planner: Planner, diffs: Sequence[SwitchDiff]) -> None:
    """Raise `Unproved` unless the tables do what the requests say, wherever `diffs` changed them."""
