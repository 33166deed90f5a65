"""The claims of one clause: a figure each, a direction, an extreme, or a comparison of two companies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.filings.text.numbers import Number, NumberUnit
from apps.research.claims.context import Clause, Context
from apps.research.claims.contracts import Claim, ClaimSort, Doubt
from apps.research.claims.roles import Moving, Role, leeway_of, moving_words, role_of
from apps.research.claims.subjects import Measure
from apps.research.claims.times import times_of, times_of_change
from apps.research.claims.words import (
    COUNTS,
    FORWARD,
    IN_YEARS,
    MORE_THAN,
    NEGATION,
    NEGATIVE,
    PRIOR,
    QUALIFIED_LATER,
    RECORD,
    RECORD_LOW,
    RESPECTIVELY,
    SINCE,
)
from apps.retrieval.stages.grounding.moving_words import LARGEST, SMALLEST


def claims_of_clause(context: Context, clause: Clause) -> Iterator[Claim]:
    """Yield the claims of a clause that has a figure, a direction or an extreme of a measure."""
    figures = [each for each in context.figures if clause.holds(each.start)]
    moving = moving_words(context.text, clause.start, clause.end, context.subjects.measures)
    measures = [each for each in context.subjects.measures if clause.holds(each.start)]
    if FORWARD.search(context.text, clause.start, clause.end) and (figures or moving):
        yield context.claim(clause, sort=ClaimSort.FORWARD_LOOKING, doubt=Doubt.FORWARD_LOOKING)
        return
    ranged = _join_ranges(context.text, figures)
    changed = False
    for at, (number, upper) in enumerate(ranged):
        role = role_of(context.text, clause.start, number, moving, clause.end)
        changed = changed or role is Role.CHANGE
        yield _of_number(context, clause, number, upper, role, moving, place=(at, len(ranged)))
    if not measures:
        return
    extreme = _extreme(context, clause, measures)
    if extreme is not None:
        yield extreme
    compared = _between_companies(context, clause, measures)
    if compared is not None:
        yield compared
    elif moving and not changed and extreme is None:
        yield _direction(context, clause, moving, measures)


def _of_number(
    context: Context,
    clause: Clause,
    number: Number,
    upper: Number | None,
    role: Role,
    moving: Sequence[Moving],
    *,
    place: tuple[int, int],
) -> Claim:
    measure = _measure_of(context, clause, number, place)
    company, companies_doubt = _company_of(context, number.start, place)
    when, base, period_doubt = times_of(context, clause, number, role, place)
    sign = -1 if measure is not None and NEGATIVE.search(_around(context.text, measure, number)) else 0
    direction = _nearest(moving, number.start) if role is Role.CHANGE else None
    doubt = _doubt(context, measure, clause) or companies_doubt or period_doubt
    if doubt is None and role is Role.CHANGE and (direction is None or (sign and direction is not None)):
        doubt = Doubt.LOOSE_NUMBER
    return context.claim(
        clause,
        number=number,
        upper=upper,
        sort=ClaimSort.CHANGE if role is Role.CHANGE else ClaimSort.METRIC,
        company=company,
        concept=measure.concept if measure else "",
        measure=measure.text if measure else "",
        part=context.subjects.parts[0] if len(context.subjects.parts) == 1 else "",
        when=when,
        base=base if role is Role.CHANGE else None,
        sign=sign,
        direction=direction,
        negated=NEGATION.search(context.text, clause.start, clause.end) is not None,
        leeway=leeway_of(context.text, number),
        doubt=doubt,
        named=context.subjects.unknown[0] if context.subjects.unknown else "",
    )


def _doubt(context: Context, measure: Measure | None, clause: Clause) -> Doubt | None:
    if context.subjects.unknown:
        return Doubt.OTHER_COMPANY
    if measure is None:
        return Doubt.NO_MEASURE
    if measure.qualified or len(context.subjects.parts) > 1:
        return Doubt.QUALIFIED
    if QUALIFIED_LATER.search(context.text, clause.start, clause.end) and "adjusted" not in measure.text.lower():
        return Doubt.QUALIFIED
    return None


def _measure_of(context: Context, clause: Clause, number: Number, place: tuple[int, int]) -> Measure | None:
    """Return the measure of a number: the nearest before it in its clause, or behind it, or that of the sentence."""
    every = context.subjects.measures
    own = [each for each in every if clause.holds(each.start)]
    at, count = place
    first = min((each.start for each in context.figures if clause.holds(each.start)), default=0)
    joined = [each for each in own if each.end <= first]
    if count > 1 and len(own) == count and (len(joined) == count or RESPECTIVELY.search(context.text)):
        return own[at]
    before = [each for each in own if each.end <= number.start]
    if before:
        return before[-1]
    behind = [each for each in own if each.start >= number.end]
    earlier = [each for each in every if each.end <= clause.start]
    return behind[0] if behind else earlier[-1] if earlier else None


def _company_of(context: Context, at: int, place: tuple[int, int] = (0, 1)) -> tuple[str, Doubt | None]:
    mentions = context.subjects.companies
    if not mentions:
        if len(context.companies) == 1:
            return context.companies[0], None
        return "", Doubt.SEVERAL_COMPANIES if context.companies else Doubt.NO_COMPANY
    number, count = place
    if count > 1 and len(mentions) == count and RESPECTIVELY.search(context.text):
        chosen = mentions[number]
    else:
        before = [each for each in mentions if each.end <= at]
        behind = [each for each in mentions if each.start > at and _is_of(context.text, at, each.start)]
        chosen = behind[0] if behind and len(mentions) > 1 else before[-1] if before else mentions[0]
    return (chosen.companies[0], None) if len(chosen.companies) == 1 else ("", Doubt.SEVERAL_COMPANIES)


def _is_of(text: str, at: int, start: int) -> bool:
    """Return whether "for", "at" or "of" ties what stands at a place to a name: "3,000 million for Ostrel"."""
    between = text[at:start].split()
    return 0 < len(between) <= 5 and between[-1].lower() in ("for", "at", "of", "bei", "für", "von", "by")


def _extreme(context: Context, clause: Clause, measures: Sequence[Measure]) -> Claim | None:
    text = context.text
    low = RECORD_LOW.search(text, clause.start, clause.end) or SMALLEST.search(text, clause.start, clause.end)
    high = RECORD.search(text, clause.start, clause.end) or LARGEST.search(text, clause.start, clause.end)
    found = low or high
    if found is None:
        return None
    measure = min(measures, key=lambda each: min(abs(each.start - found.end()), abs(found.start() - each.end)))
    since, in_years = SINCE.search(text, clause.start), IN_YEARS.search(text, clause.start)
    company, doubt = _company_of(context, measure.start)
    since_at = since.start("year") if since else -1
    own = [each for each in context.periods if not each.start <= since_at < each.end]
    when = own[0].when if own else context.when
    first = int(since["year"]) if since else None
    if in_years and when:
        said = in_years["count"].lower()
        first = when.period.fiscal_year - (COUNTS.get(said) or int(said)) + 1
    return context.claim(
        clause,
        sort=ClaimSort.SUPERLATIVE,
        company=company,
        concept=measure.concept,
        measure=measure.text,
        part=context.subjects.parts[0] if len(context.subjects.parts) == 1 else "",
        when=when,
        extreme=-1 if low else 1,
        since=first,
        negated=NEGATION.search(text, clause.start, clause.end) is not None,
        doubt=_doubt(context, measure, clause) or doubt or (Doubt.NO_PERIOD if when is None else None),
        named=context.subjects.unknown[0] if context.subjects.unknown else "",
    )


def _between_companies(context: Context, clause: Clause, measures: Sequence[Measure]) -> Claim | None:
    names = [each for each in context.subjects.companies if clause.holds(each.start)]
    told = MORE_THAN.search(context.text, clause.start, clause.end)
    if told is None or len(names) != 2 or not names[0].end <= told.start() <= told.end() <= names[1].start:
        return None
    when = context.periods[0].when if len({each.when for each in context.periods}) == 1 else context.when
    sure = all(len(each.companies) == 1 for each in names)
    return context.claim(
        clause,
        sort=ClaimSort.COMPARISON,
        company=names[0].companies[0],
        other=names[1].companies[0],
        concept=measures[0].concept,
        measure=measures[0].text,
        when=when,
        direction=1 if told["more"] else -1,
        negated=NEGATION.search(context.text, clause.start, clause.end) is not None,
        doubt=_doubt(context, measures[0], clause)
        or (None if sure else Doubt.SEVERAL_COMPANIES)
        or (Doubt.NO_PERIOD if when is None else None),
    )


def _direction(context: Context, clause: Clause, moving: Sequence[Moving], measures: Sequence[Measure]) -> Claim:
    word = moving[0]
    before = [each for each in measures if each.end <= word.start]
    measure = before[-1] if before else measures[0]
    company, companies_doubt = _company_of(context, measure.start)
    own = [each for each in context.periods if clause.holds(each.start)] or list(context.periods)
    when, base, doubt = times_of_change(context, own, list(dict.fromkeys(each.when for each in own)))
    sign = -1 if NEGATIVE.search(measure.text) else 0
    opposite = len({each.direction for each in moving}) > 1
    return context.claim(
        clause,
        sort=ClaimSort.CHANGE,
        company=company,
        concept=measure.concept,
        measure=measure.text,
        part=context.subjects.parts[0] if len(context.subjects.parts) == 1 else "",
        when=when,
        base=base,
        direction=word.direction,
        negated=NEGATION.search(context.text, clause.start, clause.end) is not None,
        doubt=_doubt(context, measure, clause)
        or companies_doubt
        or doubt
        or (Doubt.LOOSE_NUMBER if opposite or sign else None),
        named=context.subjects.unknown[0] if context.subjects.unknown else "",
    )


def _nearest(moving: Sequence[Moving], at: int) -> int | None:
    if not moving:
        return None
    return min(moving, key=lambda each: abs(each.start - at)).direction


def _around(text: str, measure: Measure, number: Number) -> str:
    """Return the words of a measure, and those between it and its number."""
    start, end = min(measure.start, number.start), max(measure.end, number.end)
    lead = max(0, measure.start - 12)
    return (
        f"{text[lead : measure.end]} {text[start:end]}"
        if PRIOR.search(text[lead : measure.start]) is None
        else text[start:end]
    )


def _join_ranges(text: str, figures: Sequence[Number]) -> list[tuple[Number, Number | None]]:
    """Return the figures, those of "between 10 and 15" and "10 to 15 million" as one."""
    joined: list[tuple[Number, Number | None]] = []
    taken = False
    for at, each in enumerate(figures):
        if taken:
            taken = False
            continue
        after = figures[at + 1] if at + 1 < len(figures) else None
        middle = text[each.end : after.start].strip().lower() if after else ""
        before = text[max(0, each.start - 12) : each.start].lower()
        between = ("between" in before or "zwischen" in before) and middle in ("and", "und")
        bare = each.unit is NumberUnit.PLAIN or (after is not None and after.unit is each.unit)
        taken = after is not None and bare and (between or middle in ("-", "\u2013", "\u2014"))
        joined.append((each, after if taken else None))
    return joined
