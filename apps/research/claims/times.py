"""Of which period a claim is, and with which that is compared."""

from __future__ import annotations

from collections.abc import Sequence

from apps.filings.periods import Period
from apps.filings.text.numbers import Number
from apps.research.claims.claimed_periods import Named, period_of, year_before
from apps.research.claims.context import Clause, Context
from apps.research.claims.contracts import Doubt, When
from apps.research.claims.roles import NEAR_CHARS, Role, is_of_year_before
from apps.research.claims.words import FROM, RECORD, RECORD_LOW, RESPECTIVELY, SINCE
from apps.retrieval.stages.grounding.moving_words import LARGEST, SMALLEST


def times_of(
    context: Context, clause: Clause, number: Number, role: Role, place: tuple[int, int]
) -> tuple[When | None, When | None, Doubt | None]:
    """Return the period of a number, and the one that it is compared with."""
    at, count = place
    own = [each for each in context.periods if clause.holds(each.start)] or list(context.periods)
    since = {match.start("year") for match in SINCE.finditer(context.text)} if has_extreme(context.text) else set()
    own = [each for each in own if not any(each.start <= year < each.end for year in since)]
    distinct = list(dict.fromkeys(each.when for each in own))
    if role is Role.CHANGE:
        return times_of_change(context, own, distinct)
    if count > 1 and len(own) == count and RESPECTIVELY.search(context.text):
        return own[at].when, None, None
    open_years = period_of(context.text, context.figures, number, own, context.behind)
    if is_of_year_before(context.text, number) and context.when is None and not distinct:
        return None, None, Doubt.NO_PERIOD
    if is_of_year_before(context.text, number):
        main = distinct[0] if distinct else context.when
        return (year_before(main) if main else None), None, None
    if len(open_years) == 1:
        if role is Role.BEFORE and len(distinct) == 1 and not _stands_behind(context.text, number, own):
            return year_before(open_years[0]), None, None
        return open_years[0], None, None
    if len(open_years) > 1 or len(distinct) > 1:
        return None, None, Doubt.SEVERAL_PERIODS
    main = distinct[0] if distinct else context.when
    if main is None:
        return None, None, Doubt.NO_PERIOD
    return (year_before(main) if role is Role.BEFORE else main), None, None


def times_of_change(
    context: Context, own: Sequence[Named], distinct: Sequence[When]
) -> tuple[When | None, When | None, Doubt | None]:
    if len(distinct) > 2:
        return None, None, Doubt.SEVERAL_PERIODS
    if len(distinct) == 2:
        earlier, later = sorted(distinct, key=lambda each: each.period)
        return later, earlier, None
    if distinct:
        if FROM.search(context.text[max(0, own[0].start - NEAR_CHARS) : own[0].start]) or SINCE.search(
            context.text, max(0, own[0].start - 8)
        ):
            # "Up 10 % on 2022" does not say which year it speaks of.
            if context.when is None or context.when.period <= distinct[0].period:
                following = Period(
                    fiscal_year=distinct[0].period.fiscal_year + 1, fiscal_quarter=distinct[0].period.fiscal_quarter
                )
                return When(period=following), distinct[0], None
            return context.when, distinct[0], None
        return distinct[0], year_before(distinct[0]), None
    if context.when is None:
        return None, None, Doubt.NO_PERIOD
    return context.when, year_before(context.when), None


def _stands_behind(text: str, number: Number, named: Sequence[Named]) -> bool:
    """Return whether a period stands right behind a number: "from 4,210 in 2022"."""
    return any(0 <= each.start - number.end <= 30 and "," not in text[number.end : each.start] for each in named)


def has_extreme(text: str) -> bool:
    return any(pattern.search(text) for pattern in (RECORD, LARGEST, SMALLEST, RECORD_LOW))
