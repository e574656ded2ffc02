"""All tasks, and what hooks into workers: Celery finds this module by its name."""

# The order is that in which hooks run.
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
