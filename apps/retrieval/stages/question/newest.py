"""Prefer the newest report for a question that names no period, if reports of several years compete.

Such a question asks about the present state. Reports of several years say the same in nearly the same words, so that by
words alone any of them may come first. The newest report held is preferred, never required: an answer that only an
older report gives is still found. The newest report is the newest one held, as for "the latest quarter" (see
periods.py), and never depends on the calendar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from apps.corpus.kinds import DocumentType
from apps.filings.text.period_mentions import PeriodMentions, RelativeUnit
from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, MetadataFilter, Period, ReportSeries

# Types that appear once per period. A current report or an article tells of one event, and a later one of another
# event.
_PERIODIC: Final = frozenset(
    {
        DocumentType.FORM_10K.value,
        DocumentType.FORM_10Q.value,
        DocumentType.EARNINGS_RELEASE.value,
        DocumentType.EARNINGS_TRANSCRIPT.value,
        DocumentType.REPORT.value,
    }
)
# A question about development over time, or about the past, also asks for the older reports.
_OVER_TIME: Final = re.compile(
    r"\b(?:over\s+time|over\s+the\s+(?:\w+\s+){0,2}(?:years|quarters|decades?)|(?:in|of)\s+(?:recent|past|previous|prior)\s+"
    r"(?:years|quarters)|(?:each|every|any)\s+(?:\w+\s+)?(?:year|quarter)|year\s+(?:by|after)\s+year|"
    r"from\s+(?:year\s+to\s+year|quarter\s+to\s+quarter)|across\s+(?:the\s+|all\s+)?(?:years|quarters|reports|filings)|"
    r"(?:several|all|both|multiple|two|three|four|five|ten)\s+(?:\w+\s+)?(?:years|quarters|annual\s+reports)|"
    r"trends?|trended|histor(?:y|ical|ically)|since|ever|first|earl(?:y|ier|iest)|old(?:er|est)|before|formerly|former|"
    r"previous(?:ly)?|prior|originally|used\s+to|no\s+longer|multi-?year|long-term\s+development|evol(?:ved?|ution)|"
    r"im\s+(?:Zeit)?verlauf|im\s+Laufe\s+der|Zeitreihe\w*|Trends?|seit|jemals|erst(?:mals|e[nrsm]?)|früher\w*|älter\w*|"
    r"ehemal\w+|bisher\w*|zuvor|vorher\w*|vorig\w*|historisch\w*|Geschichte|entwickelt\w*|jede[sm]\s+(?:Jahr|Quartal)|"
    r"jährlich|mehrjährig\w*|Jahr\s+für\s+Jahr|"
    r"(?:letzten|vergangenen|mehrere[nr]?|allen?|beiden?|zwei|drei|vier|fünf|zehn)\s+"
    r"(?:\w+\s+)?(?:Jahren?|Quartalen?|Geschäftsjahren?|Berichten?))\b|(?<!und )\bEntwicklung\b",
    re.IGNORECASE,
)
_NAMED_IN_FULL: Final = 3


def prefer_newest(
    text: str,
    mentions: PeriodMentions,
    filters: Iterable[MetadataFilter],
    entries: Sequence[InventoryEntry],
) -> tuple[MetadataFilter, ...]:
    """Return a filter that prefers the newest report of each series, if the question says nothing about time.

    Args:    text: the question, one line.
             mentions: its periods.
             filters: all filters read otherwise. A filter on periods already settles the period; filters on companies
                 say whose series count (all that are held if the question names no company).
             entries: what is held.
    Returns: one likely filter. None if the question names or implies a period (other than the last twelve months) or
             asks about development over time, or if no series of several periods is held.
    """
    filters = tuple(filters)
    said = mentions.named or mentions.relative or any(each.field is FilterField.PERIOD for each in filters)
    # A figure of the last twelve months is told by the newest report, among those of all their quarters.
    trailing = not mentions.named and {each.unit for each in mentions.relative} == {RelativeUnit.TWELVE_MONTHS}
    if (said and not trailing) or _OVER_TIME.search(text):
        return ()
    companies = {value for each in filters if each.field is FilterField.COMPANY for value in each.values}
    series = _series([entry for entry in entries if entry.company in companies or not companies])
    if not series:
        return ()
    found = MetadataFilter(
        field=FilterField.NEWEST_REPORT,
        values=tuple(_labels(series)),
        certainty=Certainty.LIKELY,
        reason=f"{'Of twelve months' if trailing else 'No period named'}: the newest report of {_describe(series)} is "
        "preferred, older ones of the same series stay in.",
        series=series,
    )
    return (found,)


def _series(entries: Iterable[InventoryEntry]) -> tuple[ReportSeries, ...]:
    """Return the series of which several periods are held, ordered by company, document type and kind."""
    held: dict[tuple[str, str, str, bool], set[Period]] = {}
    for entry in entries:
        if entry.company and entry.fiscal_year is not None and entry.document_type in _PERIODIC:
            key = (entry.company, entry.document_type, entry.kind, entry.fiscal_quarter is not None)
            period = Period(fiscal_year=entry.fiscal_year, fiscal_quarter=entry.fiscal_quarter or 0)
            held.setdefault(key, set()).add(period)
    return tuple(
        ReportSeries(company=company, kind=kind, document_type=document_type, newest=max(periods))
        for (company, document_type, kind, _), periods in sorted(held.items())
        if len(periods) > 1
    )


def _labels(series: Iterable[ReportSeries]) -> Iterable[str]:
    return dict.fromkeys(f"{each.company} {each.document_type} {each.newest.label}" for each in series)


def _describe(series: Sequence[ReportSeries]) -> str:
    labels = [f"{each.company}, {each.newest.label} ({each.document_type})" for each in series[:_NAMED_IN_FULL]]
    more = len(series) - len(labels)
    return "; ".join(labels) + (f"; and of {more} other series" if more else "")
