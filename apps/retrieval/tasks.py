"""Celery tasks of the retrieval app: what is removed by the clock."""

from __future__ import annotations

from celery import Task, shared_task

from apps.retrieval.kept.history import forget_all

forget_answers: Task = shared_task(name="apps.retrieval.tasks.forget_answers", ignore_result=True)(forget_all)
