"""The Celery application: the worker and beat load it, the web process sends through it."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.development")

app = Celery("glassbox")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
