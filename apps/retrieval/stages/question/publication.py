"""Read the publication date of the report asked about ("the report of 17 October 2024"), and the period it belongs to.

Such a date is not a fiscal year: the annual report that appeared in March 2024 is that of 2023.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from apps.filings.text.dates import MONTH, month_number, read_dates
from apps.filings.text.mentions import Mention, blank_mentions
from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, MetadataFilter, Period

# Words for publishing something on a day or in a month.
_PUBLISHING: Final = re.compile(
    r"\b(?:publish\w*|appear\w*|releas\w*|issued?|file[sd]?|filing|report(?:s|ed|ing)?|announc\w*|gave|give|said|say|"
    r"erschien\w*|erscheint|veröffentlicht\w*|herausgegeben|meldete\w*|gemeldet|berichtete\w*|berichtet|gab|gaben|"
    r"\w*bericht\w*|\w*mitteilung\w*)\b",
    re.IGNORECASE,
)
_IN_A_MONTH: Final = re.compile(
    rf"\b(?:in|im)\s+(?:the\s+month\s+of\s+)?{MONTH},?\s+(?P<year>(?:19|20)\d{{2}})\b", re.I
)
# Wording before the day of a report or of its publication. "At June 30, 2024" is the day of a balance sheet instead.
_BEFORE_A_DAY: Final = re.compile(
    r"\b(?:(?:report|filing|release|letter|statement|announcement|\w*bericht\w*|\w*mitteilung\w*)\s+(?:of|from|dated|vom)|"
    r"(?:published|released|issued|filed|announced|appeared|veröffentlicht|erschienen|erschien)\s+(?:on|am)|"
    r"(?:on|am))\s+(?:the\s+)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    mention: Mention
    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationReading:
    """The periods that a question names by a publication date.

    filter: on the periods of what was published then; None if the question names no such date.
    rest: the question without the words that were read.
    """

    filter: MetadataFilter | None
    rest: str


def read_publication(text: str, entries: Sequence[InventoryEntry]) -> PublicationReading:
    """Find the periods of the reports that were published on the date that the question names.

    Args:    text: the question, names blanked out.
             entries: what is held, already narrowed to the companies in the question's sure filters.
    Returns: a sure filter if a document that states its period was published then. Otherwise no filter and the
             unchanged text, because the date may mean anything.
    """
    for published in _mentions(text):
        periods = sorted({period for entry in entries if (period := _published_then(entry, published))})
        if periods:
            labels = tuple(period.label for period in periods)
            reason = (
                f"“{published.mention.text}” is when the documents held about {' and '.join(labels)} were published."
            )
            found = MetadataFilter(
                field=FilterField.PERIOD,
                values=labels,
                certainty=Certainty.SURE,
                reason=reason,
                periods=tuple(periods),
            )
            return PublicationReading(filter=found, rest=blank_mentions(text, [published.mention]))
    return PublicationReading(filter=None, rest=text)


def _mentions(text: str) -> Iterator[_Published]:
    if not _PUBLISHING.search(text):
        return
    for day in read_dates(text):
        if day.year is not None and _BEFORE_A_DAY.search(text[: day.start]):
            when = _day(day.year, day.month, day.day)
            if when is not None:
                yield _Published(mention=Mention(start=day.start, end=day.end, text=day.text), first=when, last=when)
    for match in _IN_A_MONTH.finditer(text):
        year, month = int(match["year"]), month_number(match["month"])
        yield _Published(
            mention=Mention(start=match.start(), end=match.end(), text=match.group()),
            first=date(year, month, 1),
            last=date(year, month, monthrange(year, month)[1]),
        )


def _day(year: int, month: int, day: int) -> date | None:
    """Return the date, or None for a day that does not exist in the calendar."""
    return date(year, month, day) if day <= monthrange(year, month)[1] else None


def _published_then(entry: InventoryEntry, published: _Published) -> Period | None:
    """Return the entry's period, if one of its documents was published then.

    If several documents share an entry, only the first and the last publication date are known: an annual report and
    its amendment half a year later say nothing about the months between.
    """
    known = [each for each in (entry.published_first, entry.published_last) if each is not None]
    if entry.fiscal_year is None or not any(published.first <= each <= published.last for each in known):
        return None
    return Period(fiscal_year=entry.fiscal_year, fiscal_quarter=entry.fiscal_quarter or 0)
