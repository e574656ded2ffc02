"""`--learn`: request a proposal of a learned event space, apply it, and compare."""

import time
from typing import Any

from mininet_labs.demo.rest import RestClient, RestRefusal
from mininet_labs.demo.status import say

PAUSE_S = 5.0
"""Seconds between two questions."""

PROPOSALS = "/api/v1/analytics/proposals/"


class Learning:
    """The steps of `--learn`; each call of `look` takes the next one if it is possible.

    A proposal needs event samples, which a scheduled job takes from the telemetry after a minute or two.
    """

    def __init__(self, rest: RestClient, topic: str) -> None:
        self._rest, self._topic = rest, topic
        self._next = 0.0
        self._proposal: dict[str, Any] | None = None
        self._before: dict[str, int] | None = None
        self._after: dict[str, int] | None = None
        self._reason = ""

    def advance_proposal(self, counters: dict[str, Any], entries: int) -> None:
        """Take the next step: propose, apply, or notice that the change is confirmed."""
        if self._after is not None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + PAUSE_S
        if self._proposal is None:
            self._propose(counters, entries)
        else:
            self._proposal = self._rest.get(f"{PROPOSALS}{self._proposal['id']}/")
            if self._proposal["state"] == "applied":
                self._after = _counted(counters, entries)
                say(f"topic {self._topic} has {cuts_of(self._proposal)} cuts")
            elif self._proposal["state"] == "failed":
                self._proposal = None  # applied again with a new proposal

    def report(self, counters: dict[str, Any], entries: int) -> dict[str, Any]:
        """Return the share of false positives (%) before and after, cuts and entries.

        `after` is None, with the reason, if no learned space was applied.
        """
        if self._before is None or self._after is None or self._proposal is None:
            return {"before": None, "after": None, "reason": self._reason or "the run ended before"}
        end = _counted(counters, entries)
        return {
            "before": share_of_false_positives(dict.fromkeys(self._before, 0), self._before),
            "after": share_of_false_positives(self._after, end),
            "entries_before": self._before["entries"],
            "entries_after": end["entries"],
            "cuts": cuts_of(self._proposal),
            "reason": None,
        }

    def _propose(self, counters: dict[str, Any], entries: int) -> None:
        try:
            row = self._rest.post(PROPOSALS, {"topic": self._topic})
        except RestRefusal as refusal:  # too few samples yet
            self._reason = str(refusal)
            return
        if row["method"] != "learned":
            self._reason = f"the best choice of proposal {row['id']} is {row['method']}, not learned"
            return
        by_method = {candidate["method"]: candidate for candidate in row["candidates"]}
        now, learned = by_method["current"], by_method["learned"]
        say(
            f"proposal {row['id']}: {learned['cuts']} cuts; {learned['fpr']:.1f} % instead of "
            f"{now['fpr']:.1f} % of all deliveries are false positives, {learned['cells']} cells instead of "
            f"{now['cells']}"
        )
        self._before = _counted(counters, entries)
        self._rest.post(f"{PROPOSALS}{row['id']}/apply/", {})
        self._proposal = row


def cuts_of(proposal: dict[str, Any]) -> int:
    """Return the number of cuts of a proposal."""
    return len(proposal["cuts"]) // 2


def share_of_false_positives(first: dict[str, int], last: dict[str, int]) -> float | None:
    """Return the false positives between two counts, in percent of all; None without any."""
    delivered = last["delivered"] - first["delivered"]
    return round(100 * (last["unwanted"] - first["unwanted"]) / delivered, 2) if delivered else None


def _counted(counters: dict[str, Any], entries: int) -> dict[str, int]:
    return {"delivered": counters["delivered"], "unwanted": counters["unwanted"], "entries": entries}
