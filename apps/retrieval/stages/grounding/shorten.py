"""Remove what is not supported from an answer. Deterministic: only whole sentences go, and nothing is written."""

from __future__ import annotations

from dataclasses import replace

from apps.corpus.terms import terms
from apps.retrieval.contracts import ContextBlock, FindingType, GeneratedAnswer, QueryAnalysis
from apps.retrieval.stages.grounding.ground import CheckedSentence, check_sentences
from apps.retrieval.stages.grounding.sentences import REF_MARK, remove_sentences
from apps.retrieval.stages.grounding.wording import telling_terms


def shorten(answer: GeneratedAnswer, context: ContextBlock, *, analysis: QueryAnalysis) -> GeneratedAnswer | None:
    """Remove the sentences with an unsupported claim, and the references that are no longer used.

    Returns: what is left, to be checked again as a whole; None if nothing is left, or nothing had to be removed.
    """
    known = {passage.ref_id for passage in context.passages}
    checked = check_sentences(answer, context, analysis=analysis)
    dropped = [each.sentence for each in checked if not each.holds]
    text = remove_sentences(answer.text, dropped)
    if not text or (not dropped and known.issuperset(answer.ref_ids)):
        return None
    kept = [each for each in checked if each.holds]
    used = {finding.ref_id for each in kept for finding in each.findings} | set(REF_MARK.findall(text))
    return replace(
        answer,
        text=text,
        ref_ids=tuple(ref_id for ref_id in answer.ref_ids if ref_id in used and ref_id in known),
        quotes=tuple(quote for quote in answer.quotes if quote.text in text),
    )


def still_answers(answer: GeneratedAnswer, context: ContextBlock, analysis: QueryAnalysis) -> bool:
    """Return whether what is left of an answer still makes the claim that was asked for.

    A question for a figure needs a sentence with a figure of a passage that names what is asked for, or that says
    nothing else of it. Every other question needs an answer that mentions it.
    """
    if not analysis.wants_number:
        return _mentions(answer.text, analysis)
    return any(
        _gives_a_figure(each)
        and (_mentions(each.sentence.text, analysis) or not _telling(each.sentence.text, analysis))
        for each in check_sentences(answer, context, analysis=analysis)
    )


def _gives_a_figure(checked: CheckedSentence) -> bool:
    return any(each.supported and each.ref_id and each.type is FindingType.NUMBER for each in checked.findings)


def _mentions(text: str, analysis: QueryAnalysis) -> bool:
    """Return whether a text names a figure asked for, or else one of the question's concepts."""
    said = frozenset(terms(text, analysis.language))
    subject = [concept for concept in analysis.concepts if not concept.is_name] or list(analysis.concepts)
    asked = {label for figure in analysis.figures for label in figure.concepts}
    wanted = [concept for concept in subject if concept.label in asked] or subject
    return not wanted or any(said.issuperset(each) for concept in wanted for each in concept.alternatives)


def _telling(text: str, analysis: QueryAnalysis) -> tuple[str, ...]:
    return telling_terms(REF_MARK.sub(" ", text), analysis.language)
