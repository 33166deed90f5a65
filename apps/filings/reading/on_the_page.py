"""Compare a fact with the pages of its document: what a reading process can't say that a file has taken over.

That process is not trusted. So the worker reads each figure again from the text that stands in its place, and asks of
everything else whether the pages print it. What inline XBRL states and no page prints can't be compared: of such a fact
the sign, the period, the part of the group, and an element that stands for another.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import date
from decimal import Decimal
from typing import Final

from apps.corpus.extraction.cleaning import clean
from apps.corpus.extraction.contracts import MediaType, Page
from apps.corpus.extraction.statements import Statement, recognise_statements
from apps.corpus.extraction.tables import SEPARATOR
from apps.corpus.extraction.xbrl_instances import name_in_words
from apps.filings.contracts import CheckResult, FactUnit, HowRead, ReadFact
from apps.filings.reading.amounts import read_amount
from apps.filings.reading.headings import is_restated
from apps.filings.reading.naming import AT_BEGINNING, find_concept
from apps.filings.reading.segments import is_of_parent
from apps.filings.reading.units import is_counted, kind_of_figure
from apps.filings.text.numbers import currencies_in, stated_scales
from apps.filings.vocabulary.concepts import concepts, find_by_tag, fold_name
from apps.filings.xbrl.values import NUMBER_WORDS

_GREATEST: Final = Decimal(10) ** 27
_GREATEST_SCALE: Final = 18
_ROUNDED: Final = Decimal("1e-12")
_LONGEST: Final[Mapping[str, int]] = {
    "printed": 64,
    "label": 500,
    "column": 1_000,
    "group": 1_000,
    "dimension": 300,
    "tag": 200,
}
_WORD: Final = re.compile(r"[^\W_]+")
_TAG: Final = re.compile(r"[^\W\d][\w.-]*:[^\W\d][\w.-]*")
_NUMBER: Final = re.compile(r"[0-9][0-9.,]*|[.,][0-9]+")
_PARTS: Final = re.compile(r"[\s'\u2019]")
_CURRENCY: Final = re.compile(r"[A-Z]{3}|")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SPLIT_YEAR: Final = re.compile(r"(?<!\d)(?P<century>19|20)\d\d/(?P<end>\d\d)(?!\d)")
_STATEMENTS: Final = frozenset({"", *(each.value for each in Statement)})
_YEARS: Final = range(1900, 2101)
_MOST_MONTHS: Final = 1_200
_DAYS_A_MONTH: Final = 30.44
_DAYS_OFF: Final = 20
_TABLES: Final = {MediaType.PDF: HowRead.PDF_TABLE, MediaType.HTML: HowRead.HTML_TABLE}


def contradictions(facts: Sequence[ReadFact], pages: Mapping[int, Page], media_type: str) -> list[str]:
    """Return for each fact of a document what is not so, in words that quote nothing of it; "" if nothing is found."""
    compared = _Pages(pages, media_type, {fact.page for fact in facts} & pages.keys())
    offsets = _usual_offsets(facts)
    return [next(compared.contradictions(fact, offsets.get(fact.how_read, 0)), "") for fact in facts]


class _Pages:
    """The pages of a document, and what they state of their figures. numbers: of the pages that facts name."""

    def __init__(self, pages: Mapping[int, Page], media_type: str, numbers: Set[int]) -> None:
        self._pages, self._is_html = pages, media_type == MediaType.HTML
        self._table = _TABLES.get(MediaType(media_type), HowRead.OTHER_TABLE)
        self._words = {number: _fold_words(pages[number].text) for number in numbers}
        self._lines = {number: _fold_lines(pages[number].text) for number in numbers}
        self._scales = {number: stated_scales(page.text) for number, page in pages.items()}
        self._statements = recognise_statements(tuple(pages.values()))
        self._currencies = frozenset().union(*(currencies_in(page.text) for page in pages.values()))
        self._usual_scales = frozenset().union(*(self._scales[number] for number in self._statements))

    def contradictions(self, fact: ReadFact, offset: int) -> Iterator[str]:
        """Yield what of a fact is not so. Args: offset: _offset of most facts that were read alike."""
        page = self._pages.get(fact.page)
        if page is None or not _is_within(fact, page):
            yield "a fact beyond its page"
            return
        if page.text[fact.cell.start : fact.cell.end] != fact.printed:
            yield "a fact that its page does not hold"
        if not _is_bounded(fact):
            yield "a fact of no possible size"
            return
        if fact.check is not CheckResult.UNCHECKED or fact.check_detail:
            yield "a fact that was checked by its reader"
        by_xbrl = fact.how_read is HowRead.XBRL
        of_page = self._table if page.recognition is None else HowRead.OCR
        if fact.how_read is not of_page and not (by_xbrl and self._is_html):
            yield "a fact that was read in no way that its file has"
        if not _has_possible_period(fact):
            yield "a fact of no possible period"
        if not (_states_value(fact) if by_xbrl else _prints_value(fact)):
            yield "a fact with another value than is printed"
        if fact.concept and not (by_xbrl and _is_of_tag(fact)) and not self._is_named(fact):
            yield "a fact of a concept that its row does not name"
        if fact.statement and not by_xbrl and fact.statement not in self._statements.get(fact.page, ()):
            yield "a fact of a statement that its page does not have"
        if not by_xbrl:
            yield from self._of_table(fact, page, offset)
        elif not self._prints(fact.label, fact.page) and fold_name(fact.label) != fold_name(name_in_words(fact.tag)):
            yield "a fact with a label that its page does not have"
        elif not _is_on_calendar(fact, offset, most=3):
            # The cover's date, and a subsequent event, are of no end of a quarter.
            yield "a fact of another period than its column"

    def _of_table(self, fact: ReadFact, page: Page, offset: int) -> Iterator[str]:
        name = _name_before(page.text, fact)
        if fact.tag:
            yield "a fact with an element that no table states"
        if fact.label not in page.text[fact.row.start : fact.row.end]:
            yield "a fact with a label that its row does not have"
        above = f"{fact.column} {fact.group} {fact.dimension}"
        if not self._prints(above, fact.page) or not _fold_words(name) <= _fold_words(fact.column):
            yield "a fact under a heading that it does not have"
        if fact.currency and fact.currency not in self._currencies:
            yield "a fact in a currency that no page names"
        if not _is_of_unit(fact) or not self._is_of_scale(fact):
            yield "a fact that counts what its row does not"
        whole = fact.fiscal_quarter in (0, 4) and fact.months in (0, 12)
        heading = page.text[fact.heading.start : fact.heading.end] if fact.heading is not None else ""
        of_its_year = all(_is_of_year(fact, each) for each in (name, fact.column, heading))
        if not of_its_year or not _is_on_calendar(fact, offset, most=1) or whole is not (fact.fiscal_quarter == 0):
            yield "a fact of another period than its column"
        if (fact.restated and not is_restated(page.text)) or (not fact.restated and is_restated(fact.column)):
            yield "a fact that is restated where its page says otherwise"
        if not fact.consolidated and (fact.statement or not is_of_parent(page.text)):
            yield "a fact of the parent company where no page names it"

    def _is_of_scale(self, fact: ReadFact) -> bool:
        stated = self._scales[fact.page]
        if fact.exponent:
            # A table may go on from the page before.
            before = self._scales.get(fact.page - 1, frozenset())
            return fact.exponent in (stated | before or self._usual_scales)
        return fact.unit is not FactUnit.MONEY or not stated

    def _prints(self, text: str, number: int) -> bool:
        """Return whether each word of a text stands on a page."""
        return _fold_words(text) <= self._words[number]

    def _is_named(self, fact: ReadFact) -> bool:
        """Return whether the row, or in other tables the column or the lines above, has a name of a fact's concept."""
        concept = concepts().get(fact.concept)
        if concept is None:
            return False
        for unit in dict.fromkeys((fact.unit, *FactUnit)):
            found = find_concept(fact.label, fact.group, statement=fact.statement, unit=unit)
            if found is not None and found.name == fact.concept:
                return True
            if fact.statement:
                break
        said = f"{fold_name(fact.column)}\n{fold_name(fact.group)}\n{self._lines[fact.page]}"
        names = (concept.name, *concept.labels, *concept.asked)
        return not fact.statement and any(fold_name(name) in said for name in names)


def _fold_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _fold_lines(text: str) -> str:
    """Return the lines of a page that are no rows of a table, folded."""
    return fold_name("".join(line for line in text.splitlines() if SEPARATOR not in line))


def _is_within(fact: ReadFact, page: Page) -> bool:
    spans = (fact.row, fact.cell, *((fact.heading,) if fact.heading else ()))
    inside = all(0 <= each.start <= each.end <= len(page.text) for each in spans)
    return inside and fact.row.start <= fact.cell.start < fact.cell.end <= fact.row.end


def _is_bounded(fact: ReadFact) -> bool:
    """Return whether a fact fits in its columns, and its texts have no characters that no page has."""
    texts = {name: getattr(fact, name) for name in _LONGEST}
    return (
        fact.value.is_finite()
        and abs(fact.value) < _GREATEST
        and 0 <= fact.decimals <= _GREATEST_SCALE
        and -_GREATEST_SCALE <= (fact.exponent or 0) <= _GREATEST_SCALE
        and fact.confidence.is_finite()
        and 0 <= fact.confidence <= 1
        and fact.statement in _STATEMENTS
        and _CURRENCY.fullmatch(fact.currency) is not None
        and (not fact.tag or _TAG.fullmatch(fact.tag) is not None)
        and all(len(text) <= _LONGEST[name] and clean(text) == text for name, text in texts.items())
    )


def _has_possible_period(fact: ReadFact) -> bool:
    starts, ends = fact.starts_on, fact.ends_on
    if fact.fiscal_year not in _YEARS or not 0 <= fact.fiscal_quarter <= 4 or not 0 <= fact.months <= _MOST_MONTHS:
        return False
    if ends is None or starts is None:
        return starts is None and (ends is None or abs(ends.year - fact.fiscal_year) <= 1)
    days = (ends - starts).days + 1
    return abs(ends.year - fact.fiscal_year) <= 1 and abs(days - fact.months * _DAYS_A_MONTH) <= _DAYS_OFF


def _offset(fact: ReadFact) -> int:
    """Return by how many months a fiscal year is ahead of the calendar's, by one fact that names a day.

    A document has one calendar, so all of its facts have the same; years of weeks may be a month off.
    """
    ends = fact.ends_on or date(fact.fiscal_year, 12, 31)
    return 12 * (fact.fiscal_year - ends.year) + 3 * (fact.fiscal_quarter or 4) - ends.month


def _is_on_calendar(fact: ReadFact, offset: int, *, most: int) -> bool:
    return fact.ends_on is None or abs(_offset(fact) - offset) <= most


def _usual_offsets(facts: Sequence[ReadFact]) -> Mapping[HowRead, int]:
    counted: dict[HowRead, Counter[int]] = defaultdict(Counter)
    for fact in facts:
        if fact.ends_on is not None:
            counted[fact.how_read][_offset(fact)] += 1
    return {how: offsets.most_common(1)[0][0] for how, offsets in counted.items()}


def _is_of_year(fact: ReadFact, heading: str) -> bool:
    """Return whether a fact is of a year that a heading names, if it names one."""
    years = set(map(int, _YEAR.findall(heading)))
    # A fiscal year 2023/24 is called by either.
    years |= {int(f"{each['century']}{each['end']}") for each in _SPLIT_YEAR.finditer(heading)}
    ends = {fact.fiscal_year, fact.ends_on.year if fact.ends_on is not None else fact.fiscal_year}
    if fact.concept == AT_BEGINNING:
        ends |= {each + 1 for each in ends}
    return not years or not years.isdisjoint(ends)


def _prints_value(fact: ReadFact) -> bool:
    """Return whether a cell of a table prints a fact's value in its scale, with its sign."""
    read = (read_amount(fact.printed, decimal_comma=comma) for comma in (False, True))
    return any(
        each is not None and (each.value.scaleb(fact.exponent or 0), each.decimals) == (fact.value, fact.decimals)
        for each in read
    )


def _states_value(fact: ReadFact) -> bool:
    """Return whether a text shows the digits of a fact's value, which inline XBRL may scale and turn."""
    value = abs(fact.value)
    shown = _NUMBER.findall(_PARTS.sub("", fact.printed))
    if not shown:
        return value == NUMBER_WORDS.get(fact.printed.strip().lower(), 0)
    if len(shown) == 2 and any(
        below and abs(over / below - value) <= _ROUNDED for over in _numbers(shown[0]) for below in _numbers(shown[1])
    ):
        return True
    scales = range(-_GREATEST_SCALE, 1) if fact.exponent is None else (fact.exponent,)
    numbers = {number for text in shown for number in _numbers(text)}
    return any(number.scaleb(scale) == value for number in numbers for scale in scales)


def _numbers(digits: str) -> Iterator[Decimal]:
    """Yield what digits may mean, in English and in German."""
    for parts, point in (",.", ".,"):
        plain = digits.rstrip(".,").replace(parts, "").replace(point, ".")
        if plain.count(".") <= 1 and plain.strip("."):
            yield Decimal(plain)


def _is_of_tag(fact: ReadFact) -> bool:
    concept = find_by_tag(fact.tag)
    return concept is not None and concept.name == fact.concept


def _is_of_unit(fact: ReadFact) -> bool:
    """Return whether the figures of a row count this; employees and their like are counted whatever their row says."""
    amount = read_amount(fact.printed, decimal_comma=False) or read_amount(fact.printed, decimal_comma=True)
    if amount is None:
        return False
    kind = kind_of_figure(fact.label, fact.group, fact.column, amount, fact.statement)
    # Of a row that is known by its label alone, an amount of which no table says that it is money is a number.
    may_be_number = is_counted(fact.concept) or not (fact.concept or fact.statement)
    return fact.unit is kind or (fact.unit is FactUnit.NUMBER and may_be_number)


def _name_before(text: str, fact: ReadFact) -> str:
    """Return what a row itself calls the column of a cell: "2024" in "Sales | 2024: 1,577"."""
    before = text[fact.row.start : fact.cell.start]
    return before.rpartition(SEPARATOR)[2] if before.endswith(": ") else ""
