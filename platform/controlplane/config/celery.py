"""The Celery application; the default broker is a folder and needs no server."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")

app = Celery("tercast")
app.config_from_object("controlplane.config.celery_settings")
app.autodiscover_tasks()
app.autodiscover_tasks(related_name="worker")
