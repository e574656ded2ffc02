"""Learned event spaces: sampled events, live filters, and savings on held-back events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from analytics.options import JobOptions
from analytics.output.result_rows import Row
from analytics.subscriptions import Subscriptions
from analytics.times import micros
from tercast.dimensions.learned_space import learned_space
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic

FEWEST = 40
"""Fewest sampled events of a topic from which a space is learned, and with which it is compared."""


def learn_space(
    name: str, events: Sequence[Any], subscriptions: Subscriptions, options: JobOptions
) -> Row | None:
    """Learn an event space of a topic, and compare it with the present one on other events.

    Args:
        name: The topic.
        events: Its sampled events (values that the topic has checked), in an order that is always the same.
        subscriptions: All topics and subscriptions; only those at the end of the run's time count.

    Returns:
        The row of the result; None if there are too few events, or no subscription.
    """
    topic, at = subscriptions.topics[name], micros(options.until or options.now)
    live = [row for row in subscriptions.of_topic(name) if row.span[0] <= at < row.span[1]]
    if len(events) < FEWEST or not live:
        return None
    shuffled = list(events)
    Random(1).shuffle(shuffled)  # neighbours in the order may be alike
    wanted = tuple((row.host, row.filter) for row in live)
    seen, unseen = Workload(topic, wanted, tuple(shuffled)).halves()
    depth, limit = options.dz_length, options.cells
    space = learned_space(seen, depth, limit, options.max_cuts)
    return {
        "topic": name,
        "indexed": list(space.indexed),
        "cuts": _cuts_json(space),
        "events": len(events),
        "subscriptions": len(live),
        **_costs(Measure(unseen, depth, limit), topic, space),
    }


def _cuts_json(space: Topic) -> str:
    return json.dumps(space.cuts.to_json(space.attributes), ensure_ascii=False)


def _costs(judge: Measure, topic: Topic, space: Topic) -> dict[str, int]:
    """Return the deliveries in both spaces, for the held-back events."""
    (before, _), (after, _) = judge.of_topic(topic), judge.of_topic(space)
    return {
        "judged_by": len(judge.workload.events),
        "delivered_before": before.delivered,
        "unwanted_before": before.unwanted,
        "cells_before": before.cells,
        "delivered": after.delivered,
        "unwanted": after.unwanted,
        "cells": after.cells,
    }
