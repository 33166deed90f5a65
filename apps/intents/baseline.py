"""Convert the baseline file to a policy snapshot, the type that is also read from a tenant's tables."""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid5

from apps.corpus.kinds import Kind
from apps.intents import defaults
from apps.intents.contracts import (
    UNRECOGNISED,
    ClassifierSettings,
    FallbackRule,
    GoldenQuestion,
    IntentRule,
    KindBudget,
    OwnTerm,
    PolicySnapshot,
    RecordingMode,
)
from apps.intents.retrieval_settings import RetrievalSettings

BASELINE_ID: Final = UUID("6a0f5f0e-5c1b-5d0a-9a55-0b1a5e11e000")
"""Id of the baseline outside of any tenant; its rows in a tenant get ids of their own."""

BASELINE_REASON: Final = "The shipped baseline, put in force when the tenant was created."


def baseline_snapshot() -> PolicySnapshot:
    """Return the shipped baseline as a snapshot, which is equal at every call."""
    counter_examples = [(text, UNRECOGNISED) for text in defaults.FALLBACK["examples"]]
    examples = [(text, intent["name"]) for intent in defaults.INTENTS for text in intent["examples"]]
    return PolicySnapshot(
        version_id=BASELINE_ID,
        number=1,
        status="active",
        origin="baseline",
        author_label="",
        approver_label="",
        reason=BASELINE_REASON,
        valid_from=None,
        valid_to=None,
        intents=tuple(
            IntentRule(
                name=intent["name"],
                label=intent["label"],
                description=intent["description"],
                kinds=_kinds(intent["kinds"]),
                recording_mode=RecordingMode(intent["recording_mode"]),
                terms=(
                    *(OwnTerm(text=text, decisive=True) for text in _terms(intent["decisive_terms"])),
                    *(OwnTerm(text=text, decisive=False) for text in _terms(intent["terms"])),
                ),
            )
            for intent in defaults.INTENTS
        ),
        fallback=FallbackRule(
            label=defaults.FALLBACK["label"],
            description=defaults.FALLBACK["description"],
            kinds=_kinds(defaults.FALLBACK["kinds"]),
            recording_mode=RecordingMode(defaults.FALLBACK["recording_mode"]),
        ),
        examples=tuple(
            GoldenQuestion(id=uuid5(BASELINE_ID, text), text=text, intent=intent)
            for text, intent in (*examples, *counter_examples)
        ),
        budgets=tuple(
            KindBudget(kind=Kind(row["kind"]), label=row["label"], cap_chars=row["cap_chars"], position=position)
            for position, row in enumerate(defaults.BUDGETS, start=1)
        ),
        total_cap_chars=defaults.TOTAL_CAP,
        classifier=ClassifierSettings(**defaults.CLASSIFIER),
        retrieval=RetrievalSettings(),
    )


def _kinds(names: list[str]) -> tuple[Kind, ...]:
    """Return the kinds in the order of the enumeration, so that equal sets are equal values. An unknown name raises."""
    wanted = {Kind(name) for name in names}
    return tuple(kind for kind in Kind if kind in wanted)


def _terms(text: str) -> tuple[str, ...]:
    return tuple(" ".join(term.split()) for term in text.split(",") if term.strip())
