"""A policy's content as JSON, the shape of the API and of the record: read into a snapshot, and written from one.

The baseline and the policy file are read as the same content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID, uuid5

from apps.corpus.kinds import Kind, RetentionClass, SourceType, words_of_key
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
from apps.intents.invariants import invariants_json, read_invariants
from apps.intents.profile.contracts import read_rules, rules_json
from apps.intents.retrieval_settings import RetrievalSettings, retrieval_settings_from_json
from apps.intents.reviewers import sort_two_for
from apps.tenants.roles import Role

BASELINE_ID: Final = UUID("6a0f5f0e-5c1b-5d0a-9a55-0b1a5e11e000")
"""Id of a content outside of any tenant, as the baseline's; its rows in a tenant get ids of their own."""


def read_content(
    content: Mapping[str, Any],
    *,
    version_id: UUID = BASELINE_ID,
    number: int = 0,
    status: str = "draft",
    origin: str = "import",
    reason: str = "",
) -> PolicySnapshot:
    """Read a content, such as policy_content writes it, into a snapshot; equal contents give equal snapshots.

    Raises: ValueError, KeyError: whoever hands it in has not checked it.
    """
    intents, fallback = content["intents"], content["fallback"]
    budgets = tuple(_budget(row, position) for position, row in enumerate(content["budgets"], start=1))
    kinds = [budget.kind for budget in budgets]
    examples = [(text, intent["name"]) for intent in intents for text in intent["examples"]]
    counter_examples = [(text, UNRECOGNISED) for text in fallback["examples"]]
    return PolicySnapshot(
        version_id=version_id,
        number=number,
        status=status,
        origin=origin,
        author_label="",
        approver_label="",
        reason=reason,
        valid_from=None,
        valid_to=None,
        intents=tuple(
            IntentRule(
                name=intent["name"],
                label=intent["label"],
                description=intent["description"],
                kinds=sort_kinds(intent["kinds"], kinds),
                recording_mode=RecordingMode(intent["recording_mode"]),
                terms=(
                    *(OwnTerm(text=text, decisive=True) for text in intent["decisive_terms"]),
                    *(OwnTerm(text=text, decisive=False) for text in intent["terms"]),
                ),
            )
            for intent in intents
        ),
        fallback=FallbackRule(
            label=fallback["label"],
            description=fallback["description"],
            kinds=sort_kinds(fallback["kinds"], kinds),
            recording_mode=RecordingMode(fallback["recording_mode"]),
        ),
        examples=tuple(
            GoldenQuestion(id=uuid5(BASELINE_ID, text), text=text, intent=intent)
            for text, intent in (*examples, *counter_examples)
        ),
        budgets=budgets,
        total_cap_chars=content["total_cap_chars"],
        classifier=ClassifierSettings(**content["classifier"]),
        retrieval=retrieval_settings_from_json(content["retrieval"]),
        invariants=read_invariants(content.get("invariants", ())),
        profile=read_rules(content.get("profile", ())),
        two_reviewers_for=sort_two_for(content.get("two_reviewers_for", ())),
    )


def sort_kinds(names: Iterable[str], kinds: Sequence[Kind]) -> tuple[Kind, ...]:
    """Return the kinds of these keys in the version's order, so that equal sets are equal values.

    Args: kinds: those of the version, by priority. A key that is not among them comes last; validation names it.
    """
    wanted = set(names)
    unknown = sorted(wanted.difference(kinds))
    return (*(kind for kind in kinds if kind in wanted), *(Kind(str(name)) for name in unknown))


def default_class(key: str) -> RetentionClass:
    """Return the retention class of a kind that names none."""
    return RetentionClass(key) if key in RetentionClass.values else RetentionClass.RECORD


def _budget(row: Mapping[str, Any], position: int) -> KindBudget:
    key = row["kind"]
    name = row.get("name") or words_of_key(key)
    return KindBudget(
        kind=Kind(str(key), name),
        label=row["label"],
        cap_chars=row["cap_chars"],
        position=position,
        name=name,
        description=row.get("description", ""),
        examples=tuple(row.get("examples", ())),
        retention_class=RetentionClass(row.get("retention_class") or default_class(key)),
        source_category=SourceType(row.get("source_category") or SourceType.INTERNAL),
        uploaders=tuple(sorted(Role(role) for role in row.get("uploaders", ()))),
        retired=row.get("retired", False),
        correctors=tuple(sorted(Role(role) for role in row.get("correctors", ()))),
        removers=tuple(sorted(Role(role) for role in row.get("removers", ()))),
    )


def policy_content(snapshot: PolicySnapshot) -> dict[str, Any]:
    """Return the policy's content without its author and times: equal policies give equal content."""
    return {
        "intents": [
            {
                "name": rule.name,
                "label": rule.label,
                "description": rule.description,
                "kinds": [kind.value for kind in rule.kinds],
                "recording_mode": rule.recording_mode.value,
                "decisive_terms": [term.text for term in rule.terms if term.decisive],
                "terms": [term.text for term in rule.terms if not term.decisive],
                "examples": [example.text for example in snapshot.examples if example.intent == rule.name],
            }
            for rule in snapshot.intents
        ],
        "fallback": {
            "label": snapshot.fallback.label,
            "description": snapshot.fallback.description,
            "kinds": [kind.value for kind in snapshot.fallback.kinds],
            "recording_mode": snapshot.fallback.recording_mode.value,
            "examples": [example.text for example in snapshot.examples if example.intent == UNRECOGNISED],
        },
        "budgets": [
            {
                "kind": budget.kind.value,
                "name": budget.name,
                "description": budget.description,
                "examples": list(budget.examples),
                "label": budget.label,
                "cap_chars": budget.cap_chars,
                "retention_class": budget.retention_class.value,
                "source_category": budget.source_category.value,
                "uploaders": [role.value for role in budget.uploaders],
                "retired": budget.retired,
                # Without any, a version's digest stays what it was before there were these rights.
                **({"correctors": [role.value for role in budget.correctors]} if budget.correctors else {}),
                **({"removers": [role.value for role in budget.removers]} if budget.removers else {}),
            }
            for budget in sorted(snapshot.budgets, key=lambda budget: budget.position)
        ],
        "total_cap_chars": snapshot.total_cap_chars,
        "classifier": {name: getattr(snapshot.classifier, name) for name in snapshot.classifier.__dataclass_fields__},
        "retrieval": _retrieval(snapshot.retrieval),
        # Without any, a version's digest stays what it was before there were invariants.
        **({"invariants": invariants_json(snapshot.invariants)} if snapshot.invariants else {}),
        **({"profile": rules_json(snapshot.profile)} if snapshot.profile else {}),
        **({"two_reviewers_for": [each.value for each in two]} if (two := snapshot.two_reviewers_for) else {}),
    }


def _retrieval(settings: RetrievalSettings) -> dict[str, int | float | bool]:
    """Return the settings. No history is as it was before there was one: a version's digest stays what it was."""
    values = settings.as_json()
    if not values["history_days"]:
        del values["history_days"]
    return values
