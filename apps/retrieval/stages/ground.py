"""Check an answer against the passages that it cites: every ref_id, quote, number and statement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import (
    ContextBlock,
    Finding,
    FindingType,
    GeneratedAnswer,
    GroundingReport,
    GroundingStatus,
    Passage,
    QueryAnalysis,
)
from apps.retrieval.stages.numbers import match_number, read_numbers

_REF_MARK: Final = re.compile(r"\[[^\[\]\n]*\|p\d+\|c\d+\]")
_QUOTED: Final = re.compile(r"[“\"]([^“”\"\n]{12,})[”\"]")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_PERCENT: Final = re.compile(r"%|\bper\s?cent", re.IGNORECASE)
_FEWEST_TERMS: Final = 3


def ground(
    answer: GeneratedAnswer, context: ContextBlock, *, analysis: QueryAnalysis, statement_minimum_overlap: float
) -> GroundingReport:
    """Check each claim of an answer.

    Numbers are compared by value (see numbers.py); one that stands in the question is not a claim. Quotes must be
    verbatim but for line breaks. A sentence without numbers or quotes counts as supported if enough of its terms
    stand in the cited passages.

    Args:    answer: as generated; not a refusal.
             context: what it was written from.
             analysis: the question.
             statement_minimum_overlap: share of a sentence's terms, 0 to 1.
    Returns: grounded (everything supported), partial (some is) or ungrounded (nothing is, or nothing is cited).
    """
    by_ref = {passage.ref_id: passage for passage in context.passages}
    cited = [by_ref[ref_id] for ref_id in answer.ref_ids if ref_id in by_ref]
    references = [
        Finding(
            type=FindingType.REF_ID,
            value=ref_id,
            supported=ref_id in by_ref,
            ref_id=ref_id if ref_id in by_ref else "",
            note="in the context" if ref_id in by_ref else "not in the context",
        )
        for ref_id in answer.ref_ids
    ]
    body = _REF_MARK.sub(" ", answer.text)
    claims = [
        *_check_quotes(body, answer, cited),
        *_check_numbers(_QUOTED.sub(" ", body), cited, analysis),
        *_check_statements(body, cited, analysis, statement_minimum_overlap),
    ]
    return _report(references, claims, cited)


def _check_quotes(body: str, answer: GeneratedAnswer, cited: Sequence[Passage]) -> Iterator[Finding]:
    quotes = dict.fromkeys([*(quote.text for quote in answer.quotes), *_QUOTED.findall(body)])
    for quote in quotes:
        wanted = _one_line(quote)
        source = next((each for each in cited if any(wanted in _one_line(e.text) for e in each.excerpts)), None)
        yield Finding(
            type=FindingType.QUOTE,
            value=quote,
            supported=source is not None,
            ref_id=source.ref_id if source else "",
            note="verbatim" if source else "not verbatim in a cited passage",
        )


def _check_numbers(body: str, cited: Sequence[Passage], analysis: QueryAnalysis) -> Iterator[Finding]:
    asked = read_numbers(analysis.text)
    sources = [(each, read_numbers(each.text), _PERCENT.search(each.text) is not None) for each in cited]
    seen: set[str] = set()
    for number in read_numbers(body):
        if number.text in seen:
            continue
        seen.add(number.text)
        matches = [
            (note, passage.ref_id)
            for passage, numbers, percent in sources
            if (note := match_number(number, numbers, percent_nearby=percent)) is not None
        ]
        if not matches and (match_number(number, asked) is not None or number.value in analysis.years):
            yield Finding(
                type=FindingType.NUMBER, value=number.text, supported=True, ref_id="", note="from the question"
            )
            continue
        note, ref_id = min(matches, key=lambda pair: len(pair[0]), default=("in no cited passage", ""))
        yield Finding(type=FindingType.NUMBER, value=number.text, supported=bool(matches), ref_id=ref_id, note=note)


def _check_statements(
    body: str, cited: Sequence[Passage], analysis: QueryAnalysis, minimum_overlap: float
) -> Iterator[Finding]:
    held = [(passage, _held_terms(passage, analysis)) for passage in cited]
    for sentence in _SENTENCE.split(_QUOTED.sub(" ", body)):
        words = {term for term in terms(sentence, analysis.language) if not term[0].isdigit()}
        if len(words) < _FEWEST_TERMS:
            continue
        overlap, ref_id = max(
            ((len(words & found) / len(words), passage.ref_id) for passage, found in held),
            default=(0.0, ""),
            key=lambda pair: pair[0],
        )
        supported = overlap >= minimum_overlap
        yield Finding(
            type=FindingType.STATEMENT,
            value=sentence.strip(),
            supported=supported,
            ref_id=ref_id if supported else "",
            note=f"{overlap:.0%} of its terms stand in the passage",
        )


def _held_terms(passage: Passage, analysis: QueryAnalysis) -> frozenset[str]:
    """The terms of a passage, and every other name of what it speaks of: a row of purchases of property, plant and
    equipment supports a sentence about capital expenditure.
    """
    found = frozenset(terms(f"{passage.text} {passage.chunk.context_header}", analysis.language))
    spoken_of = [
        concept for concept in analysis.concepts if any(found.issuperset(each) for each in concept.alternatives)
    ]
    return found.union(*(alternative for concept in spoken_of for alternative in concept.alternatives))


def _report(references: Sequence[Finding], claims: Sequence[Finding], cited: Sequence[Passage]) -> GroundingReport:
    findings = (*references, *claims)
    # A number that only repeats the question supports nothing.
    substance = [each for each in claims if each.supported and each.ref_id]
    failed = [each for each in findings if not each.supported]
    if not cited:
        status, reason = GroundingStatus.UNGROUNDED, "The answer cites no passage of the context."
    elif not substance:
        status, reason = GroundingStatus.UNGROUNDED, f"No claim of the answer stands in what it cites{_named(failed)}."
    elif failed:
        status, reason = GroundingStatus.PARTIAL, f"Not everything stands in what the answer cites{_named(failed)}."
    else:
        status, reason = GroundingStatus.GROUNDED, f"All {len(findings)} claims stand in the cited passages."
    return GroundingReport(status=status, findings=findings, reason=reason)


def _named(failed: Iterable[Finding]) -> str:
    """Which kinds of claim failed and how many; their text stays in the findings."""
    counts: dict[str, int] = {}
    for finding in failed:
        counts[finding.type.value] = counts.get(finding.type.value, 0) + 1
    return ": " + ", ".join(f"{count} {name}" for name, count in counts.items()) if counts else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
