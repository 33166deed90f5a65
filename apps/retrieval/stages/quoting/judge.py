"""Judge whether an answer is about what was asked: the figure, the company or fund, the period, the kind of answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from apps.retrieval.contracts import (
    AnswerKind,
    AnswerRelevance,
    ContextBlock,
    GeneratedAnswer,
    QueryAnalysis,
    Quote,
    RelevanceStatus,
)
from apps.retrieval.stages.figures.answerable import asks_for_a_figure
from apps.retrieval.stages.figures.phrases import PhraseText, phrases_of
from apps.retrieval.stages.grounding.subject import unknown_names, unknown_periods
from apps.retrieval.stages.question.answer_kind import read_answer_kind
from apps.retrieval.stages.quoting.choose import FORM_NEEDED, KINDS_IN_WORDS
from apps.retrieval.stages.quoting.fit import fits_kind

_REF_MARK: Final = re.compile(r"\[[^\[\]\n]*\|p\d+\|c\d+\]")
_CLEAR_ANSWER: Final = "a clear answer"


def judge_relevance(draft: GeneratedAnswer, context: ContextBlock, analysis: QueryAnalysis) -> AnswerRelevance:
    """Judge an answer that is not a refusal. What is asked for is read from the question's form and names alone."""
    kind = read_answer_kind(analysis.text, wants_number=analysis.wants_number, language=analysis.language)
    if draft.closest:
        return AnswerRelevance(status=RelevanceStatus.NONE, kind=kind, missing=draft.missing or (_CLEAR_ANSWER,))
    missing = tuple(dict.fromkeys((*draft.missing, *_missing(draft, context, analysis, kind))))
    status = RelevanceStatus.PARTIAL if missing else RelevanceStatus.FULL
    return AnswerRelevance(status=status, kind=kind, missing=missing)


def _missing(draft: GeneratedAnswer, context: ContextBlock, analysis: QueryAnalysis, kind: AnswerKind) -> Iterator[str]:
    text = _REF_MARK.sub(" ", draft.text)
    whole = Quote(ref_id="", text=text, start=0, end=len(text))
    if kind in KINDS_IN_WORDS and fits_kind(kind, whole, analysis.text) < FORM_NEEDED:
        yield KINDS_IN_WORDS[kind]
    cited = replace(context, passages=tuple(each for each in context.passages if each.ref_id in draft.ref_ids))
    yield from (f"“{name}”" for name in unknown_names(analysis, cited))
    yield from (period.label for period in unknown_periods(analysis, cited))
    if analysis.figures and asks_for_a_figure(analysis):
        beside = "\n".join(f"{each.text}\n{each.chunk.context_header}" for each in cited.passages)
        found = PhraseText(f"{text}\n{beside}", analysis.language)
        yield from (f"“{each.text}”" for each in analysis.figures if not phrases_of(each, found, analysis))
