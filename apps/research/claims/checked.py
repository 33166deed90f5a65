"""A checked text, and how it is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from apps.audit.models import Event
from apps.research.claims.comparing import TOLERANCE
from apps.research.claims.contracts import Finding, Reach
from apps.research.claims.presenting import Json, finding_json, reach_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What became of the claims of a text. reaches: what its sentences could be held against, by intent."""

    text: str
    findings: tuple[Finding, ...]
    reaches: tuple[Reach, ...]
    policy_version: int
    event: Event


def checked_json(checked: Checked) -> Json:
    """Return a checked text without the text."""
    return {
        "verdicts": dict(sorted(Counter(each.verdict.value for each in checked.findings).items())),
        "findings": [finding_json(each) for each in checked.findings],
        "intents": [reach_json(each) for each in checked.reaches],
        "policy_version": checked.policy_version,
        "tolerance": str(TOLERANCE),
        "audit_event_id": checked.event.id,
    }
