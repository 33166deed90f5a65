"""The Celery application: the worker and beat load it, the web process sends through it."""

from __future__ import annotations

import os

from celery import Celery
from celery.signals import beat_init, worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")

# By its name: the application is loaded before Django is.
app = Celery("glassbox", task_cls="apps.audit.backup.task_class:ServingTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


def _refuse_unsafe_start(**_: object) -> None:
    from config.startup import refuse_unsafe_start

    refuse_unsafe_start()


worker_init.connect(_refuse_unsafe_start)
beat_init.connect(_refuse_unsafe_start)
