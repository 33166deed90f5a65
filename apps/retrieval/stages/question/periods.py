"""Turn the periods of a question into filters, against the periods that are held."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from apps.filings.text.period_mentions import NamedPeriod, PeriodMentions
from apps.retrieval.contracts import Certainty, InventoryEntry, Period
from apps.retrieval.stages.question.period_filters import PeriodReading, join_words, make_period_filter
from apps.retrieval.stages.question.relative_periods import find_earlier, resolve_relative


def resolve_periods(
    mentions: PeriodMentions, entries: Sequence[InventoryEntry], beside: Sequence[InventoryEntry] = ()
) -> PeriodReading:
    """Decide to which periods the search is narrowed.

    Args:    mentions: what the question says.
             entries: what is held, already narrowed to the companies that the question's sure filters leave.
             beside: what is held without a company, if `entries` lacks it: the search keeps it beside the companies.
    Returns: at most one filter: sure for periods that are spelled out or could be resolved, likely for years alone. A
             period relative to what is held is resolved for each company.
             Notices name what was read in a way that a reader might not expect.
    """
    explicit = [named for named in mentions.named if named.explicit]
    if explicit:
        compared = {relative.wording: find_earlier(explicit[0].period, relative) for relative in mentions.relative}
        reason = "The question names " + join_words(dict.fromkeys(named.wording for named in explicit)) + "."
        notices = tuple(
            f"“{wording}” was read as {join_words(period.label for period in periods)}: counted from "
            f"{explicit[0].period.label} in the question."
            for wording, periods in compared.items()
            if periods
        )
        periods = tuple(sorted({*_periods(explicit), *_flatten(compared.values())}))
        return PeriodReading(
            filters=(make_period_filter(periods, Certainty.SURE, " ".join((reason, *notices))),), notices=notices
        )
    if mentions.named:
        years = _periods(mentions.named)
        compared = {
            relative.wording: find_earlier(years[-1], relative)
            for relative in mentions.relative
            if relative.offset or relative.count > 1
        }
        reason = (
            "The question mentions "
            + join_words(dict.fromkeys((*(named.wording for named in mentions.named), *compared)))
            + " without saying whether the fiscal year is meant: such documents are preferred, others stay in."
        )
        periods = tuple(sorted({*years, *_flatten(compared.values())}))
        return PeriodReading(filters=(make_period_filter(periods, Certainty.LIKELY, reason),), notices=())
    return resolve_relative(mentions.relative, entries, beside)


def _periods(named: Iterable[NamedPeriod]) -> tuple[Period, ...]:
    return tuple(sorted({each.period for each in named}))


def _flatten(periods: Iterable[tuple[Period, ...]]) -> tuple[Period, ...]:
    return tuple(each for together in periods for each in together)
