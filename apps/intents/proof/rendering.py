"""A proof as one file: canonical JSON with everything that it was computed from, and its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from apps.audit.canonical import canonical_bytes
from apps.intents.contracts import PolicySnapshot
from apps.intents.proof.contracts import SINCE_V2, Block, Change, Result, Results, Theorem
from apps.intents.proof.facts import Held, facts_of
from apps.intents.proof.theorems import decide
from apps.intents.proof.words import SHOWN, Names, Stated, names_of, state
from apps.intents.rendering import policy_sha256
from apps.intents.snapshots.content import policy_content

FIRST_FORMAT: Final = "glassbox.policy.proof.v1"
"""Of files that say nothing of who files what, nor of the rule of two reviewers."""
FORMAT: Final = "glassbox.policy.proof.v2"
_ALL: Final = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a proof: a policy, and who may ask where at an instant (None where nobody was asked about)."""

    policy: PolicySnapshot
    held: Held
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A change with every theorem decided."""

    before: Side
    after: Side
    results: Results

    @property
    def stated(self) -> tuple[Stated, ...]:
        return state(self.results, _names(self))

    def text(self) -> str:
        """Return the file: the same change gives the same bytes."""
        return canonical_bytes(_json(self)).decode()


def prove(before: Side, after: Side) -> Proof:
    """Decide every theorem about the change from one side to the other. Pure."""
    old, new = (facts_of(policy_content(side.policy), side.held) for side in (before, after))
    return Proof(before=before, after=after, results=decide(old, new))


def stated_of(content: Mapping[str, Any], *, shown: int = SHOWN) -> tuple[Stated, ...]:
    """Return what a proof's file says, in words."""
    results = {Theorem(each["theorem"]): _read(each) for each in content["theorems"]}
    sides = [content[side]["content"] for side in ("before", "after")]
    names = Names(
        intents={rule["name"]: rule["label"] for side in sides for rule in side["intents"]},
        kinds={row["kind"]: row["name"] for side in sides for row in side["budgets"] if row.get("name")},
    )
    return state(results, names, shown=shown)


def is_decided_so(content: Mapping[str, Any]) -> bool:
    """Return whether a proof's file says of every theorem what follows from the contents that are in it.

    A file of the first form states fewer of them.

    Raises: KeyError, TypeError, ValueError: it is no proof.
    """
    if content["format"] not in (FIRST_FORMAT, FORMAT):
        raise ValueError(f"{content['format']!r} is the format of no proof")
    left_out = SINCE_V2 if content["format"] == FIRST_FORMAT else frozenset()
    before, after = (content[side] for side in ("before", "after"))
    results = decide(facts_of(before["content"], before["held"]), facts_of(after["content"], after["held"]))
    told = [{name: value for name, value in row.items() if name != "sentence"} for row in content["theorems"]]
    return told == [_decided(results[each]) for each in Theorem if each in results and each not in left_out]


def proof_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(row: Mapping[str, Any]) -> Result:
    return Result(
        theorem=Theorem(row["theorem"]),
        blocks=tuple(
            Block(
                places=tuple((role, tuple(scopes)) for role, scopes in block["places"]),
                cells=tuple((intent, tuple(kinds)) for intent, kinds in block["cells"]),
            )
            for block in row["blocks"]
        ),
        changes=tuple(Change(about=about, before=before, after=after) for about, before, after in row["changes"]),
    )


def _names(proof: Proof) -> Names:
    return names_of(proof.before.policy, proof.after.policy)


def _json(proof: Proof) -> dict[str, Any]:
    everything = {each.theorem: each for each in state(proof.results, _names(proof), shown=_ALL)}
    return {
        "format": FORMAT,
        "before": _side(proof.before),
        "after": _side(proof.after),
        "theorems": [
            result_json(proof.results[each], everything[each].sentence) for each in Theorem if each in proof.results
        ],
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "version": side.policy.number or None,
        "version_id": str(side.policy.version_id) if side.policy.number else None,
        "content_sha256": policy_sha256(side.policy),
        "at": side.at.isoformat() if side.at else None,
        "held": {role: sorted(scopes) for role, scopes in side.held.items() if scopes},
        "content": policy_content(side.policy),
    }


def result_json(result: Result, sentence: str) -> dict[str, Any]:
    """Return what a proof's file says of one theorem."""
    return {**_decided(result), "sentence": sentence}


def _decided(result: Result) -> dict[str, Any]:
    return {
        "theorem": result.theorem.value,
        "holds": result.holds,
        "count": result.count,
        "blocks": [
            {
                "places": [[role, list(scopes)] for role, scopes in block.places],
                "cells": [[intent, list(kinds)] for intent, kinds in block.cells],
            }
            for block in result.blocks
        ],
        "changes": [[change.about, change.before, change.after] for change in result.changes],
    }
