"""The rules of a compliance profile as values, and what a check of a text found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MOST_RULES: Final = 200
MOST_TERMS: Final = 100
"""Of one rule."""

LONGEST_KEY: Final = 40
LONGEST_NAME: Final = 120
LONGEST_TERM: Final = 120
LONGEST_TEXT: Final = 600
MOST_DISCLAIMER_CHARS: Final = 1_500
"""What all disclaimers of one intent have together, at most: an answer must not drown in them."""

RULE_KEY: Final = r"^[a-z][a-z0-9_]{0,39}$"
"""For PostgreSQL and Python alike; use with fullmatch, since `$` also stands before a last line break."""


class RuleSort(StrEnum):
    """What a rule is about."""

    TOPIC = "topic"
    """A topic that is refused: its terms are words and phrases."""
    PRODUCT = "product"
    """A product that may not be marketed: its terms are its names."""
    DISCLAIMER = "disclaimer"
    """A text that every answer to questions of some intents must carry."""
    CLIENTS = "clients"
    """Bounds: the terms are the values that are permitted. Without a bound any are."""
    INSTRUMENTS = "instruments"
    ASSET_CLASSES = "asset_classes"
    RISK_CLASSES = "risk_classes"
    JURISDICTIONS = "jurisdictions"
    MODELS = "models"
    """Which models may write answers; `none` for quotations alone."""
    REGIONS = "regions"
    """Where a model that writes answers may be computed."""
    SOURCES = "sources"
    """Sources outside of the corpus that may be asked. There is none to ask in this release: nothing reads this yet."""
    RESEARCH_MODES = "research_modes"
    """How far a question may be researched; what is asked outside of research is asked in the mode `direct`."""


class InQuestion(StrEnum):
    """What becomes of a question that names the rule's terms."""

    REFUSE = "refuse"
    ALLOW = "allow"


class InAnswer(StrEnum):
    """What becomes of an answer that names the rule's terms, quotes included. The order is that of strictness."""

    BLOCK = "block"
    FLAG = "flag"
    ALLOW = "allow"


WATCHING: Final = frozenset({RuleSort.TOPIC, RuleSort.PRODUCT})
"""The sorts whose own terms are looked for in texts."""

BY_WORDS: Final = frozenset({RuleSort.CLIENTS, RuleSort.INSTRUMENTS, RuleSort.ASSET_CLASSES, RuleSort.RISK_CLASSES})
"""Bounds whose values are looked for by words (values.py)."""

OF_MEANS: Final = frozenset({RuleSort.MODELS, RuleSort.REGIONS, RuleSort.SOURCES, RuleSort.RESEARCH_MODES})
"""Bounds on the means by which a question is answered: they look for nothing in it."""

BOUNDS: Final = BY_WORDS | OF_MEANS | {RuleSort.JURISDICTIONS}

NEEDING_EFFECT: Final = WATCHING | BY_WORDS | {RuleSort.JURISDICTIONS}
"""The sorts that say what becomes of a question or an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRule:
    """One rule of a profile.

    key: how the log, the API and the file name it. name: what the firm calls it. terms: of a topic or product, what is
    looked for (matching.py); of a bound, the values that it permits. intents: of a disclaimer or a bound, for whose
    questions it holds, sorted; empty for all. The fallback is the intent `unrecognised`. text: the reason for the user;
    of a disclaimer, the disclaimer.
    """

    key: str
    sort: RuleSort
    name: str
    terms: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    text: str = ""
    in_question: InQuestion = InQuestion.ALLOW
    in_answer: InAnswer = InAnswer.ALLOW

    def holds_for(self, intent: str) -> bool:
        return not self.intents or intent in self.intents

    def as_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "sort": self.sort.value,
            "name": self.name,
            "terms": list(self.terms),
            "intents": list(self.intents),
            "text": self.text,
            "in_question": self.in_question.value,
            "in_answer": self.in_answer.value,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """A rule that fired on a text. words: what made it fire, as it stands in the text, each once."""

    rule: ProfileRule
    words: tuple[str, ...]


def read_rules(rows: Iterable[Mapping[str, Any]]) -> tuple[ProfileRule, ...]:
    """Read what as_json writes. What is left out gets its default. Raises ValueError, KeyError."""
    return tuple(
        ProfileRule(
            key=row["key"],
            sort=RuleSort(row["sort"]),
            name=row["name"],
            terms=tuple(row.get("terms", ())),
            intents=tuple(sorted(set(row.get("intents", ())))),
            text=row.get("text", ""),
            in_question=InQuestion(row.get("in_question", InQuestion.ALLOW)),
            in_answer=InAnswer(row.get("in_answer", InAnswer.ALLOW)),
        )
        for row in rows
    )


def rules_json(rules: Iterable[ProfileRule]) -> list[dict[str, Any]]:
    return [each.as_json() for each in rules]
