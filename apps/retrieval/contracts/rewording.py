"""The results of stages rewrite and heal: further wordings of a question, and sub-queries for what was missing."""

from __future__ import annotations

from dataclasses import dataclass

from apps.retrieval.contracts.answer import Degradation
from apps.retrieval.contracts.search import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """The cleaned output of a rewriter. Its texts are searched for; no other use is made of the output.

    model, region: the model that wrote the texts, and the region where it ran.
    left_out: why a text was rejected, as a fixed sentence for each.
    meaning_only: the texts are passages as a document might contain them. They are embedded in place of the question,
        and their words, which are invented, are not searched for.
    """

    texts: tuple[str, ...]
    model: str
    region: str
    left_out: tuple[str, ...] = ()
    meaning_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HealRound:
    """One sub-query for what is missing.

    number: counts from 1. coverage: how much of the question was covered before the round, 0 to 1.
    missing: what no passage held, in words. asked: the sub-query. by: the model that wrote it, or empty.
    found: how many passages the round found that no earlier search had found.
    added: how many of those hold something that was missing.
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
    """The result of the searches for what was missing.

    coverage: how much of the question the candidates cover at the end, 0 to 1. ended: why no further round was made.
    degradation: how the model failed, if the missing words themselves were searched for instead.
    """

    candidates: tuple[Candidate, ...]
    rounds: tuple[HealRound, ...]
    coverage: float
    ended: str
    degradation: Degradation | None = None
