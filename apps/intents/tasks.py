"""The periodic Celery task of the policies."""

from __future__ import annotations

from celery import Task, shared_task

from apps.intents.services.activation import activate_all_due

activate_due_policies: Task = shared_task(name="apps.intents.tasks.activate_due_policies", ignore_result=True)(
    activate_all_due
)
