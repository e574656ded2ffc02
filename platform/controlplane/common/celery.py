"""The Celery application; the default broker is a folder and needs no server."""

import os
from typing import Any

from celery import Celery, signals
from django.conf import settings

from controlplane.common.celery_output import keep_to_lines
from tercast.runtime.private_files import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # they load the whole web interface, and report nothing

app = Celery("tercast")
app.config_from_object("controlplane.common.queues")
if settings.ENV.log_format == "json":
    keep_to_lines(app)


@signals.setup_logging.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def keep_logging(**_: Any) -> None:
    """Keep Django's logging settings: Celery sets up no logging if this signal has a receiver."""


@signals.celeryd_init.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
@signals.beat_init.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def keep_files_private(**_: Any) -> None:
    """Make files that a worker or beat creates readable only by their owner."""
    keep_private()


def serves(*queues: str) -> bool:
    """Whether the worker in this process receives messages from one of these queues."""
    return any(queue in app.amqp.queues.consume_from for queue in queues)


app.autodiscover_tasks()
