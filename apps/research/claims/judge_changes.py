"""Decide on what is said of several figures: changes, directions, extremes, and which of two companies has more."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Final

from apps.filings.text.numbers import NumberUnit, round_to
from apps.research.claims.comparing import TOLERANCE, Compared, Likeness, compare_values, number_of, written_like
from apps.research.claims.contracts import Claim, Doubt, Finding, Verdict
from apps.research.claims.facts_held import (
    HeldFacts,
    Value,
    labels_of,
    operand,
    period_label,
    values_of,
)
from apps.research.claims.judge import NOT_HELD, figure, find_point, searched_for, suggest, turn

_FLAT_WITHIN: Final = Decimal("0.01")
_FEWEST_YEARS: Final = 3
_SIGNS: Final = {1: ">", -1: "<", 0: "="}
_POINTS: Final = (NumberUnit.POINTS, NumberUnit.BASIS_POINTS)


def judge_change(claim: Claim, held: HeldFacts, *, tolerance: Decimal = TOLERANCE) -> Finding:
    """Return the verdict on a change between two periods, with a number or without."""
    later, earlier = (find_point(claim, held, claim.company, each) for each in (claim.when, claim.base))
    if isinstance(later, Finding):
        return later
    if isinstance(earlier, Finding):
        return earlier
    series, point = later
    if earlier[0].key != series.key:
        return _unsure(claim)
    pairs = [(one, other) for one in reversed(values_of(point)) for other in reversed(values_of(earlier[1]))]
    judged = [(_of_pair(claim, *pair, tolerance=tolerance), pair) for pair in pairs]
    if all(each is None for each, _ in judged):
        return _unsure(claim)
    compared, (one, other) = min(
        ((each, pair) for each, pair in judged if each is not None), key=lambda told: told[0].likeness
    )
    verdict = {Likeness.SAME: Verdict.CONFIRMED, Likeness.NEAR: Verdict.MOSTLY_ACCURATE}.get(
        compared.likeness, Verdict.CONTRADICTED
    )
    share = _share(one, other)
    shown = f"{_shown(one)} - {_shown(other)} = {figure(one.value - other.value, one.fact.unit, one.fact.currency)}"
    if share is not None and one.fact.unit != "percent":
        shown = f"{shown}; {_percent(share)}"
    finding = Finding(
        claim=claim,
        verdict=verdict,
        reason=compared.why or _changed(one, other),
        expression=shown,
        operands=(operand(one.fact), operand(other.fact)),
        searched=searched_for(claim, held, series),
    )
    if verdict is Verdict.CONTRADICTED and claim.number is not None:
        correct = _correct(claim, one, other)
        finding = suggest(
            finding,
            written_like(claim, abs(correct)) if correct is not None and _goes(one, other) == claim.direction else "",
        )
    return turn(finding)


def judge_extreme(claim: Claim, held: HeldFacts) -> Finding:
    """Return the verdict on "record" and "highest since": of the years that are held, which are named."""
    found = find_point(claim, held, claim.company, claim.when)
    if isinstance(found, Finding):
        return found
    series, point = found
    first = claim.since if claim.since is not None else 0
    others = [
        each
        for each in series.points
        if each is not point
        and (each.fiscal_quarter, each.months) == (point.fiscal_quarter, point.months)
        and first <= each.fiscal_year < point.fiscal_year
    ]
    years = labels_of([*others, point])
    searched = replace(searched_for(claim, held, series), periods=years)
    value = values_of(point)[-1]
    beyond = [each for each in others if (values_of(each)[-1].value - value.value) * claim.extreme >= 0]
    operands = [operand(values_of(each)[-1].fact) for each in (*beyond[:1], point)] if beyond else [operand(value.fact)]
    word = "highest" if claim.extreme > 0 else "lowest"
    shown = " · ".join(
        f"{period_label(each.fiscal_year, each.fiscal_quarter)}: {_amount(values_of(each)[-1])}"
        for each in (*others, point)
    )
    finding = Finding(
        claim=claim,
        verdict=Verdict.CONFIRMED,
        reason=f"It is the {word} of the periods held: {', '.join(years)}.",
        expression=shown,
        operands=tuple(operands),
        searched=searched,
    )
    if beyond:
        label = period_label(beyond[0].fiscal_year, beyond[0].fiscal_quarter)
        return turn(
            replace(
                finding,
                verdict=Verdict.CONTRADICTED,
                reason=f"{label} was not {'lower' if claim.extreme > 0 else 'higher'}.",
            )
        )
    if not others:
        return replace(finding, verdict=Verdict.NOT_FOUND, reason=NOT_HELD, expression="", operands=())
    wanted = point.fiscal_year - first + 1 if claim.since is not None else _FEWEST_YEARS
    if len(others) + 1 < wanted:
        return turn(replace(finding, verdict=Verdict.PARTIALLY_SUPPORTED))
    return turn(finding)


def judge_companies(claim: Claim, held: HeldFacts) -> Finding:
    """Return the verdict on which of two companies has more of a measure in one period."""
    one, other = (find_point(claim, held, each, claim.when) for each in (claim.company, claim.other))
    if isinstance(one, Finding):
        return one
    if isinstance(other, Finding):
        return other
    if (one[0].key.unit, one[0].key.currency) != (other[0].key.unit, other[0].key.currency):
        return _unsure(claim)
    first, second = values_of(one[1])[-1], values_of(other[1])[-1]
    holds = _goes(first, second) == claim.direction
    searched = searched_for(claim, held, one[0])
    return turn(
        Finding(
            claim=claim,
            verdict=Verdict.CONFIRMED if holds else Verdict.CONTRADICTED,
            reason="The figures of the two are so." if holds else "The figures of the two are the other way round.",
            expression=f"{_amount(first)} {_SIGNS[_order(first, second)]} {_amount(second)}",
            operands=(operand(first.fact), operand(second.fact)),
            searched=replace(
                searched, companies=(claim.company, claim.other), facts=searched.facts + held.count(claim.other, claim)
            ),
        )
    )


def _of_pair(claim: Claim, one: Value, other: Value, *, tolerance: Decimal) -> Compared | None:
    """Return how a claim fits the change between two values; None if it has no sense for them."""
    went = _goes(one, other)
    share = _share(one, other)
    if claim.number is None:
        flat = share is not None and abs(share) <= _FLAT_WITHIN
        fits = flat if claim.direction == 0 else went == claim.direction
        return Compared(likeness=Likeness.SAME if fits else Likeness.OTHER, why=_changed(one, other))
    change = _correct(claim, one, other)
    if change is None:
        relative = claim.number.unit is not NumberUnit.PLAIN
        if relative and claim.number.unit in _POINTS:
            return Compared(likeness=Likeness.OTHER, why="The figure is no percentage, so it changes by no points.")
        return None
    if claim.number.currency and one.fact.currency and claim.number.currency != one.fact.currency:
        return Compared(likeness=Likeness.OTHER, why=f"The figure is in {one.fact.currency}.")
    if went != claim.direction:
        return Compared(likeness=Likeness.OTHER, why=_changed(one, other))
    number = claim.number
    exact = number.unit is NumberUnit.PLAIN or number.unit in _POINTS
    step = max((each.fact.exponent or 0) - each.fact.decimals for each in (one, other)) if exact else None
    if number.unit is NumberUnit.BASIS_POINTS and step is not None:
        step += 2
    compared = compare_values(
        number, number.scaled, abs(change), held_step=step, leeway=claim.leeway, tolerance=tolerance
    )
    return compared if compared.why != "rounded" else replace(compared, why="")


def _correct(claim: Claim, one: Value, other: Value) -> Decimal | None:
    """Return the change in the unit of the claim's number; None if that has no sense."""
    number = number_of(claim)
    if number.unit in _POINTS:
        if one.fact.unit != "percent":
            return None
        return (one.value - other.value) * (100 if number.unit is NumberUnit.BASIS_POINTS else 1)
    if number.percent:
        share = _share(one, other)
        return None if share is None else share * 100
    return None if one.fact.unit == "percent" else one.value - other.value


def _share(one: Value, other: Value) -> Decimal | None:
    """Return the change as a share of what was before; None where that was nothing, or signs differ."""
    if other.value == 0 or (one.value < 0) != (other.value < 0):
        return None
    return (abs(one.value) - abs(other.value)) / abs(other.value)


def _order(one: Value, other: Value) -> int:
    return (one.value > other.value) - (one.value < other.value)


def _goes(one: Value, other: Value) -> int:
    costs = one.value < 0 and other.value < 0
    first, second = (abs(one.value), abs(other.value)) if costs else (one.value, other.value)
    return (first > second) - (first < second)


def _changed(one: Value, other: Value) -> str:
    went = {1: "higher than", -1: "lower than", 0: "the same as"}[_goes(one, other)]
    return f"{_label(one)} was {went} {_label(other)}."


def _label(value: Value) -> str:
    return period_label(value.fact.fiscal_year, value.fact.fiscal_quarter)


def _amount(value: Value) -> str:
    return figure(value.value, value.fact.unit, value.fact.currency)


def _shown(value: Value) -> str:
    return f"{_amount(value)} ({_label(value)})"


def _percent(share: Decimal) -> str:
    rounded = round_to(share * 100, 1)
    return f"{rounded if rounded is not None else share * 100:+} %"


def _unsure(claim: Claim) -> Finding:
    return Finding(claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=Doubt.LOOSE_NUMBER.value)
