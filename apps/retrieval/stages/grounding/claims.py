"""Check the numbers, dates, periods and names of one sentence against the passages that it cites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.contracts import Finding, FindingType, Passage, QueryAnalysis
from apps.retrieval.stages.figures.bindings import bound_years, is_year, years_of
from apps.retrieval.stages.figures.calculations import CONSTANTS, Calculation, read_calculations
from apps.retrieval.stages.figures.in_passages import PER_SHARE, Figure, read_figures
from apps.retrieval.stages.figures.number_matching import AS_WRITTEN, compare_numbers
from apps.retrieval.stages.figures.numbers import Number, find_stated_scale, read_numbers
from apps.retrieval.stages.question.companies import find_named_companies
from apps.retrieval.stages.question.dates import read_dates
from apps.retrieval.stages.question.mentions import Mention, blank_mentions
from apps.retrieval.stages.question.names import proper_names
from apps.retrieval.stages.question.period_mentions import read_period_mentions

# Words with which a negative figure of a source may be written as a positive one in prose, and the other way round.
_OUTFLOW: Final = re.compile(
    r"\b(?:purchase|payment|paid|repay|redemption|dividend|repurchase|acquisition|expenditure|spen[dt]|used|outflow"
    r"|expense|cost|loss|decrease|decline|reduction|deficit|charge|addition|auszahlung|verlust|aufwand|abgang)",
    re.IGNORECASE,
)
_NEGATIVE_WORDS: Final = re.compile(
    r"\b(?:loss|lost|negative|deficit|decreas|declin|fell|fall|down|lower|outflow|used|paid|pays|spen[dt]|repurchas"
    r"|repaid|reduc|drop|minus|verlust|negativ|sank|fiel|gesunken|abgenommen)",
    re.IGNORECASE,
)
_IN_BRACKETS: Final = re.compile(r"\([^)]*\)")
_RELATIVE: Final = re.compile(
    r"\b(?:year\s+before|prior|previous|earlier|compared|preceding|last\s+year|after|against|vorjahr|zuvor|nach)\b",
    re.IGNORECASE,
)
_NOWHERE: Final = "in no cited passage"
_FROM_QUESTION: Final = "from the question"


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The evidence against which a sentence is checked: the cited passages, read once, and the question."""

    passages: tuple[Passage, ...]
    analysis: QueryAnalysis

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        asked = find_stated_scale(self.analysis.text)
        return tuple(figure for each in self.passages for figure in read_figures(each, asked_exponent=asked))

    @cached_property
    def asked(self) -> tuple[Number, ...]:
        return read_numbers(self.analysis.text, self.analysis.language)

    @cached_property
    def by_ref(self) -> dict[str, Passage]:
        return {passage.ref_id: passage for passage in self.passages}

    @cached_property
    def question_terms(self) -> frozenset[str]:
        return frozenset(
            term for concept in self.analysis.concepts for alternative in concept.alternatives for term in alternative
        )


def surroundings(passage: Passage) -> str:
    """Return what a passage shows, with the headings and facts above it, to check names, years and periods."""
    chunk = passage.chunk
    facts = chunk.document
    columns = "\n".join(chunk.text.split("\n")[:2])
    return "\n".join((passage.text, columns, chunk.context_header, chunk.section, facts.title, facts.company))


def check_claims(sentence: str, evidence: Evidence) -> Iterator[Finding]:
    """Check the claims of a sentence, without its quotations.

    Args:    sentence: quotations and reference marks blanked.
             evidence: the passages that the sentence cites.
    """
    language = evidence.analysis.language
    dates = read_dates(sentence)
    for date in dates:
        yield _date(date.text, evidence)
    periods = read_period_mentions(sentence)
    for named in periods.named:
        if named.period.fiscal_quarter:
            yield _quarter(named.wording, evidence)
    rest = blank_mentions(sentence, (Mention(start=each.start, end=each.end, text=each.text) for each in dates))
    numbers = read_numbers(rest, language)
    calculations = read_calculations(rest, language)
    operands = {operand for each in calculations for operand in each.operands}
    checked: dict[Number, Finding] = {
        number: _number(number, numbers, rest, evidence, in_calculation=number in operands) for number in numbers
    }
    for calculation in calculations:
        years = years_of(rest) or frozenset(evidence.analysis.years)
        checked.update(_check_calculation(calculation, checked, years, evidence))
    # A result that is repeated is supported by its calculation.
    results = [each.result for each in calculations if checked[each.result].supported]
    for number, finding in checked.items():
        again = any(each.value == number.value and each.unit is number.unit for each in results)
        if not finding.supported and again:
            finding = _make_finding(number.text, True, note="calculated in the answer")
        yield finding
    for name in proper_names(rest, rest, language):
        yield from _name(name, evidence)


def _date(written: str, evidence: Evidence) -> Finding:
    (claimed, *_) = read_dates(written)
    for passage in evidence.passages:
        if any(claimed.is_same(each) for each in read_dates(surroundings(passage))):
            return _make_finding(written, True, ref_id=passage.ref_id, note=AS_WRITTEN)
    if any(claimed.is_same(each) for each in read_dates(evidence.analysis.text)):
        return _make_finding(written, True, note=_FROM_QUESTION)
    return _make_finding(written, False, note=_NOWHERE)


def _quarter(wording: str, evidence: Evidence) -> Finding:
    (claimed, *_) = (each.period for each in read_period_mentions(wording).named)
    for passage in evidence.passages:
        facts = passage.chunk.document
        told = (facts.fiscal_year, facts.fiscal_quarter) == (claimed.fiscal_year, claimed.fiscal_quarter)
        if told or claimed in {each.period for each in read_period_mentions(surroundings(passage)).named}:
            return _make_finding(wording, True, ref_id=passage.ref_id, note=AS_WRITTEN)
    if claimed in {each.period for each in read_period_mentions(evidence.analysis.text).named}:
        return _make_finding(wording, True, note=_FROM_QUESTION)
    return _make_finding(wording, False, note=_NOWHERE)


def _name(name: str, evidence: Evidence) -> Iterator[Finding]:
    language = evidence.analysis.language
    wanted = frozenset(terms(name, language))
    if not wanted or wanted <= frozenset(terms(evidence.analysis.text, language)):
        return
    for passage in evidence.passages:
        if wanted <= frozenset(terms(surroundings(passage), language)):
            return
    yield Finding(type=FindingType.NAME, value=name, supported=False, ref_id="", note=_NOWHERE)


def _number(
    number: Number, numbers: Sequence[Number], sentence: str, evidence: Evidence, *, in_calculation: bool
) -> Finding:
    if is_year(number):
        return _year(number, evidence)
    years = bound_years(sentence, numbers, number)
    if not years and not _RELATIVE.search(sentence):
        years = frozenset(evidence.analysis.years)
    if in_calculation:
        # A change also needs a figure of the year before. The calculation as a whole is checked for the year.
        years = frozenset()
    clause = _clause(sentence, numbers, number)
    failures: list[str] = []
    for figure in evidence.figures:
        compared = compare_numbers(number, figure.number, figure.stated)
        if compared is None:
            continue
        note = compared.note if not compared.same else _objection(number, figure, sentence, clause, years, evidence)
        if compared.same and not note:
            return _make_finding(number.text, True, ref_id=figure.ref_id, note=compared.note)
        failures.append(note)
    if failures:
        return _make_finding(number.text, False, note=failures[0])
    asked = any((found := compare_numbers(number, each)) and found.same for each in evidence.asked)
    return _make_finding(number.text, asked, note=_FROM_QUESTION if asked else _NOWHERE)


def _year(number: Number, evidence: Evidence) -> Finding:
    """Check a year. A year alone is no substantive claim, so its finding names no passage that supports the answer."""
    year = int(number.value)
    for passage in evidence.passages:
        if year == passage.chunk.document.fiscal_year or year in years_of(surroundings(passage)):
            return _make_finding(number.text, True, note=AS_WRITTEN)
    asked = year in evidence.analysis.years or year in years_of(evidence.analysis.text)
    return _make_finding(number.text, asked, note=_FROM_QUESTION if asked else _NOWHERE)


def _objection(
    number: Number, figure: Figure, sentence: str, clause: str, years: frozenset[int], evidence: Evidence
) -> str:
    """Return why a figure with the same digits is not the one that is claimed; empty if there is no objection."""
    passage = evidence.by_ref[figure.ref_id]
    if number.negative != figure.number.negative and not _sign_may_turn(number, figure, sentence):
        return "with the opposite sign in the source"
    if PER_SHARE.search(_text_after(sentence, number)) and not figure.per_share:
        return "not a figure per share"
    if figure.per_share and number.exponent and not figure.number.exponent:
        return "a figure per share, in another scale"
    if years and figure.years and not years & figure.years:
        return "of another year"
    if years and not figure.years and not years & _years_around(passage):
        return "of another year"
    if _is_of_another_company(passage, sentence, evidence):
        return "of another company"
    if figure.label and _is_of_another_row(figure, sentence, clause, evidence):
        return "in another row"
    return ""


def _sign_may_turn(number: Number, figure: Figure, sentence: str) -> bool:
    label = _IN_BRACKETS.sub(" ", figure.label_text or figure.piece)
    if _OUTFLOW.search(label):
        return True
    return not number.negative and _NEGATIVE_WORDS.search(sentence) is not None


def _text_after(sentence: str, number: Number) -> str:
    return sentence[number.end : number.end + 20]


def _years_around(passage: Passage) -> frozenset[int]:
    own = passage.chunk.document.fiscal_year
    return years_of(surroundings(passage)) | ({own} if own is not None else frozenset())


def _is_of_another_company(passage: Passage, sentence: str, evidence: Evidence) -> bool:
    """Return whether the passage is of another company than the ones named.

    The names are those in the sentence, or else in the question. The passage's document is of none of them, and its
    text mentions none.
    """
    company = passage.chunk.document.company
    held = frozenset(each.chunk.document.company for each in evidence.passages if each.chunk.document.company)
    asked = frozenset(
        value for each in evidence.analysis.filters if each.field.value == "company" for value in each.values
    )
    named = find_named_companies(sentence, held | asked) or asked
    return bool(company and named) and company not in named and not find_named_companies(passage.text, named)


def _is_of_another_row(figure: Figure, sentence: str, clause: str, evidence: Evidence) -> bool:
    language = evidence.analysis.language
    said = frozenset(terms(sentence, language))
    if not figure.label & (said | evidence.question_terms):
        return True
    clause_terms = frozenset(terms(clause, language))
    if figure.label & clause_terms:
        return False
    others = (each.label for each in evidence.figures if each.ref_id == figure.ref_id and each.label != figure.label)
    return any(label and label <= clause_terms for label in others)


def _clause(sentence: str, numbers: Sequence[Number], number: Number) -> str:
    before = max((each.end for each in numbers if each.end <= number.start and not is_year(each)), default=0)
    return sentence[before : number.start]


def _check_calculation(
    calculation: Calculation, checked: dict[Number, Finding], years: frozenset[int], evidence: Evidence
) -> Iterator[tuple[Number, Finding]]:
    """Yield findings for a calculation's constants, and for its result.

    The result is supported if its operands are supported and the calculation is correct.
    """
    constants = [each for each in calculation.operands if not checked[each].supported and each.value in CONSTANTS]
    for each in constants:
        yield each, _make_finding(each.text, True, note="a constant of the calculation")
    result = calculation.result
    if checked[result].supported:
        return
    grounded = [each for each in calculation.operands if checked[each].supported]
    if len(grounded) + len(constants) < len(calculation.operands) or not grounded:
        yield result, _make_finding(result.text, False, note="calculated from figures that are not in the passages")
    elif years and (of := _years_of_operands(calculation, evidence)) and not of & years:
        yield result, _make_finding(result.text, False, note="calculated from figures of another year")
    elif not calculation.correct:
        yield result, _make_finding(result.text, False, note="the calculation does not give this result")
    else:
        yield (
            result,
            _make_finding(result.text, True, ref_id=checked[grounded[0]].ref_id, note="calculated in the answer"),
        )


def _years_of_operands(calculation: Calculation, evidence: Evidence) -> frozenset[int]:
    """Return the years of all columns in which the operands stand; empty if the passages do not say."""
    return frozenset(
        year
        for figure in evidence.figures
        for operand in calculation.operands
        if (compared := compare_numbers(operand, figure.number, figure.stated)) and compared.same
        for year in figure.years
    )


def _make_finding(value: str, supported: bool, *, ref_id: str = "", note: str) -> Finding:
    return Finding(type=FindingType.NUMBER, value=value, supported=supported, ref_id=ref_id, note=note)
