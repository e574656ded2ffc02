"""The Celery application; the default broker is a folder and needs no server."""

import os
from typing import Any

from celery import Celery, signals
from django.conf import settings

from controlplane.common.celery_output import keep_to_lines
from tercast.runtime.private_files import keep_private

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")

app = Celery("tercast")
app.config_from_object("controlplane.common.queues")
if settings.ENV.log_format == "json":
    keep_to_lines(app)


@signals.setup_logging.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def keep_logging(**_: Any) -> None:
    """Django's settings say how to log; who listens here keeps Celery from it."""


@signals.celeryd_init.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
@signals.beat_init.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def keep_files_private(**_: Any) -> None:
    """Before a worker or beat begins, the files that it makes become its owner's alone."""
    keep_private()


def serves(*queues: str) -> bool:
    """Whether the worker in this process takes messages from one of these queues."""
    return any(queue in app.amqp.queues.consume_from for queue in queues)


app.autodiscover_tasks()
