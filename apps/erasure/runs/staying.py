"""Why a place that a run found stays, as codes: they stand in plain columns and events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import models


class Reason(models.TextChoices):
    """Why a place is confirmed, or stays."""

    NAMED = "named", "It names the person"
    IDENTIFIED = "identified", "A number or an address of the person"
    DESCRIBED = "described", "It describes the person, so that they can be identified"
    SOMEBODY_ELSE = "somebody_else", "Somebody else with that name"
    NO_PERSON = "no_person", "No person at all: a word like it"
    LEGAL_DUTY = "17_3_b", "The person; it must stay by law (Article 17(3)(b))"
    LEGAL_CLAIMS = "17_3_e", "The person; it must stay for legal claims (Article 17(3)(e))"


# Of a request for access: nothing goes, so that nothing has to be kept.
ERASING_ONLY: Final = (Reason.LEGAL_DUTY, Reason.LEGAL_CLAIMS)
# By store: what was found there is gone soon, whoever asks, and nothing has to be done about it.
GOES_BY_ITSELF: Final[Mapping[str, str]] = {
    "tenants.idempotent_requests": "An answer kept for a repeated request is removed automatically within a day."
}
# The ground of it, where others stay on that of a Reason (RemovalRun.staying).
EXPIRES: Final = "expires"
