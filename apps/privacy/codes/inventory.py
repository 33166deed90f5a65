"""Codes for inventories. They appear in unsealed columns and events, which may hold no text about a person."""

from __future__ import annotations

from typing import Final

from django.db import models

from apps.erasure.runs.staying import Reason


class InventoryState(models.TextChoices):
    WAITING = "waiting", "Waiting for a worker"
    RUNNING = "running", "Searching"
    DONE = "done", "Searched"
    FAILED = "failed", "Could not be searched"


class Decision(models.TextChoices):
    OPEN = "open", "Open"
    CONFIRMED = "confirmed", "It is the person"
    CLEARED = "cleared", "It stays"


CONFIRMING: Final = (Reason.NAMED, Reason.IDENTIFIED, Reason.DESCRIBED)
CLEARING: Final = (Reason.SOMEBODY_ELSE, Reason.NO_PERSON, Reason.LEGAL_DUTY, Reason.LEGAL_CLAIMS)


def suggested_reason(matched: str) -> Reason:
    """Return the reason that the page suggests for a certain place. matched: which detail of the person was found."""
    return Reason.NAMED if matched in ("name", "alias") else Reason.IDENTIFIED


def decision_of(reason: Reason) -> Decision:
    return Decision.CONFIRMED if reason in CONFIRMING else Decision.CLEARED


class Treatment(models.TextChoices):
    REMOVE = "remove", "Remove the document"
    REDACT = "redact", "Redact the passages, and keep the rest"


class Quoting(models.TextChoices):
    """Whether an access package quotes the words around a place that it names."""

    QUOTED = "quoted", "Quoted"
    LEFT_OUT = "left_out", "Not quoted, because of the rights of others (Article 15(4))"
