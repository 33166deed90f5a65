"""Check whether a sentence or row can be the answer: it names the figure, gives one, and is of the period asked for.

These checks are structural, not a matter of degree: a piece may share most words with a question and be of another
year.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from apps.filings.text.bindings import years_of
from apps.filings.text.dates import read_dates
from apps.filings.text.mentions import Mention, blank_mentions
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import Certainty, FilterField, Passage, Period, QueryAnalysis, Quote
from apps.retrieval.stages.figures.calculating.quarters import is_of_quarter, says_no_time
from apps.retrieval.stages.figures.in_passages import heading_above, read_piece
from apps.retrieval.stages.figures.phrases import PhraseText, figures_beside, phrases_of
from apps.retrieval.stages.question.companies import find_named_companies
from apps.retrieval.stages.question.relax import period_matches
from apps.retrieval.stages.ranking.relevance import holds_number

_HEADING_LONGEST_CHARS: Final = 90
_FEWEST_OF_A_SERIES: Final = 2
_PART_OF_A_YEAR: Final = re.compile(
    r"\bquarters?\b|\b(?:three|six|nine)\s+months\b|\b13\s+weeks\b|\bQ[1-4]\b", re.IGNORECASE
)
_AS_OF: Final = re.compile(r"\W*(?:as\s+(?:of|at)|at|per|zum)\s+(?:the\s+)?", re.IGNORECASE)
_WHOLE_YEAR: Final = re.compile(r"\byears?\b|\btwelve\s+months\b|\b5[23]\s+weeks\b|\bFY", re.IGNORECASE)
_VALUE_ASKED: Final = re.compile(
    r"\bhow\s+(?:much|many|high|large|big|low)\b|\bwhat\s+(?:is|are|was|were)\b|\bwhat['\u2019]s\b|\bwie\s+(?:viele?|hoch)\b",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|did|do|does|has|have|had|tell|show|give|list|explain|describe|ist|sind|war|waren|hat|haben"
    r"|nenn\w*|zeig\w*|gib|geben|beschreib\w*)\b",
    re.IGNORECASE,
)
_WHO: Final = re.compile(r"\s*(?:who|wer)\b", re.IGNORECASE)
_CHANGE_ASKED: Final = re.compile(
    r"\b(?:increas|decreas|chang|growth|gr[eo]w|ris[ei]|rose|fall|fell|declin|improv|compare|differ|raise)",
    re.IGNORECASE,
)


_COUNT_ASKED: Final = re.compile(r"\bhow many\b|\bnumber of\b|\bwie viele\b|\banzahl\b", re.IGNORECASE)
_COUNT_WORD: Final = re.compile(
    r"\b(?:no|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|kein|keine|keinen|null|ein|eine"
    r"|einen|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf)\b",
    re.IGNORECASE,
)


class Lack(StrEnum):
    """The reason why a piece cannot be the answer. SIGN: it is of another file or model than the one asked for."""

    COMPANY = "company"
    PERIOD = "period"
    FIGURE = "figure"
    NUMBER = "number"
    SIGN = "sign"


def lack_of(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> Lack | None:
    """Return what a piece lacks to be the answer; None if there is no objection."""
    if not is_of_company(passage, analysis):
        return Lack.COMPANY
    if not names_what_is_asked(piece, passage, analysis):
        return Lack.FIGURE
    if not is_of_period(piece, passage, analysis):
        return Lack.PERIOD
    if asks_for_a_figure(analysis) and not gives_a_figure(piece, passage, analysis):
        return Lack.NUMBER
    return None


def is_of_company(passage: Passage, analysis: QueryAnalysis) -> bool:
    """Return whether a passage is of a company that the question names, or mentions one; True if it names none."""
    named = [value for each in analysis.filters if each.field is FilterField.COMPANY for value in each.values]
    document = passage.chunk.document
    if not named or not document.company or document.company in named:
        return True
    return bool(find_named_companies(f"{document.title}\n{passage.chunk.text}", named))


def asks_for_a_figure(analysis: QueryAnalysis) -> bool:
    """Return whether only a figure can answer: "how much", "how many", "what was" it; not "how do you measure" it."""
    return analysis.wants_number and _VALUE_ASKED.search(analysis.text) is not None


def names_what_is_asked(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> bool:
    """Return whether the piece, its columns or the heading of its rows names one of the figures asked for."""
    # What is typed like a search, "efficiency ratio 2024", asks for that figure and no other.
    is_terse = analysis.wants_number and "?" not in analysis.text and _VERB.search(analysis.text) is None
    strict = asks_for_a_figure(analysis) or is_terse or _WHO.match(analysis.text) is not None
    if not analysis.figures or not strict:
        return True
    above = heading_above(passage.chunk.text, piece.start)
    found = PhraseText(f"{piece.text}\n{piece.columns}\n{above}", analysis.language)
    return any(phrases_of(figure, found, analysis) for figure in analysis.figures)


def gives_a_figure(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> bool:
    """Return whether a row holds a figure, or a sentence states the one asked for, after its name or before "of" it.

    A change ("rose by 3 %") is not the figure itself, unless the question asks for a change.
    """
    if read_piece(passage, piece) is not None or not analysis.figures:
        return _tells_a_number(piece.text, analysis)
    text = PhraseText(piece.text, analysis.language)
    spans = [span for figure in analysis.figures for span in phrases_of(figure, text, analysis)]
    if not spans:
        return _tells_a_number(piece.text, analysis)
    change_asked = _CHANGE_ASKED.search(analysis.text) is not None
    return any(figures_beside(piece.text, start, end, change_asked=change_asked) for start, end in spans)


def _tells_a_number(text: str, analysis: QueryAnalysis) -> bool:
    """Return whether a text holds a number in digits or, if the question asks for a count, in words.

    Examples: "It logged one incident", "There were none".
    """
    if holds_number(_blank_dates(text)):
        return True
    return _COUNT_ASKED.search(analysis.text) is not None and _COUNT_WORD.search(text) is not None


def is_of_period(piece: Quote, passage: Passage, analysis: QueryAnalysis) -> bool:
    """Return whether the piece is of a period asked for: its document is of it, or the piece says so itself.

    A row of several figures without columns is of no year: they may be its quarters, and a quarter is not a year.

    Where a question's periods differ by company, those of the document's company count.

    A document that states no period (a rule, a method) is valid for any period, but gives no figure of one. A year
    alone, which may mean anything, is also met by a passage that mentions it elsewhere, but for a figure.
    """
    document = passage.chunk.document
    # What a document without a period says may be of any of them, if nothing dated is held of its company.
    undated = analysis.periods if document.fiscal_year is None else ()
    # The report of a later year is searched for a year asked for, and gives figures of its own year as well.
    of_company = tuple(each for each in analysis.periods_of(document.company) if each in analysis.periods)
    periods = of_company or undated
    if not analysis.periods or (
        document.fiscal_year is None and (_is_loose(analysis) or not asks_for_a_figure(analysis))
    ):
        return True
    row = read_piece(passage, piece)
    columns = _column_years(piece)
    if columns and not any(period.fiscal_year in columns for period in periods):
        return False
    if any(period_matches(period, document.fiscal_year, document.fiscal_quarter) for period in periods):
        if row is None:
            return not _as_of_another_day(piece.text, periods)
        # If a row has several figures without columns, nobody can tell which one is of the period.
        if quarters := {period.fiscal_quarter for period in periods if period.fiscal_quarter}:
            # Beside the quarter stand the year so far and the year before it.
            own_time = (document.fiscal_year, document.fiscal_quarter)
            return len(row) == 1 or any(
                says_no_time(each) or is_of_quarter(each, (), quarter, own_time) for each in row for quarter in quarters
            )
        return not _gives_only_parts(piece) and (len(row) < _FEWEST_OF_A_SERIES or any(figure.years for figure in row))
    if row is not None:
        own = frozenset(year for figure in row for year in figure.years)
    else:
        own = years_of("\n".join((piece.text, passage.chunk.section, _headings(passage.chunk.text[: piece.start]))))
    if any(_covers(period, own, piece, passage) for period in periods):
        return True
    if row is None and analysis.wants_number and holds_number(_blank_dates(piece.text)):
        # A figure in a sentence without a year is of its report's year, whatever else the passage mentions.
        return False
    return _is_loose(analysis) and any(
        period.fiscal_year in years_of(f"{passage.chunk.text}\n{document.title}") for period in periods
    )


def _column_years(piece: Quote) -> frozenset[int]:
    """Return the years of a row's columns, if all of its cells are of years that the row itself names."""
    cells = [part.partition(": ")[0] for part in piece.text.split("|")[1:]]
    years = [years_of(cell) for cell in cells]
    return frozenset().union(*years) if cells and all(years) else frozenset()


def _covers(period: Period, years: frozenset[int], piece: Quote, passage: Passage) -> bool:
    if period.fiscal_year not in years:
        return False
    if not period.fiscal_quarter:
        return True
    # "2023" beside "2024" in a report of the fourth quarter is the fourth quarter of 2023.
    same_quarter = passage.chunk.document.fiscal_quarter == period.fiscal_quarter
    named = read_period_mentions(f"{piece.text}\n{piece.columns}").named
    return same_quarter or period in {each.period for each in named}


def _as_of_another_day(text: str, periods: Iterable[Period]) -> bool:
    """Return whether a sentence begins with a day of another year, and names no year asked for.

    A fiscal year may be named after the calendar year in which it ends, or after the one before.
    """
    dates = read_dates(text)
    if not dates or not dates[0].year or not _AS_OF.fullmatch(text[: dates[0].start]):
        return False
    wanted = {period.fiscal_year + later for period in periods for later in (0, 1)}
    return not wanted & years_of(text)


def _gives_only_parts(piece: Quote) -> bool:
    """Return whether a row gives only figures of quarters or other parts of a year."""
    told = f"{piece.text}\n{piece.columns}"
    return _PART_OF_A_YEAR.search(told) is not None and _WHOLE_YEAR.search(told) is None


def _is_loose(analysis: QueryAnalysis) -> bool:
    found = [each for each in analysis.filters if each.field is FilterField.PERIOD]
    return bool(found) and all(each.certainty is Certainty.LIKELY for each in found) and not analysis.relaxed


def _headings(text: str) -> str:
    """Return the lines above a piece that are not sentences."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if len(line) <= _HEADING_LONGEST_CHARS and not line.rstrip().endswith("."))


def _blank_dates(text: str) -> str:
    """Return the text with its dates blanked, because a date is not a figure."""
    return blank_mentions(text, (Mention(start=each.start, end=each.end, text=each.text) for each in read_dates(text)))
