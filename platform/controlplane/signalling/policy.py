"""The policy of in-band signalling, and the numbers of messages that operators see with it."""

from typing import Any

from django.db import transaction

from controlplane.requestlog import checkpoints
from controlplane.signalling.models import Policy, RefusedCount
from controlplane.signalling.poll_loop import DROPPED


def change_policy(values: dict[str, Any]) -> None:
    """Change the given fields of the policy."""
    with transaction.atomic():
        Policy.objects.filter(pk=Policy.current().pk).update(**values)


def policy_and_counts(policy: Policy) -> dict[str, Any]:
    """Return the policy, and the numbers of accepted, dropped and refused messages."""
    counts = checkpoints.recall_or_default(DROPPED, {})
    return {
        "self_registration": policy.self_registration,
        "sealed_only": policy.sealed_only,
        "taken": counts.get("taken", 0),
        "dropped": [{"reason": why, "count": n} for why, n in sorted(counts.get("dropped", {}).items())],
        "refused": RefusedCount.objects.all(),
    }
