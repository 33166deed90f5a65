"""An event's payload in words: group by group, each field with a readable name, ids that lead to their pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join

from apps.audit.registry import Group, KeptGroup
from apps.audit.selectors import GroupState, Reading
from apps.tenants.display import EMPTY, identifier

GROUP_TITLES: Mapping[str, str] = {
    Group.CORE: "What happened",
    Group.ACTOR: "About the person who acted",
    Group.QUESTION: "The question",
    Group.ANSWER: "The answer",
    Group.PASSAGES: "The passages",
}
# Pages of higher floors, by address: this floor may not import them.
_PAGES: Mapping[str, str] = {
    "document": "admin:corpus_document_change",
    "job": "admin:corpus_ingestjob_change",
    "policy_version": "admin:intents_policyversion_change",
    "membership": "admin:tenants_membership_change",
    "api_key": "admin:tenants_apikey_change",
    "scope": "admin:tenants_scope_change",
    "tenant": "admin:tenants_tenant_change",
    "event": "admin:audit_event_change",
    "legal_hold": "admin:audit_legalhold_change",
    "retention_schedule": "admin:retention_schedule",
    "purge": "admin:purge",
    "erasure_request": "admin:erasure_request",
}
_SUBJECT_OF_FIELD: Mapping[str, str] = {
    **{f"{name}_id": name for name in _PAGES},
    "superseded_by": "document",
    "parent_id": "scope",
}
# In the order in which they are read: the database keeps no order of an object's names.
_LABELS: Mapping[str, str] = {
    "rank": "Rank",
    "document_id": "Document",
    "ref_id": "Reference",
    "cited": "Cited",
    "in_context": "In context",
    "kind": "Kind",
    "ranks": "Ranks",
    "rrf_score": "RRF score",
    "intent": "Intent",
    "intent_score": "Score",
    "intent_margin": "Lead over the second",
    "policy_version": "Policy version",
    "policy_version_id": "Policy",
    "permitted_kinds": "Kinds permitted",
    "withheld_kinds": "Kinds withheld",
    "recording_mode": "Kept of the question",
    "filters": "Narrowed by",
    "relaxed_filters": "Narrowing given up",
    "excluded": "Left out, by stage and reason",
    "degradations": "Parts that were missing",
    "embedding": "Embedding",
    "terms_version": "Analysis of words",
    "terms_version_before": "Analysis of words before",
    "stage_settings": "Settings of the stages",
    "rewording": "Searched for besides the question",
    "answer_outcome": "What was given",
    "research_mode": "Research mode",
    "profile_rules": "Rules of the compliance profile that fired, or stand under it",
    "relevance": "Whether it answers what was asked",
    "generator": "Answer written by",
    "profile": "Provider",
    "model": "Model",
    "region": "Region",
    "purpose": "Asked for",
    "attempt": "Which request to it for the question",
    "passages": "Passages sent",
    "timeout_seconds": "Longest time, s",
    "code": "Error",
    "first_byte_ms": "Time to the first byte, ms",
    "input_tokens": "Tokens read",
    "output_tokens": "Tokens written",
    "price": "Price of a million tokens, in/out",
    "cost": "Cost",
    "currency": "Currency",
    "calls": "Requests to models",
    "deadline": "Time for all requests to models",
    "seconds": "Seconds",
    "used_seconds": "Seconds used",
    "elapsed_ms": "Time in all, ms",
    "stage_ms": "Time by stage, ms",
    "text": "Text",
    "given_filters": "Filters sent with it",
    "intent_reason": "Why this intent",
    "hmac_sha256": "Question, as a keyed hash",
    "key_epoch": "Key period",
    "length_chars": "Length, characters",
    "refusal": "Refusal",
    "grounding": "Grounding",
    "repair": "Repaired before it was given",
    "ref_ids": "Cited",
    "answer_hmac_sha256": "Answer, as a keyed hash",
    "context_chars": "Context, characters",
    "context_sha256": "Context, SHA-256",
    "user_id": "Account",
    "residency_region": "Region",
    "residency_strict": "Strict residency",
    "embedding_profile": "Embedding provider",
    "generation_profile": "Answer provider",
    "byte_size": "Size, bytes",
    "number": "Version",
    "superseded_number": "Took the place of version",
    "content_sha256": "Content, SHA-256",
    "before_sha256": "Content before, SHA-256",
    "hits": "Passages found",
    "review_on": "To be reviewed on",
    "review_on_before": "Was to be reviewed on",
    "items": "Held from now on",
    "still_held": "Held by another hold still",
}
_PLACES = {name: place for place, name in enumerate(_LABELS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One line of a group. rows is set for a list of alike objects, which is drawn as a table under columns."""

    label: str
    value: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldGroup:
    title: str
    fields: tuple[Field, ...]


def payload_groups(
    payload: Mapping[str, Mapping[str, Any]], *, without: Collection[str] = ()
) -> tuple[FieldGroup, ...]:
    """The groups in the registry's order, but for those that the page shows in a way of their own."""
    return tuple(
        FieldGroup(
            title=GROUP_TITLES[group],
            fields=tuple(_field(name, payload[group][name]) for name in _ordered(payload[group])),
        )
        for group in Group
        if payload.get(group) and group not in without
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LostGroup:
    """A group that the event was written with and that can't be shown. problem: empty where it was removed."""

    title: str
    problem: str


_STATES: Mapping[GroupState, tuple[str, str, str]] = {
    GroupState.INTACT: ("Intact", "good", "opens its commitment: it is what was recorded"),
    GroupState.REMOVED: ("Removed", "warn", "not stored any more; the rest of the event stands without it"),
    GroupState.DAMAGED: ("Damaged", "bad", "what is stored is not what was recorded"),
}


def kept_groups(reading: Reading, commitments: Mapping[str, str]) -> tuple[KeptGroup, ...]:
    """Every group that the event was written with, or that lies beside it, in the registry's order."""
    kept = []
    for group in Group:
        state = reading.states.get(group)
        if state is not None:
            word, tone, note = _STATES[state]
            problem = reading.problems.get(group)
            kept.append(
                KeptGroup(
                    group=str(group),
                    title=GROUP_TITLES[group],
                    state=word,
                    tone=tone,
                    note=f"{note}: {problem}" if problem else note,
                    commitment=commitments.get(group, ""),
                )
            )
    return tuple(kept)


def lost_groups(reading: Reading) -> tuple[LostGroup, ...]:
    return tuple(
        LostGroup(title=GROUP_TITLES[group], problem=reading.problems.get(group, ""))
        for group in Group
        if reading.states.get(group, GroupState.INTACT) is not GroupState.INTACT
    )


def subject_url(subject_type: str, subject_id: object) -> str:
    """The page of what an event is about; empty where there is none."""
    name = _PAGES.get(subject_type)
    if not name or not subject_id:
        return ""
    try:
        return reverse(name, args=[subject_id])
    except NoReverseMatch:
        return ""


def label_of(name: str) -> str:
    return _LABELS.get(name) or name.removesuffix("_id").replace("_", " ").capitalize()


def _ordered(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: (_PLACES.get(name, len(_PLACES)), name)))


def _by_weight(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Numbers from the largest down (where the time went), anything else by name."""
    if all(isinstance(each, int | float) for each in values.values()):
        return sorted(values.items(), key=lambda item: (-item[1], item[0]))
    return sorted(values.items())


def _field(name: str, value: Any) -> Field:
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        columns = _ordered({column for row in value for column in row})
        return Field(
            label=label_of(name),
            value=f"{len(value)}",
            columns=tuple(label_of(column) for column in columns),
            rows=tuple(tuple(_text(column, row.get(column)) for column in columns) for row in value),
        )
    return Field(label=label_of(name), value=_text(name, value))


def _text(name: str, value: Any) -> str:
    """A value as words: ids as links or copyable, objects as `name: value` lines, nothing as a dash."""
    if value is None or value in ("", [], {}):
        return EMPTY
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        lines = ((label_of(str(key)), _text(str(key), each)) for key, each in _by_weight(value))
        return format_html_join("", '<span class="gb-line"><em>{}</em> {}</span>', lines)
    if isinstance(value, list):
        return format_html_join(", ", "{}", ((_text(name, each),) for each in value))
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int):
        return f"{value:,}" if name not in ("version", "policy_version", "number", "rank") else str(value)
    return _word(name, str(value))


def _word(name: str, text: str) -> str:
    url = subject_url(_SUBJECT_OF_FIELD.get(name, ""), text)
    if url:
        return format_html('<a href="{}">{}</a> {}', url, _SUBJECT_OF_FIELD[name].replace("_", " "), identifier(text))
    if _is_identifier(name):
        return identifier(text)
    return text.replace("_", " ") if name in ("kind", "permitted_kinds", "withheld_kinds", "recording_mode") else text


def _is_identifier(name: str) -> bool:
    return name.endswith(("_id", "_by", "sha256"))
