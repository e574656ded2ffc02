"""From plain to compiled code in the middle of a topic's life."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercast.runtime import jit

if TYPE_CHECKING:
    from tercast.routing.topic_routing import TopicRouting


def use_compiled_topic(plan: TopicRouting) -> None:
    """Let compiled code spread the changes of a plan from now on, if it is in use and can."""
    if plan.web is not None or not jit.uses_twins() or not plan.queue.is_settled or plan.has_left_web:
        return
    twin = jit.load_twin("tercast.routing.kernels.compiled_topic")
    if twin is None:
        return
    if twin.CompiledTopic.serves(plan):
        plan.web = twin.CompiledTopic(plan)
    else:
        plan.has_left_web = True
