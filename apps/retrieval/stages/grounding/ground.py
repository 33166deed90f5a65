"""Check an answer against the passages that it cites: every ref_id, quote, number, date, name and statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
from apps.retrieval.stages.grounding.evidence import Evidence, Said, Sources
from apps.retrieval.stages.grounding.quotes import blank_quotes, read_quotes, source_of
from apps.retrieval.stages.grounding.sentence import check_sentence
from apps.retrieval.stages.grounding.sentences import REF_MARK, Sentence, split_parts, split_sentences
from apps.retrieval.stages.grounding.structured import check_structured
from apps.retrieval.stages.grounding.yes_or_no import check_yes_or_no


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSentence:
    """A sentence of an answer with the findings on its claims."""

    sentence: Sentence
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        return all(each.supported for each in self.findings)


def ground(answer: GeneratedAnswer, context: ContextBlock, *, analysis: QueryAnalysis) -> GroundingReport:
    """Check each claim of an answer.

    A sentence that cites passages is checked against those, any other sentence against all passages that the answer
    cites. Each figure is bound to a cell or a sentence of the same value, unit, scale, currency, sign, year, company
    and row (claims.py); a calculation is repeated (calculated.py); a direction or comparison is computed from what is
    bound (directions.py). The words around figures must come from where they stand (unexplained.py); a sentence
    without figures must say what its passage says (statements.py). Quotes must be verbatim except for line breaks and
    ellipses (quotes.py). What a model says that it claims is checked at the cell that it names (structured.py). A
    repetition of the question is not a claim.

    Args:    answer: as generated; not a refusal.
             context: what it was written from.
             analysis: the question.
    Returns: grounded (everything supported), partial (some is) or ungrounded (nothing is, or nothing is cited).
    """
    by_ref = {passage.ref_id: passage for passage in context.passages}
    cited = [by_ref[ref_id] for ref_id in answer.ref_ids if ref_id in by_ref]
    own_quotes = [_quote(own, cited) for quote in answer.quotes for own in (quote.text, quote.columns) if own]
    structured, sentences = _check_all(answer, context, analysis)
    claims = [*own_quotes, *structured, *(finding for each in sentences for finding in each.findings)]
    return _report(_references(answer, by_ref), tuple(dict.fromkeys(claims)), cited)


def check_sentences(
    answer: GeneratedAnswer, context: ContextBlock, *, analysis: QueryAnalysis
) -> tuple[CheckedSentence, ...]:
    """Check an answer sentence by sentence, so that a caller can keep the sentences that hold. Args: as `ground`."""
    return _check_all(answer, context, analysis)[1]


def _check_all(
    answer: GeneratedAnswer, context: ContextBlock, analysis: QueryAnalysis
) -> tuple[tuple[Finding, ...], tuple[CheckedSentence, ...]]:
    sources = Sources(context, analysis)
    cited = tuple(sources.by_ref[ref_id] for ref_id in dict.fromkeys(answer.ref_ids) if ref_id in sources.by_ref)
    whole = Evidence(passages=cited, analysis=analysis, sources=sources)
    said = Said()
    structured = tuple(check_structured(answer, whole, said))
    checked: list[CheckedSentence] = []
    sentences = split_sentences(_blank_own_quotes(answer))
    for sentence in sentences:
        own = tuple(passage for passage in cited if passage.ref_id in sentence.refs)
        evidence = Evidence(passages=own, analysis=analysis, sources=sources) if own else whole
        found = list(_check(sentence, answer, evidence, said))
        if not checked and (contradiction := check_yes_or_no(sentences, analysis)) is not None:
            found.append(contradiction)
        checked.append(CheckedSentence(sentence=sentence, findings=tuple(dict.fromkeys(found))))
    return structured, tuple(checked)


def _blank_own_quotes(answer: GeneratedAnswer) -> str:
    """Return the answer with its own quotes blanked. They are checked separately, and may hold any marks and breaks."""
    text = answer.text
    for quote in answer.quotes:
        for own in (quote.text, quote.columns):
            if own:
                text = text.replace(f"“{own}”", " " * (len(own) + 2))
    return text


def _check(sentence: Sentence, answer: GeneratedAnswer, evidence: Evidence, said: Said) -> Iterator[Finding]:
    for ref_id in sentence.refs:
        if ref_id not in answer.ref_ids:
            yield _reference(ref_id, supported=False, note="not among the answer's references")
        elif ref_id not in evidence.by_ref:
            yield _reference(ref_id, supported=False, note="not in the context")
    quotes = read_quotes(sentence.text)
    for quote in quotes:
        yield _quote(quote.text, evidence.passages)
    body = blank_quotes(sentence.text, quotes)
    written = REF_MARK.sub("", answer.text[sentence.start : sentence.end]).strip()
    own = answer.text[sentence.start : sentence.end]
    quoted = " ".join(each.text for each in read_quotes(own))
    for part in split_parts(body):
        yield from check_sentence(part, written, quoted, evidence, said)


def _quote(text: str, cited: Sequence[Passage]) -> Finding:
    ref_id, note = source_of(text, cited)
    return Finding(type=FindingType.QUOTE, value=text, supported=bool(ref_id), ref_id=ref_id, note=note)


def _references(answer: GeneratedAnswer, by_ref: dict[str, Passage]) -> list[Finding]:
    return [
        _reference(
            ref_id, supported=ref_id in by_ref, note="in the context" if ref_id in by_ref else "not in the context"
        )
        for ref_id in answer.ref_ids
    ]


def _reference(ref_id: str, *, supported: bool, note: str) -> Finding:
    return Finding(
        type=FindingType.REF_ID, value=ref_id, supported=supported, ref_id=ref_id if supported else "", note=note
    )


def _report(references: Sequence[Finding], claims: Sequence[Finding], cited: Sequence[Passage]) -> GroundingReport:
    findings = (*references, *claims)
    # A number that only repeats the question does not support the answer.
    substance = [each for each in claims if each.supported and each.ref_id]
    failed = [each for each in findings if not each.supported]
    if not cited:
        status, reason = GroundingStatus.UNGROUNDED, "The answer cites no passage of the context."
    elif not substance:
        status, reason = (
            GroundingStatus.UNGROUNDED,
            f"The cited passages support no claim of the answer{_count_failures(failed)}.",
        )
    elif failed:
        status, reason = (
            GroundingStatus.PARTIAL,
            f"The cited passages do not support every claim{_count_failures(failed)}.",
        )
    else:
        status, reason = GroundingStatus.GROUNDED, f"The cited passages support all {len(findings)} claims."
    return GroundingReport(status=status, findings=findings, reason=reason)


def _count_failures(failed: Iterable[Finding]) -> str:
    """Return which kinds of claim failed and how many of each. The text of the claims stays in the findings."""
    counts: dict[str, int] = {}
    for finding in failed:
        counts[finding.type.value] = counts.get(finding.type.value, 0) + 1
    return ": " + ", ".join(f"{count} {name}" for name, count in counts.items()) if counts else ""
