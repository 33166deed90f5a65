"""What is said of an inventory in codes: they stand in plain columns and events, where no word of a person may."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import models


class InventoryState(models.TextChoices):
    WAITING = "waiting", "Waiting for a worker"
    RUNNING = "running", "Searching"
    DONE = "done", "Searched"
    FAILED = "failed", "Could not be searched"


class Decision(models.TextChoices):
    OPEN = "open", "Open"
    CONFIRMED = "confirmed", "It is the person"
    CLEARED = "cleared", "It stays"


class Reason(models.TextChoices):
    """Why a place is confirmed, or stays."""

    NAMED = "named", "It names the person"
    IDENTIFIED = "identified", "A number or an address of the person"
    DESCRIBED = "described", "It describes the person, so that they can be told"
    SOMEBODY_ELSE = "somebody_else", "Somebody else of that name"
    NO_PERSON = "no_person", "No person at all: a word like it"
    LEGAL_DUTY = "17_3_b", "The person; it must stay by law (Article 17(3)(b))"
    LEGAL_CLAIMS = "17_3_e", "The person; it must stay for legal claims (Article 17(3)(e))"


# Of a request for access: nothing goes, so that nothing has to be kept.
ERASING_ONLY: Final = (Reason.LEGAL_DUTY, Reason.LEGAL_CLAIMS)
# By store: what was found there is gone soon, whoever asks, and nothing has to be done about it.
GOES_BY_ITSELF: Final[Mapping[str, str]] = {
    "tenants.idempotent_requests": "An answer kept for a repeated request goes by itself within a day."
}
# The ground of it, where others stay on that of a Reason (RemovalRun.staying).
EXPIRES: Final = "expires"
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
