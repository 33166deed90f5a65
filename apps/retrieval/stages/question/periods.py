"""Turn the periods of a question into filters, against the periods that are held.

"Last quarter" means the newest quarter held, never the calendar's: reports arrive late, and the answer must be the same
tomorrow. The filter's reason says what was resolved, and from what.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, MetadataFilter, Period
from apps.retrieval.stages.question.period_mentions import NamedPeriod, PeriodMentions, RelativePeriod, RelativeUnit


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodReading:
    filters: tuple[MetadataFilter, ...]
    notices: tuple[str, ...]


def resolve_periods(mentions: PeriodMentions, entries: Sequence[InventoryEntry]) -> PeriodReading:
    """Decide to which periods the search is narrowed.

    Args:    mentions: what the question says.
             entries: what is held, already narrowed to the companies in the question's sure filters.
    Returns: at most one filter: sure for periods that are spelled out or could be resolved, likely for years alone.
             Notices name what was read in a way that a reader might not expect.
    """
    explicit = [named for named in mentions.named if named.explicit]
    if explicit:
        compared = {relative.wording: _find_earlier(explicit[0].period, relative) for relative in mentions.relative}
        reason = "The question names " + _join_words(dict.fromkeys(named.wording for named in explicit)) + "."
        notices = tuple(
            f"“{wording}” was read as {period.label}: counted from {explicit[0].period.label} in the question."
            for wording, period in compared.items()
        )
        periods = tuple(sorted({*_periods(explicit), *compared.values()}))
        return PeriodReading(filters=(_filter(periods, Certainty.SURE, " ".join((reason, *notices))),), notices=notices)
    if mentions.named:
        years = _periods(mentions.named)
        compared = {
            relative.wording: _find_earlier(years[-1], relative)
            for relative in mentions.relative
            if relative.offset or relative.count > 1
        }
        reason = (
            "The question mentions "
            + _join_words(dict.fromkeys((*(named.wording for named in mentions.named), *compared)))
            + " without saying whether the fiscal year is meant: such documents are preferred, others stay in."
        )
        periods = tuple(sorted({*years, *compared.values()}))
        return PeriodReading(filters=(_filter(periods, Certainty.LIKELY, reason),), notices=())
    for relative in mentions.relative:
        return _resolve_relative(relative, entries)
    return PeriodReading(filters=(), notices=())


def _find_earlier(named: Period, relative: RelativePeriod) -> Period:
    """Return the period with which a named one is compared: a year or a quarter earlier."""
    if relative.unit is RelativeUnit.QUARTER and named.fiscal_quarter:
        last_of_year = named.fiscal_quarter == 1
        return Period(
            fiscal_year=named.fiscal_year - last_of_year,
            fiscal_quarter=4 if last_of_year else named.fiscal_quarter - 1,
        )
    return Period(fiscal_year=named.fiscal_year - 1, fiscal_quarter=named.fiscal_quarter)


def _resolve_relative(mention: RelativePeriod, entries: Sequence[InventoryEntry]) -> PeriodReading:
    held = _list_held(mention.unit, entries)
    chosen = tuple(held[mention.offset : mention.offset + mention.count])
    if not chosen:
        what = "no document with a period" if not held else f"only {held[0].label}"
        return PeriodReading(
            filters=(), notices=(f"“{mention.wording}” could not be resolved: {what} is held here. Name the period.",)
        )
    sentences = [
        f"“{mention.wording}” was resolved to {_join_words(period.label for period in chosen)}: held are "
        f"{_join_words(period.label for period in held[:6])}{' and older ones' if len(held) > 6 else ''}, "
        "and time is counted from the newest document held, not from today."
    ]
    behind = _companies_behind(mention.unit, held[0], entries)
    if behind:
        sentences.append(
            f"No document of {held[0].label} is held for {_join_words(behind)}. Name one of them to ask about it."
        )
    found = _filter(chosen, Certainty.SURE, " ".join(sentences))
    return PeriodReading(filters=(found,), notices=(sentences[0],))


def _list_held(unit: RelativeUnit, entries: Iterable[InventoryEntry]) -> list[Period]:
    """Return the distinct periods held, newest first: quarters for a quarter, years for a year, both for any unit."""
    periods: set[Period] = set()
    for entry in entries:
        if entry.fiscal_year is None:
            continue
        if unit is RelativeUnit.YEAR:
            periods.add(Period(fiscal_year=entry.fiscal_year))
        elif entry.fiscal_quarter is not None:
            periods.add(Period(fiscal_year=entry.fiscal_year, fiscal_quarter=entry.fiscal_quarter))
        elif unit is RelativeUnit.ANY:
            periods.add(Period(fiscal_year=entry.fiscal_year))
    # A whole year ends with its fourth quarter. Of the two, the quarter comes first because it is more specific.
    return sorted(periods, key=lambda p: (p.fiscal_year, p.fiscal_quarter or 4, p.fiscal_quarter), reverse=True)


def _companies_behind(unit: RelativeUnit, newest: Period, entries: Sequence[InventoryEntry]) -> list[str]:
    """Return up to five companies that have documents of this kind of period, but none of the newest period."""
    companies = sorted({entry.company for entry in entries if entry.company})
    behind = []
    for company in companies:
        held = _list_held(unit, [entry for entry in entries if entry.company == company])
        if held and held[0] != newest:
            behind.append(company)
    return behind[:5]


def _periods(named: Iterable[NamedPeriod]) -> tuple[Period, ...]:
    return tuple(sorted({each.period for each in named}))


def _filter(periods: tuple[Period, ...], certainty: Certainty, reason: str) -> MetadataFilter:
    return MetadataFilter(
        field=FilterField.PERIOD,
        values=tuple(period.label for period in periods),
        certainty=certainty,
        reason=reason,
        periods=periods,
    )


def _join_words(words: Iterable[str]) -> str:
    parts = list(words)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
