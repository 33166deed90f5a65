"""Check what a model says that its answer claims: claims at their cells, calculations by repeating them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.bindings import years_of
from apps.filings.text.numbers import (
    Number,
    NumberUnit,
    currencies_in,
    find_stated_scale,
    read_numbers,
    units_in,
)
from apps.retrieval.contracts import Claim, Finding, FindingType, GeneratedAnswer, Passage
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.number_matching import AS_WRITTEN, compare_numbers
from apps.retrieval.stages.grounding.calculated import IN_THE_ANSWER, claimed_results
from apps.retrieval.stages.grounding.claims import unscaled
from apps.retrieval.stages.grounding.evidence import Evidence, Said, surroundings, years_around
from apps.retrieval.stages.grounding.labels import lines_named
from apps.retrieval.stages.grounding.moving_words import moving_terms
from apps.retrieval.stages.grounding.rows import names_better
from apps.retrieval.stages.grounding.spoken import IN_ANOTHER_ROW, NOWHERE, OF_ANOTHER_COMPANY
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms

_UNREADABLE: Final = "not a calculation of figures and signs"
_NOT_CITED: Final = "not among the answer's references"


def check_structured(answer: GeneratedAnswer, evidence: Evidence, said: Said) -> Iterator[Finding]:
    """Check the claims and calculations of an answer. Results that hold are added to what is said, for the prose."""
    for claim in answer.claims:
        if claim.value.strip():
            yield _check_claim(claim, evidence)
    for claimed, checked in claimed_results(answer.calculations, evidence, said):
        if checked is None:
            yield _finding(FindingType.NUMBER, claimed.result, False, note=_UNREADABLE)
            continue
        failed = [each for each in checked.bound.values() if not each.supported]
        for each in failed:
            yield _finding(each.type, each.number.text, False, note=each.note)
        if not failed and checked.result is not None:
            yield _finding(FindingType.NUMBER, claimed.result, True, ref_id=checked.result.ref_id, note=IN_THE_ANSWER)


def _check_claim(claim: Claim, evidence: Evidence) -> Finding:
    passage = evidence.by_ref.get(claim.ref_id.strip().strip("[]").strip())
    if passage is None:
        return _finding(FindingType.REF_ID, claim.ref_id, False, note=_NOT_CITED)
    if claim.company and not _is_of(claim.company, passage, evidence):
        return _finding(FindingType.COMPANY, claim.company, False, note=OF_ANOTHER_COMPANY)
    number = _number(claim, evidence.analysis.language)
    if number is None:
        return _check_words(claim, passage, evidence)
    best: tuple[FindingType, str] | None = None
    for figure in evidence.sources.figures(passage):
        compared = compare_numbers(number, figure.number, figure.stated)
        if (compared is None or not compared.same) and not claim.unit:
            compared = unscaled(number, figure) or compared
        if compared is None:
            continue
        objection = _object(claim, figure, passage, evidence) if compared.same else (FindingType.NUMBER, compared.note)
        if objection is None:
            return _finding(FindingType.NUMBER, claim.value, True, ref_id=passage.ref_id, note=compared.note)
        best = best or objection
    kind, note = best or (FindingType.NUMBER, NOWHERE)
    return _finding(kind, claim.value, False, note=note)


def _object(claim: Claim, figure: Figure, passage: Passage, evidence: Evidence) -> tuple[FindingType, str] | None:
    language = passage.chunk.language
    years = years_of(claim.period) | years_of(claim.column)
    if years and not years & (figure.years or years_around(passage)):
        return FindingType.NUMBER, "of another year"
    if not figure.is_cell:
        return None
    label = evidence.sources.label(figure)
    row, measure = (frozenset(word_terms(blank_places(each), language)) for each in (claim.row, claim.measure))
    telling = plain_terms(language) | moving_terms(language)
    if row - telling and (not label.named_by(row).named or names_better(label.named_by(row), row, figure, evidence)):
        return FindingType.MEASURE, IN_ANOTHER_ROW
    if not measure - telling:
        return None
    own = label.named_by(measure)
    # A name that our lists do not know is no contradiction where the row is named too.
    contradicts = names_better(own, measure, figure, evidence) or lines_named(measure, language) - label.items
    if contradicts if row - telling else not own.named:
        return (
            None
            if own.full and not names_better(own, measure, figure, evidence)
            else (FindingType.MEASURE, IN_ANOTHER_ROW)
        )
    return None


def _check_words(claim: Claim, passage: Passage, evidence: Evidence) -> Finding:
    """Check a claim whose value is no number: a name, a date, a word."""
    language = evidence.analysis.language
    wanted = frozenset(terms(claim.value, language)) - plain_terms(language)
    held = frozenset(terms(surroundings(passage), language))
    supported = wanted <= held
    return _finding(
        FindingType.NAME,
        claim.value,
        supported,
        ref_id=passage.ref_id if supported and wanted else "",
        note=AS_WRITTEN if supported else NOWHERE,
    )


def _is_of(company: str, passage: Passage, evidence: Evidence) -> bool:
    facts = passage.chunk.document
    if not facts.company:
        return True
    named = evidence.companies_named(company)
    if named:
        return facts.company in named
    words = frozenset(terms(company, passage.chunk.language)) - plain_terms(passage.chunk.language)
    return words <= evidence.sources.around(passage) | frozenset(terms(passage.text, passage.chunk.language))


def _number(claim: Claim, language: str) -> Number | None:
    """Return the value with what the claim says of its unit; None if it is not one number."""
    numbers = read_numbers(claim.value, language)
    if len(numbers) != 1:
        return None
    (number,) = numbers
    read = read_numbers(f"1 {claim.unit}", language)
    scale = next((each.exponent for each in read), 0) or find_stated_scale(claim.unit) or 0
    currencies = currencies_in(claim.unit)
    units = units_in(claim.unit)
    return replace(
        number,
        exponent=number.exponent or scale,
        currency=number.currency or (next(iter(currencies)) if len(currencies) == 1 else ""),
        unit=number.unit if number.unit is not NumberUnit.PLAIN or len(units) != 1 else next(iter(units)),
    )


def _finding(kind: FindingType, value: str, supported: bool, *, ref_id: str = "", note: str) -> Finding:
    return Finding(type=kind, value=value, supported=supported, ref_id=ref_id, note=note)
