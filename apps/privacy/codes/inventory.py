"""What is said of an inventory in codes: they stand in plain columns and events, where no word of a person may."""

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
    """Of a certain place, what the page offers as its category. matched: by which of the person's particulars."""
    return Reason.NAMED if matched in ("name", "alias") else Reason.IDENTIFIED


def decision_of(reason: Reason) -> Decision:
    return Decision.CONFIRMED if reason in CONFIRMING else Decision.CLEARED


class Treatment(models.TextChoices):
    REMOVE = "remove", "Remove the document"
    REDACT = "redact", "Redact the passages, and keep the rest"


class Quoting(models.TextChoices):
    """Of a place that an access package names: whether it quotes the words around it."""

    QUOTED = "quoted", "Quoted"
    LEFT_OUT = "left_out", "Not quoted: the rights of others (Article 15(4))"
