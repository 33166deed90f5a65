"""Resolve a period that is relative to what is held: "last quarter", "the last twelve months".

"Last quarter" means the newest quarter held, never the calendar's: reports arrive late, and the answer must be the same
tomorrow. Each company has a newest quarter of its own, by its own fiscal calendar; those of two companies are never
compared. The filter's reason says what was resolved, and from what.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from apps.filings.text.period_mentions import RelativePeriod, RelativeUnit
from apps.retrieval.contracts import Certainty, CompanyPeriods, InventoryEntry, Period
from apps.retrieval.stages.question.period_filters import PeriodReading, join_words, make_period_filter, place_of

# How many companies, and how many groups of companies with the same periods, a sentence names.
_FEW: Final = 5
_MOST_GROUPS: Final = 8


def resolve_relative(
    mentions: Sequence[RelativePeriod], entries: Sequence[InventoryEntry], beside: Sequence[InventoryEntry]
) -> PeriodReading:
    """Return one sure filter with the periods that are meant of each company; none if no company has such a period.

    Several mentions are resolved together: "last quarter and the quarter before" are two quarters of each company.

    Args: entries, beside: as for resolve_periods.
    """
    anchor = next((each for each in mentions if not each.offset and not each.is_compared), None)
    found: list[PeriodReading] = []
    chosen: dict[str, tuple[Period, ...]] = {}
    for mention in dict.fromkeys(mentions):
        if anchor and mention.is_compared and mention.unit is anchor.unit and anchor.count > 1:
            continue  # "year over year in the last three years" names no further year
        of_one, notices = _resolve(mention, anchor if anchor != mention else None, entries, beside)
        found.append(PeriodReading(filters=(), notices=notices))
        for company, periods in of_one.items():
            together = {*chosen.get(company, ()), *periods}
            chosen[company] = tuple(sorted(together, key=_by_end, reverse=True))
    told = tuple(notice for each in found for notice in each.notices)
    if not chosen:
        return PeriodReading(filters=(), notices=told)
    groups = _group_by_periods(chosen)
    values = [period.label for period in next(iter(groups))] if len(groups) == 1 else _label_groups(groups)
    narrowed = make_period_filter(
        tuple(sorted({period for periods in chosen.values() for period in periods}, reverse=True)),
        Certainty.SURE,
        " ".join(told),
        values=tuple(values),
        of_companies=tuple(CompanyPeriods(company=company, periods=chosen[company]) for company in sorted(chosen)),
    )
    return PeriodReading(filters=(narrowed,), notices=told)


def _resolve(
    mention: RelativePeriod,
    anchor: RelativePeriod | None,
    entries: Sequence[InventoryEntry],
    beside: Sequence[InventoryEntry],
) -> tuple[dict[str, tuple[Period, ...]], tuple[str, ...]]:
    """Return the periods of each company that one mention means, and what is told of that.

    Args: anchor: the mention that this one counts back from; None if it counts from the newest document.
    """
    held = _list_held(mention.unit, entries)
    chosen = _choose_each(mention, anchor, entries)
    if not chosen:
        newest = sorted({of[0] for of in held.values() if of}, reverse=True)
        what = f"only {join_words(each.label for each in newest[:_FEW])}" if newest else _none_held(mention.unit)
        return {}, (f"“{mention.wording}” could not be resolved: {what} is held here. Name the period.",)
    without = [company for company in held if company not in chosen and _states_a_period(company, entries)]
    chosen |= _choose_each(mention, anchor, beside)
    groups = _group_by_periods(chosen)
    if len(groups) == 1:
        told = _tell_one(mention, [period.label for period in next(iter(groups))], held)
    else:
        between = "; " if any(len(periods) > 1 for periods in groups) else ", "
        told = (
            f"“{mention.wording}”: {between.join(_label_groups(groups))}. Time is counted for each company from the "
            "newest document held of it, not from today."
        )
    if not without:
        return chosen, (told,)
    return chosen, (
        told,
        f"No such period is held for {_name(without)}: documents of other periods are left out there.",
    )


def _choose_each(
    mention: RelativePeriod, anchor: RelativePeriod | None, entries: Sequence[InventoryEntry]
) -> dict[str, tuple[Period, ...]]:
    """Return for each company the periods held that are meant."""
    held = _list_held(mention.unit, entries)
    if anchor is None or not (mention.offset or mention.is_compared):
        return {company: periods for company, of in held.items() if (periods := _choose(mention, of))}
    if anchor.unit is mention.unit:
        count = 1 if mention.is_compared else mention.count
        back = replace(mention, offset=anchor.offset + anchor.count, count=count)
        return {company: periods for company, of in held.items() if (periods := _choose(back, of))}
    # "Last quarter, against a year earlier": the same quarter of the year before.
    found: dict[str, tuple[Period, ...]] = {}
    for company, of in _list_held(anchor.unit, entries).items():
        earlier = {period for named in _choose(anchor, of) for period in find_earlier(named, mention)}
        if meant := tuple(period for period in of if period in earlier):
            found[company] = meant
    return found


def find_earlier(named: Period, relative: RelativePeriod) -> tuple[Period, ...]:
    """Return the periods that the question adds to a named one: the year or quarter before it, or as many as it says.

    Twelve months end with the named quarter; a named year is twelve months by itself.
    """
    if relative.unit is RelativeUnit.TWELVE_MONTHS:
        return tuple(_step_back(named, quarters) for quarters in (1, 2, 3)) if named.fiscal_quarter else ()
    steps = relative.count if relative.offset or relative.count == 1 else relative.count - 1
    if relative.unit is RelativeUnit.QUARTER and named.fiscal_quarter:
        return tuple(_step_back(named, quarters) for quarters in range(1, steps + 1))
    if relative.unit is RelativeUnit.QUARTER:
        steps = 1
    return tuple(
        Period(fiscal_year=named.fiscal_year - years, fiscal_quarter=named.fiscal_quarter)
        for years in range(1, steps + 1)
    )


def _step_back(period: Period, quarters: int) -> Period:
    year, quarter = divmod(place_of(period) - quarters, 4)
    return Period(fiscal_year=year, fiscal_quarter=quarter + 1)


def _list_held(unit: RelativeUnit, entries: Iterable[InventoryEntry]) -> dict[str, list[Period]]:
    """Return for each company its distinct periods held, newest first.

    These are quarters for a quarter, years for a year, and both for any other unit.
    """
    found: dict[str, set[Period]] = {}
    for entry in entries:
        periods = found.setdefault(entry.company, set())
        if entry.fiscal_year is None:
            continue
        if unit is RelativeUnit.YEAR:
            periods.add(Period(fiscal_year=entry.fiscal_year))
        elif entry.fiscal_quarter is not None:
            periods.add(Period(fiscal_year=entry.fiscal_year, fiscal_quarter=entry.fiscal_quarter))
        elif unit is not RelativeUnit.QUARTER:
            periods.add(Period(fiscal_year=entry.fiscal_year))
    return {company: sorted(periods, key=_by_end, reverse=True) for company, periods in sorted(found.items())}


def _by_end(period: Period) -> tuple[int, int, int]:
    """A whole year ends with its fourth quarter. Of the two, the quarter comes first because it is more specific."""
    return period.fiscal_year, period.fiscal_quarter or 4, period.fiscal_quarter


def _choose(mention: RelativePeriod, held: Sequence[Period]) -> tuple[Period, ...]:
    """Return those of a company's periods, newest first, that are meant.

    Twelve months are the quarters held of the four that end with the newest one, or the newest year if that ends later
    or no quarters are held.
    """
    if mention.unit is not RelativeUnit.TWELVE_MONTHS or not held:
        return tuple(held[mention.offset : mention.offset + mention.count])
    newest = held[0]
    if not newest.fiscal_quarter:
        return (newest,)
    return tuple(each for each in held if each.fiscal_quarter and place_of(newest) - place_of(each) < 4)


def _none_held(unit: RelativeUnit) -> str:
    return f"no document {'of a quarter' if unit is RelativeUnit.QUARTER else 'with a period'}"


def _states_a_period(company: str, entries: Iterable[InventoryEntry]) -> bool:
    return any(entry.company == company and entry.fiscal_year is not None for entry in entries)


def _group_by_periods(chosen: Mapping[str, tuple[Period, ...]]) -> dict[tuple[Period, ...], list[str]]:
    """Return the companies by the periods chosen for them, the newest periods first."""
    groups: dict[tuple[Period, ...], list[str]] = {}
    for company, periods in sorted(chosen.items()):
        groups.setdefault(periods, []).append(company)
    return dict(sorted(groups.items(), key=lambda group: [_by_end(each) for each in group[0]], reverse=True))


def _tell_one(mention: RelativePeriod, labels: Iterable[str], held: Mapping[str, Sequence[Period]]) -> str:
    """Tell a choice that is the same for every company, and from what it was made."""
    together = sorted({period for periods in held.values() for period in periods}, key=_by_end, reverse=True)
    return (
        f"“{mention.wording}” was resolved to {join_words(labels)}: held are "
        f"{join_words(period.label for period in together[:6])}{' and older ones' if len(together) > 6 else ''}, "
        "and time is counted from the newest document held, not from today."
    )


def _label_groups(groups: Mapping[tuple[Period, ...], Sequence[str]]) -> list[str]:
    """Return "Q4 2024 for Alpha" for each group of companies, and one label for those beyond the first few."""
    labels = [f"{_label(periods)} for {_name(companies)}" for periods, companies in groups.items()]
    further = sum(len(companies) for companies in list(groups.values())[_MOST_GROUPS:])
    return [*labels[:_MOST_GROUPS], *([f"older ones for {further} more"] if further else [])]


def _label(periods: Sequence[Period]) -> str:
    whole_run = len(periods) > 2 and all(
        later.fiscal_quarter and earlier.fiscal_quarter and place_of(later) - place_of(earlier) == 1
        for later, earlier in pairwise(periods)
    )
    if whole_run:
        return f"{periods[-1].label} to {periods[0].label}"
    return join_words(period.label for period in periods)


def _name(companies: Sequence[str]) -> str:
    """Name a few companies, and count the others. An empty name comes last."""
    named = [*(each for each in companies if each), *("documents without a company" for each in companies if not each)]
    more = len(named) - _FEW
    return join_words([*named[:_FEW], f"{more} more"] if more > 0 else named)
