"""Settings of Celery: the broker is a folder, or Redis if the environment names one.

Messages are only wake-ups (the request log is the queue). So they are acknowledged early, never retried, and
have no result. A lost message delays work until the next sweep.
"""

from pathlib import Path

from django.conf import settings

from controlplane.common import folder_broker, server_urls

PLANNER_QUEUE = "planner"
DEFAULT_QUEUE = "celery"
ANALYTICS_QUEUE = "analytics"
"""Not in `task_queues`: only workers that name it (`-Q analytics`) serve it, because its tasks are long."""


def _folder(state_dir: Path) -> dict[str, object]:
    data, control = state_dir / "broker" / "data", state_dir / "broker" / "control"
    for folder in (data, control):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return {
        "data_folder_in": str(data),
        "data_folder_out": str(data),
        "control_folder": str(control),
        "store_processed": False,
    }


folder_broker.register()
if settings.ENV.redis_url:
    broker_url = server_urls.broker(settings.ENV.redis_url)
    broker_transport_options: dict[str, object] = {
        "socket_connect_timeout": 2,
        "global_keyprefix": "tercast:",
    }
else:
    broker_url = f"{folder_broker.SCHEME}://localhost/"
    broker_transport_options = _folder(settings.ENV.state_dir)

broker_connection_retry_on_startup = True
broker_connection_timeout = 2
task_publish_retry = False

task_queues: dict[str, dict[str, object]] = {DEFAULT_QUEUE: {}, PLANNER_QUEUE: {}}
task_default_queue = DEFAULT_QUEUE
task_ignore_result = True
task_serializer = "json"
accept_content = ["json"]
result_backend = None

worker_prefetch_multiplier = 1
worker_pool = "solo"
worker_concurrency = 1
worker_enable_remote_control = False
worker_send_task_events = False
worker_hijack_root_logger = False
worker_cancel_long_running_tasks_on_connection_loss = False

beat_scheduler = "controlplane.worker.beat_scheduler:Scheduler"
beat_max_loop_interval = 1
timezone = "UTC"
enable_utc = True
