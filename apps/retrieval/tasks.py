"""The periodic Celery task of the questions."""

from __future__ import annotations

from celery import Task, shared_task

from apps.retrieval.services.unknown_ends import record_unknown_ends

record_unknown_model_ends: Task = shared_task(name="apps.retrieval.tasks.record_unknown_ends", ignore_result=True)(
    record_unknown_ends
)
