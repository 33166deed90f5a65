"""The periodic Celery tasks of the policies and of recertifications."""

from __future__ import annotations

from celery import Task, shared_task

from apps.intents.services.activation import activate_all_due
from apps.intents.services.recertification_reminders import remind_all_due

activate_due_policies: Task = shared_task(name="apps.intents.tasks.activate_due_policies", ignore_result=True)(
    activate_all_due
)
remind_owners: Task = shared_task(name="apps.intents.tasks.remind_owners", ignore_result=True)(remind_all_due)
