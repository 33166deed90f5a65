"""Measure what the candidates lack, search for it, and stop when a search brings nothing more."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from apps.retrieval.contracts import Candidate, ChunkId, Degradation, Healing, HealRound, QueryAnalysis
from apps.retrieval.errors import GenerationError, MalformedWordingsError
from apps.retrieval.generation.protocol import Completing
from apps.retrieval.optional.healing.coverage import Coverage, coverage_of, keep_holding, phrases_for
from apps.retrieval.optional.rewriters.recipes import Recipe
from apps.retrieval.optional.rewriters.wordings import read_wordings
from apps.retrieval.stage_settings import StageSettings

STAGE: Final = "heal"
ADDED_A_ROUND: Final = 3
KEPT_AHEAD: Final = 3
"""What is added comes after the best candidates, and before the rest: behind them all it would find no room."""
SUB_QUERY: Final = Recipe(
    name=STAGE,
    task=(
        "The passages that were found for the question do not speak of what is listed as missing. Write 1 search "
        "query, in the language of the question, that finds passages about the missing part, in the words that such "
        "documents use. It must differ from those already searched for."
    ),
    most=1,
    longest_chars=300,
)
_COVERED: Final = "At least {minimum:.0%} of the question is covered."
_NOTHING_MISSING: Final = "Every part of the question is mentioned in some passage."
_NO_PHRASE: Final = "There is no other wording for what is missing."
_NO_PASSAGE: Final = "The search for it found no passage that was not known."
_NO_ROUND: Final = "The policy allows no further round."


@dataclass(slots=True)
class _Asking:
    """The state of healing a question: the queries and phrases used so far, and whether the model has failed."""

    analysis: QueryAnalysis
    asked: list[str]
    phrases: set[str] = field(default_factory=set)
    model_failed: GenerationError | None = None


class CoverageHealer:
    """Searches with a sub-query by the tenant's model, or without one by the words of the question and the glossary.

    If the model fails, words replace it for the rest of the question, and the answer says so.

    Args: model: the tenant's, bound to its residency; None if there is none.
    """

    name = "coverage"

    def __init__(self, model: Completing | None, settings: StageSettings) -> None:
        self._model = model
        self._timeout_seconds = settings.model_wording_timeout_seconds

    def heal(
        self,
        analysis: QueryAnalysis,
        candidates: tuple[Candidate, ...],
        *,
        search: Callable[[str], tuple[Candidate, ...]],
        rounds: int,
        minimum_coverage: float,
    ) -> Healing:
        """See `Healer.heal`. Candidates are added and never removed."""
        asking = _Asking(analysis=analysis, asked=[analysis.search_text])
        seen: set[ChunkId] = {each.hit.chunk_id for each in candidates}
        made: list[HealRound] = []
        coverage, ended = coverage_of(candidates, analysis), _NO_ROUND
        while True:
            if coverage.share >= minimum_coverage:
                ended = _COVERED.format(minimum=minimum_coverage)
                break
            if not coverage.missing:
                ended = _NOTHING_MISSING
                break
            if len(made) == rounds:
                break
            text, by = self._sub_query(coverage, asking)
            if not text:
                ended = _NO_PHRASE
                break
            asking.asked.append(text)
            new = tuple(each for each in search(text) if each.hit.chunk_id not in seen)
            seen.update(each.hit.chunk_id for each in new)
            added = keep_holding(new, coverage.missing, analysis)[:ADDED_A_ROUND]
            made.append(_round(len(made) + 1, coverage, analysis, text, by, len(new), len(added)))
            if not new:
                ended = _NO_PASSAGE
                break
            candidates = (*candidates[:KEPT_AHEAD], *added, *candidates[KEPT_AHEAD:])
            coverage = coverage_of(candidates, analysis)
        return Healing(
            candidates=candidates,
            rounds=tuple(made),
            coverage=coverage.share,
            ended=ended,
            degradation=_degradation(asking.model_failed),
        )

    def _sub_query(self, coverage: Coverage, asking: _Asking) -> tuple[str, str]:
        """Return what to search for, empty if nothing is left to try, and the name of the model that wrote it."""
        if self._model is not None and asking.model_failed is None:
            try:
                text = self._ask_by_model(self._model, coverage, asking)
            except GenerationError as error:
                asking.model_failed = error
            else:
                if text is not None:
                    return text, self._model.model
        return _ask_by_words(coverage, asking), ""

    def _ask_by_model(self, model: Completing, coverage: Coverage, asking: _Asking) -> str | None:
        """Return the model's sub-query; None if the tenant's profile names no model, empty if it has no new phrase."""
        missing = [phrases_for(concept, asking.analysis)[0] for concept in coverage.missing]
        told = {"question": asking.analysis.search_text, "missing": missing, "already searched for": asking.asked}
        content = model.complete(
            instructions=SUB_QUERY.instructions,
            data=json.dumps(told, ensure_ascii=False),
            timeout_seconds=self._timeout_seconds,
        )
        if content is None:
            return None
        read = read_wordings(
            content,
            most=SUB_QUERY.most,
            longest_chars=SUB_QUERY.longest_chars,
            language=asking.analysis.language,
            apart_from=asking.asked,
        )
        if isinstance(read, str):
            raise MalformedWordingsError(model=model.model, problem=read)
        return read.texts[0] if read.texts else ""


def _ask_by_words(coverage: Coverage, asking: _Asking) -> str:
    """Return the first unused phrase for each missing concept, together with the names that the question is about."""
    fresh = []
    for concept in coverage.missing:
        phrase = next((each for each in phrases_for(concept, asking.analysis) if each not in asking.phrases), None)
        if phrase is not None:
            asking.phrases.add(phrase)
            fresh.append(phrase)
    return "; ".join(dict.fromkeys((*asking.analysis.names, *fresh))) if fresh else ""


def _round(
    number: int, coverage: Coverage, analysis: QueryAnalysis, text: str, by: str, found: int, added: int
) -> HealRound:
    return HealRound(
        number=number,
        coverage=coverage.share,
        missing=tuple(phrases_for(concept, analysis)[0] for concept in coverage.missing),
        asked=text,
        by=by,
        found=found,
        added=added,
    )


def _degradation(error: GenerationError | None) -> Degradation | None:
    if error is None:
        return None
    return Degradation(
        stage=STAGE, code=error.code, message=f"{error.detail} What is missing was asked for by words instead."
    )
