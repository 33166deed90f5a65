"""The periodic Celery tasks of the policies and of recertifications."""

from __future__ import annotations

from celery import Task, shared_task

from apps.intents.services.activation import activate_all_due
from apps.intents.services.lapses import record_all_lapses
from apps.intents.services.recertification_reminders import remind_all_due
from apps.intents.services.reminders import remind_everybody

activate_due_policies: Task = shared_task(name="apps.intents.tasks.activate_due_policies", ignore_result=True)(
    activate_all_due
)

record_lapses: Task = shared_task(name="apps.intents.tasks.record_lapses", ignore_result=True)(record_all_lapses)
remind_of_reviews: Task = shared_task(name="apps.intents.tasks.remind_of_reviews", ignore_result=True)(remind_everybody)
remind_owners: Task = shared_task(name="apps.intents.tasks.remind_owners", ignore_result=True)(remind_all_due)
