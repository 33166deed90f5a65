"""Check one sentence of an answer: its dates and periods, figures, calculations, directions, and words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.bindings import is_year, years_of
from apps.filings.text.dates import MONTH, Date, month_number, read_dates
from apps.filings.text.mentions import Mention, blank_mentions
from apps.filings.text.numbers import Number, NumberUnit, read_numbers
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.calculations import read_calculations
from apps.retrieval.stages.figures.number_matching import AS_WRITTEN
from apps.retrieval.stages.figures.periods import is_compared, is_length_of_time
from apps.retrieval.stages.grounding.absent import check_absence
from apps.retrieval.stages.grounding.by_formula import by_formula
from apps.retrieval.stages.grounding.calculated import IN_THE_ANSWER, check_calculation, find_result, fits_result
from apps.retrieval.stages.grounding.changes import speaks_of_change, work_out_change
from apps.retrieval.stages.grounding.claims import bind
from apps.retrieval.stages.grounding.clauses import read_clauses
from apps.retrieval.stages.grounding.directions import check_directions, rows_compared
from apps.retrieval.stages.grounding.evidence import Evidence, Result, Said, spell_out, surroundings
from apps.retrieval.stages.grounding.paraphrase import telling_words
from apps.retrieval.stages.grounding.spoken import FROM_QUESTION, IN_ANOTHER_ROW, NOWHERE, Bound, Spoken
from apps.retrieval.stages.grounding.statements import check_statement
from apps.retrieval.stages.grounding.unexplained import check_words
from apps.retrieval.stages.grounding.yes_or_no import YES_OR_NO
from apps.retrieval.stages.question.names import proper_names
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_NUMBERED: Final = re.compile(
    r"\b(tier|phase|note|item|article|section|form|level|stage|class|scope|pillar|part|chapter|version|clause|rule|paragraph"
    r"|annex|schedule|artikel|anlage|stufe|ziffer|ziff\.|abschnitt|absatz|nr\.|no\.)\s+$",
    re.IGNORECASE,
)
# What a sentence costs grows with the square of its figures and more. Nobody is told so many in an answer.
_MOST_FIGURES: Final = 40
_MOST_FIGURES_SAID: Final = 200
_TOO_MANY: Final = "more figures than are checked"
_MONTH_OF_YEAR: Final = re.compile(
    rf"\b{MONTH}\s+(?:(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?,?\s+)?(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_COUNTED: Final = re.compile(r"\s+[^\W\d]+[^:.;]{0,60}:\s")
_PARTINGS: Final = (
    re.compile(r";\s+"),
    re.compile(r",\s+(?:and|und)\s+"),
    re.compile(r",\s+(?:and\s+)?|\s+(?:and|und)\s+(?=an?\s|the\s)"),
)


def check_sentence(sentence: str, written: str, quoted: str, evidence: Evidence, said: Said) -> Iterator[Finding]:
    """Check the claims of a sentence, without its quotations.

    Args:    sentence: quotations and reference marks blanked.
             written: as it stands in the answer, for findings on the whole.
             quoted: its quotations, which name what they are of.
             evidence: the passages that the sentence cites.
             said: what the sentences before said; what this one says is added.
    """
    language = evidence.analysis.language
    sentence = YES_OR_NO.sub(lambda match: " " * len(match.group()), sentence)
    if (absent := check_absence(sentence, written, evidence)) is not None:
        yield absent
        return
    sentence = spell_out(sentence, evidence)
    dates = read_dates(sentence)
    for date in dates:
        yield _date(date, sentence, evidence)
    yield from _months(sentence, evidence)
    for named in read_period_mentions(sentence).named:
        if named.period.fiscal_quarter:
            yield _quarter(named.wording, evidence)
    rest = blank_mentions(sentence, (_but_its_year(each) for each in dates))
    in_names = (each for each in read_numbers(rest, language) if _is_of_a_name(rest, each, evidence))
    rest = blank_mentions(rest, (Mention(start=each.start, end=each.end, text=each.text) for each in in_names))
    counts = (each for each in read_numbers(rest, language) if _counts_a_list(rest, each))
    rest = blank_mentions(rest, (_with_what_it_counts(rest, each) for each in counts))
    numbers = tuple(each for each in read_numbers(rest, language) if not is_length_of_time(rest, each))
    said.figures += len(numbers)
    if len(numbers) > _MOST_FIGURES or said.figures > _MOST_FIGURES_SAID:
        yield Finding(type=FindingType.STATEMENT, value=written, supported=False, ref_id="", note=_TOO_MANY)
        return
    spoken = Spoken(
        text=rest, numbers=numbers, clauses=read_clauses(rest, numbers), evidence=evidence, said=said, quoted=quoted
    )
    bound, results = _bind_all(spoken)
    for each in bound.values():
        yield _finding(each)
    figures = list(bound.values())
    held = [each for each in figures if each.figure is not None]
    compared = rows_compared(spoken, figures)
    changed = [figure for each in figures if each.pair is not None for figure in each.pair]
    if held or results or compared or changed:
        yield from check_directions(spoken, figures, results)
        rows = tuple(changed) if held else (*compared, *changed)
        yield from check_words(spoken, figures, results, rows)
    elif all(each.supported for number, each in bound.items() if not is_year(number)) and (
        statement := check_statement(rest, written, evidence, first=said.first)
    ):
        yield statement
    bare = rest.strip()
    for name in proper_names(bare, bare, language):
        yield from _name(name, evidence)
    said.first = False
    said.rows = [each.figure for each in held if each.figure is not None] or said.rows
    said.years = years_of(rest) or said.years
    said.companies = evidence.companies_named(rest) or said.companies


def _bind_all(spoken: Spoken) -> tuple[dict[Number, Bound], list[Result]]:
    """Bind all figures: those of calculations first, then those that stand in a passage, then changes."""
    language, said = spoken.evidence.analysis.language, spoken.said
    bound: dict[Number, Bound] = {}
    results: list[Result] = []
    analysis = spoken.evidence.analysis
    shown = read_calculations(spoken.text, language)
    several = len(shown) > 1 or is_compared(analysis.text)
    years = years_of(spoken.text) or (frozenset() if several else frozenset(analysis.years))
    for calculation in shown:
        checked = check_calculation(calculation, spoken, years)
        bound.update(checked.bound)
        if checked.result is not None:
            results.append(checked.result)
            said.results.append(checked.result)
    waiting: list[Number] = []
    for number in spoken.numbers:
        if number in bound:
            continue
        if (
            (result := find_result(number, said.results))
            and not is_year(number)
            and fits_result(number, result, spoken)
        ):
            bound[number] = Bound(number=number, supported=True, note=IN_THE_ANSWER, ref_id=result.ref_id)
            results.append(result)
            continue
        bound[number] = bind(number, spoken, [each for each in bound.values() if each.number.start < number.start])
        if not bound[number].supported and not is_year(number):
            waiting.append(number)
    for number in waiting:
        if (worked := by_formula(number, spoken, list(bound.values()))) is not None:
            bound[number], result = worked
            results.append(result)
            said.results.append(result)
    for number in waiting:
        if not bound[number].supported and speaks_of_change(spoken):
            bound[number] = work_out_change(number, spoken, list(bound.values())) or bound[number]
    return dict(sorted(bound.items(), key=lambda pair: pair[0].start)), results


def _is_of_a_name(text: str, number: Number, evidence: Evidence) -> bool:
    """Return whether a number belongs to a name that a passage has: "tier 1", "Phase 2", "Note 7"."""
    word = _NUMBERED.search(text[: number.start])
    if word is None or number.unit is not NumberUnit.PLAIN or number.currency or number.exponent:
        return False
    written = number.text.strip("().,")
    name = re.compile(
        rf"(?:\b{re.escape(word[1])}|\u00a7)\s+{re.escape(written)}(?!\w)|^\s*{re.escape(written)}(?![\d%])",
        re.IGNORECASE | re.MULTILINE,
    )
    return any(name.search(surroundings(passage)) for passage in evidence.passages)


def _counts_a_list(text: str, number: Number) -> bool:
    """Return whether a number says how many things the list behind its colon has: "Three targets: A, B and C"."""
    counted = _COUNTED.match(text, number.end)
    if counted is None or not number.text.isalpha():
        return False
    listed = text[counted.end() :]
    lengths = {len([each for each in parting.split(listed) if each.strip()]) for parting in _PARTINGS}
    return number.value in lengths


def _with_what_it_counts(text: str, number: Number) -> Mention:
    end = next((each.end() for each in re.finditer(r"[^\W\d]+", text[number.end :])), 0) + number.end
    return Mention(start=number.start, end=end, text=text[number.start : end])


def _but_its_year(date: Date) -> Mention:
    """Return the part of a date that is no year: "December 31, 2023" says of which year a figure is."""
    if date.year is None or not date.text.endswith(str(date.year)):
        return Mention(start=date.start, end=date.end, text=date.text)
    return Mention(start=date.start, end=date.end - len(str(date.year)), text=date.text)


def _finding(bound: Bound) -> Finding:
    return Finding(
        type=FindingType.NUMBER if bound.supported else bound.type,
        value=bound.number.text,
        supported=bound.supported,
        ref_id=bound.ref_id,
        note=bound.note,
    )


def _date(claimed: Date, sentence: str, evidence: Evidence) -> Finding:
    written, elsewhere = claimed.text, False
    for passage in evidence.passages:
        around = surroundings(passage)
        if not any(claimed.is_same(each) for each in read_dates(around)) and not _is_of_heading(claimed, around):
            continue
        if not any(_is_beside_another(claimed, sentence, piece.text, evidence) for piece in quotable_pieces(passage)):
            return _number_finding(written, True, ref_id=passage.ref_id, note=AS_WRITTEN)
        elsewhere = True
    if not elsewhere and any(claimed.is_same(each) for each in read_dates(evidence.analysis.text)):
        return _number_finding(written, True, note=FROM_QUESTION)
    return _number_finding(written, False, note=IN_ANOTHER_ROW if elsewhere else NOWHERE)


def _is_of_heading(claimed: Date, around: str) -> bool:
    """Return whether a date stands in two lines of a heading: "Year ended December 31," above "2024 | 2023"."""
    if claimed.year is None or claimed.year not in years_of(around):
        return False
    return any(
        (each.month, each.day) == (claimed.month, claimed.day) and each.year is None for each in read_dates(around)
    )


def _is_beside_another(claimed: Date, sentence: str, piece: str, evidence: Evidence) -> bool:
    """Return whether the words before a date stand rather before another date of its sentence in a source."""
    told = read_dates(piece)
    own = [each for each in told if claimed.is_same(each)]
    if not own or len(told) == len(own):
        return False
    language = evidence.analysis.language
    said = frozenset(telling_words(_before(sentence, claimed), language))
    shared = {each: len(said & frozenset(telling_words(_before(piece, each), language))) for each in told}
    return max(shared.values()) > max(shared[each] for each in own)


def _before(text: str, date: Date) -> str:
    """Return the words before a date, from the one before it."""
    return text[max((each.end for each in read_dates(text) if each.end <= date.start), default=0) : date.start]


def _months(sentence: str, evidence: Evidence) -> Iterator[Finding]:
    """Yield the months of a year that the passages give for other years alone."""
    around = [surroundings(each) for each in evidence.passages]
    told = {(month_number(each["month"]), each["year"]) for text in around for each in _MONTH_OF_YEAR.finditer(text)}
    for each in _MONTH_OF_YEAR.finditer(sentence):
        month = month_number(each["month"])
        years = {year for number, year in told if number == month}
        if each["year"] not in years and (years or not any(re.search(each["month"], text) for text in around)):
            yield _number_finding(each.group(), False, note=NOWHERE)


def _quarter(wording: str, evidence: Evidence) -> Finding:
    (claimed, *_) = (each.period for each in read_period_mentions(wording).named)
    for passage in evidence.passages:
        facts = passage.chunk.document
        told = (facts.fiscal_year, facts.fiscal_quarter) == (claimed.fiscal_year, claimed.fiscal_quarter)
        if told or claimed in {each.period for each in read_period_mentions(surroundings(passage)).named}:
            return _number_finding(wording, True, ref_id=passage.ref_id, note=AS_WRITTEN)
    if claimed in {each.period for each in read_period_mentions(evidence.analysis.text).named}:
        return _number_finding(wording, True, note=FROM_QUESTION)
    return _number_finding(wording, False, note=NOWHERE)


def _name(name: str, evidence: Evidence) -> Iterator[Finding]:
    language = evidence.analysis.language
    wanted = frozenset(terms(name, language))
    if not wanted or wanted <= frozenset(terms(evidence.analysis.text, language)):
        return
    for passage in evidence.passages:
        if wanted <= frozenset(terms(surroundings(passage), language)) | evidence.sources.around(passage):
            return
    yield Finding(type=FindingType.NAME, value=name, supported=False, ref_id="", note=NOWHERE)


def _number_finding(value: str, supported: bool, *, ref_id: str = "", note: str) -> Finding:
    return Finding(type=FindingType.NUMBER, value=value, supported=supported, ref_id=ref_id, note=note)
