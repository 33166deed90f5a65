"""Convert the baseline file to a policy snapshot, the type that is also read from a tenant's tables."""

from __future__ import annotations

from typing import Final

from apps.intents import defaults
from apps.intents.contracts import PolicySnapshot
from apps.intents.snapshots.content import read_content

BASELINE_REASON: Final = "The shipped baseline, put in force when the tenant was created."


def baseline_snapshot() -> PolicySnapshot:
    """Return the shipped baseline as a snapshot, which is equal at every call."""
    content = {
        "intents": [
            {**intent, "decisive_terms": _terms(intent["decisive_terms"]), "terms": _terms(intent["terms"])}
            for intent in defaults.INTENTS
        ],
        "fallback": defaults.FALLBACK,
        "budgets": defaults.BUDGETS,
        "total_cap_chars": defaults.TOTAL_CAP,
        "classifier": defaults.CLASSIFIER,
        "retrieval": {},
    }
    return read_content(content, number=1, status="active", origin="baseline", reason=BASELINE_REASON)


def _terms(text: str) -> tuple[str, ...]:
    return tuple(" ".join(term.split()) for term in text.split(",") if term.strip())
