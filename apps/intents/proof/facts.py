"""What a proof reads of one side: a policy's content as JSON, and who may ask where. Pure, and names are plain texts.

It works on the content and not on the snapshot, so that what is proven can be computed again from the proof's own file.
A test holds that the kinds are those that the gate permits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.corpus.kinds import Right
from apps.intents.reviewers import TwoFor

FALLBACK: Final = "unrecognised"
"""Stands for a question that no intent recognises; no intent may have this name."""

WITH_TEXT: Final = "encrypted_text"

Held = Mapping[str, frozenset[str]]
"""Role -> the ids of the scopes in which somebody who holds it may ask."""

_ADDING: Final = frozenset(role.value for role in Right.UPLOAD.roles)
_REMOVING: Final = frozenset(role.value for role in Right.REMOVE.roles)
_RECOGNISED_BY: Final = ("decisive_terms", "terms", "examples")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One side of a proof.

    reach: intent -> the kinds that its questions may reach; a kind without a context budget is reached by none.
    recording: intent -> how its questions are recorded. caps: kind -> characters; the whole context stands under "".
    recognition: what decides which intent a question gets, by its name, as JSON.
    rights: right -> kind -> the roles that have it, by name or by default. in_use: the kinds that are not retired.
    retention, sources: kind -> its class, its source category. two_for: the changes that take two reviewers.
    invariants, profile: those of the version, each as JSON.
    """

    reach: Mapping[str, frozenset[str]]
    recording: Mapping[str, str]
    caps: Mapping[str, int]
    recognition: Mapping[str, Any]
    rights: Mapping[Right, Mapping[str, frozenset[str]]]
    in_use: frozenset[str]
    retention: Mapping[str, Any]
    sources: Mapping[str, Any]
    two_for: frozenset[str]
    invariants: tuple[Mapping[str, Any], ...]
    profile: tuple[Mapping[str, Any], ...]
    held: Held


def facts_of(content: Mapping[str, Any], held: Held) -> Facts:
    """Return what a proof reads of a policy's content, such as policy_content writes it."""
    rules = [*((rule["name"], rule) for rule in content["intents"]), (FALLBACK, content["fallback"])]
    budgeted = {row["kind"] for row in content["budgets"]}
    return Facts(
        reach={name: frozenset(rule["kinds"]) & budgeted for name, rule in rules},
        recording={name: rule["recording_mode"] for name, rule in rules},
        caps={**{row["kind"]: row["cap_chars"] for row in content["budgets"]}, "": content["total_cap_chars"]},
        recognition=_recognition(content, rules),
        rights={right: {row["kind"]: _holders(row, right) for row in content["budgets"]} for right in Right},
        in_use=frozenset(row["kind"] for row in content["budgets"] if not row.get("retired")),
        retention={row["kind"]: row.get("retention_class") for row in content["budgets"]},
        sources={row["kind"]: row.get("source_category") for row in content["budgets"]},
        two_for=_two_for(content.get("two_reviewers_for", ())),
        invariants=tuple(content.get("invariants", ())),
        profile=tuple(content.get("profile", ())),
        held={role: frozenset(scopes) for role, scopes in held.items() if scopes},
    )


def _holders(row: Mapping[str, Any], right: Right) -> frozenset[str]:
    """Return the roles that have the right. Nobody uploads what is retired; its documents are still corrected."""
    if right is Right.REMOVE:
        return frozenset(row.get("removers") or _REMOVING)
    uploading = frozenset(row.get("uploaders") or _ADDING)
    if right is Right.CORRECT:
        return frozenset(row.get("correctors") or uploading)
    return frozenset() if row.get("retired") else uploading


def _two_for(rule: Iterable[str]) -> frozenset[str]:
    """Return the changes that take two reviewers: all of them where every change does."""
    named = frozenset(rule)
    return frozenset(each.value for each in TwoFor) if TwoFor.EVERYTHING.value in named else named


def _recognition(content: Mapping[str, Any], rules: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {f"setting:{name}": value for name, value in content["classifier"].items()}
    # The bar stops a version and no question.
    del found["setting:minimum_golden_accuracy"]
    for name, rule in rules:
        found |= {f"{part}:{name}": rule[part] for part in _RECOGNISED_BY if part in rule}
    # The order decides a tie.
    found["order"] = [name for name, _ in rules]
    return found
