"""What a question is searched for besides its own words, and what was asked for because it was missing."""

from __future__ import annotations

from dataclasses import dataclass

from apps.retrieval.contracts.answer import Degradation
from apps.retrieval.contracts.search import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """What a rewriter wrote, cleaned: words to search for, and nothing else of it is ever read.

    model, region: who wrote it, and where.
    left_out: why a text was not taken, a fixed sentence for each.
    meaning_only: the texts are passages as they might stand in a document. They are embedded in the place of the
        question, and their words, which are invented, are not searched for.
    """

    texts: tuple[str, ...]
    model: str
    region: str
    left_out: tuple[str, ...] = ()
    meaning_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HealRound:
    """One sub-query for what is missing.

    number: from 1. coverage: of the question before the round, 0 to 1. missing: what no passage held, in words.
    asked: the sub-query. by: the model that put it, or empty. found: passages that no search had found before.
    added: those of them that hold something that was missing.
    """

    number: int
    coverage: float
    missing: tuple[str, ...]
    asked: str
    by: str
    found: int
    added: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Healing:
    """What came of asking for what is missing.

    coverage: of the question by the candidates at the end, 0 to 1. ended: why no further round was made.
    degradation: how the model failed, where words were taken instead.
    """

    candidates: tuple[Candidate, ...]
    rounds: tuple[HealRound, ...]
    coverage: float
    ended: str
    degradation: Degradation | None = None
