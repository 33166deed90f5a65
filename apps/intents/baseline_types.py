"""The types of the baseline file, so that the type checker finds a typing error before a tenant gets the file."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class BaselineIntent(TypedDict):
    """One sort of question: what it may reach (kinds), and how it is recognised (terms, examples)."""

    name: str
    label: str
    description: str
    kinds: list[str]
    recording_mode: str
    decisive_terms: str  # separated by commas
    terms: str
    examples: list[str]


class BaselineFallback(TypedDict):
    """The kinds that an unrecognised question may reach, with examples of such questions."""

    label: str
    description: str
    kinds: list[str]
    recording_mode: str
    examples: list[str]


class BaselineBudget(TypedDict):
    """One kind of document: the heading of its passages in the context, and how many characters they may fill there.

    What is left out: the name is the key in words, the retention class the one of that key or else "record", the source
    category "internal"; whoever may add documents may upload it, whoever uploads it may correct it, whoever may propose
    removals may propose that of its documents; and it is not retired.
    """

    kind: str
    label: str
    cap_chars: int
    name: NotRequired[str]
    description: NotRequired[str]
    examples: NotRequired[list[str]]  # of such documents
    retention_class: NotRequired[str]
    source_category: NotRequired[str]
    uploaders: NotRequired[list[str]]  # roles
    correctors: NotRequired[list[str]]  # roles
    removers: NotRequired[list[str]]  # roles
    retired: NotRequired[bool]


class BaselineInvariant(TypedDict):
    """What no version may let through. Mode `never` or `only`; empty roles or intents stand for all."""

    name: str
    mode: str
    roles: list[str]
    intents: list[str]
    kinds: list[str]


class BaselineProfileRule(TypedDict):
    """A rule of the compliance profile: a topic that is refused, a product not to be marketed, or a disclaimer.

    text: the reason that users read, or the disclaimer. in_question: `refuse` or `allow`; in_answer: `block`, `flag` or
    `allow`, which is meant where it is left out. intents: of a disclaimer; left out, all are meant.
    """

    key: str
    sort: str  # topic, product or disclaimer
    name: str
    terms: NotRequired[list[str]]
    intents: NotRequired[list[str]]
    in_question: NotRequired[str]
    in_answer: NotRequired[str]
    text: str


class BaselineClassifier(TypedDict):
    """The settings that decide when a question is recognised. apps/intents/scoring.py describes the score."""

    neighbours: int
    term_weight: float
    decisive_points: float
    points_for_full_weight: float
    minimum_score: float
    minimum_margin: float
    minimum_term_points: float
    minimum_term_margin: float
    minimum_golden_accuracy: float
