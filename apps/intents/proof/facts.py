"""What a proof reads of one side: a policy's content as JSON, and who may ask where. Pure, and names are plain texts.

It works on the content and not on the snapshot, so that what is proven can be computed again from the proof's own file.
A test holds that the kinds are those that the gate permits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

FALLBACK: Final = "unrecognised"
"""Stands for a question that no intent recognises; no intent may have this name."""

WITH_TEXT: Final = "encrypted_text"

Held = Mapping[str, frozenset[str]]
"""Role -> the ids of the scopes in which somebody who holds it may ask."""

_RECOGNISED_BY: Final = ("decisive_terms", "terms", "examples")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """One side of a proof.

    reach: intent -> the kinds that its questions may reach; a kind without a context budget is reached by none.
    recording: intent -> how its questions are recorded. caps: kind -> characters; the whole context stands under "".
    recognition: what decides which intent a question gets, by its name, as JSON.
    invariants, profile: those of the version, each as JSON.
    """

    reach: Mapping[str, frozenset[str]]
    recording: Mapping[str, str]
    caps: Mapping[str, int]
    recognition: Mapping[str, Any]
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
        invariants=tuple(content.get("invariants", ())),
        profile=tuple(content.get("profile", ())),
        held={role: frozenset(scopes) for role, scopes in held.items() if scopes},
    )


def _recognition(content: Mapping[str, Any], rules: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {f"setting:{name}": value for name, value in content["classifier"].items()}
    # The bar stops a version and no question.
    del found["setting:minimum_golden_accuracy"]
    for name, rule in rules:
        found |= {f"{part}:{name}": rule[part] for part in _RECOGNISED_BY if part in rule}
    # The order decides a tie.
    found["order"] = [name for name, _ in rules]
    return found
