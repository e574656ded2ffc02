"""All tasks and worker hooks; Celery finds this module by its name."""

# Hooks run in the order of these imports.
from controlplane.worker import (  # isort: skip # noqa: F401
    retention_tasks,
    planner_tasks,
    telemetry_tasks,
    aggregation_tasks,
    audit_tasks,
    analytics_tasks,
    dimension_tasks,
    compaction_tasks,
    failing_tasks,
    lifecycle,
    telemetry_shutdown,
    heartbeat,
    signalling_thread,
)
