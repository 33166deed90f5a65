"""The tenant's own evaluation questions: what should be found, known beforehand."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.tenants.models.base import ScopedModel


class EvaluationQuery(ScopedModel):
    """A question with the document, and the pages of it, that answer it.

    It is asked within its own scope and those below, so its text is seen by who holds that scope. The document is
    named by its series, so that a new version of it is expected in its place.
    """

    MAXIMUM_CHARS = 500

    text = models.CharField(max_length=MAXIMUM_CHARS)
    series_id = models.UUIDField()
    pages = ArrayField(models.PositiveIntegerField(), default=list, blank=True)
    created_by = models.CharField(max_length=255)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=["tenant", "scope", "text"], name="evaluation_query_once"),)

    def __str__(self) -> str:
        return self.text
