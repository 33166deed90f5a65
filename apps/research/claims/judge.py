"""Decide what becomes of a claim, from facts alone. Pure; a sentence without figures is looked up in passages."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import Final

from apps.filings.numbers import plain_number, scale_of, scaled_number
from apps.filings.selectors.series import Point, Series
from apps.filings.text.numbers import read_numbers
from apps.research.claims.comparing import TOLERANCE, Likeness, compare, number_of, written_like
from apps.research.claims.contracts import Claim, ClaimSort, Doubt, Finding, Searched, Verdict, When
from apps.research.claims.facts_held import (
    HeldFacts,
    is_calendar_year,
    labels_of,
    operand,
    period_label,
    points_of,
    values_of,
)

NOT_HELD: Final = "No figure for this is held among what may be read for this claim."
_NOT_FOUND: Final = frozenset({Doubt.OTHER_COMPANY, Doubt.QUALIFIED})
_VERDICTS: Final = {
    Likeness.SAME: Verdict.CONFIRMED,
    Likeness.NEAR: Verdict.MOSTLY_ACCURATE,
    Likeness.SCALE_OMITTED: Verdict.PARTIALLY_SUPPORTED,
    Likeness.OTHER: Verdict.CONTRADICTED,
}
IN_WORDS: Final = frozenset({ClaimSort.EVENT, ClaimSort.ATTRIBUTION, ClaimSort.STATEMENT})
_OF_LANGUAGE: Final = {
    "en": re.compile(
        r"\b(?:thousands?|millions?|billions?|trillions?|bn|mn|[mkb])\b|^\D*\d+(?:\.\d+)?\D*$", re.IGNORECASE
    ),
    "de": re.compile(
        r"\b(?:Tsd|Tausend|Mio|Mrd|Millionen|Milliarden?|Billionen)\b|^\D*\d+(?:,\d+)?\D*$", re.IGNORECASE
    ),
}
"""What shows that a number is written as its sentence's language writes numbers."""


def doubtful(claim: Claim) -> Finding | None:
    """Return what becomes of a claim that no fact is asked about; None for others."""
    if claim.doubt is None:
        return None
    verdict = Verdict.NOT_FOUND if claim.doubt in _NOT_FOUND else Verdict.NOT_CHECKABLE
    return Finding(claim=claim, verdict=verdict, reason=claim.doubt.value)


def judge_value(claim: Claim, held: HeldFacts, *, tolerance: Decimal = TOLERANCE) -> Finding:
    """Return the verdict on a figure of one period."""
    number = number_of(claim)
    found = find_point(claim, held, claim.company, claim.when)
    if isinstance(found, Finding):
        return found
    series, point = found
    values = values_of(point)
    compared = [compare(claim, each.value, each.fact, tolerance=tolerance) for each in values]
    best = min(range(len(values)), key=lambda at: (compared[at].likeness, -at))
    value, likeness, why = values[best], compared[best].likeness, compared[best].why
    if likeness is Likeness.OTHER:
        value = values[-1]
    verdict, reason = _VERDICTS[likeness], _reason(likeness, why, point)
    if likeness is Likeness.SAME and not value.latest:
        verdict, reason = Verdict.PARTIALLY_SUPPORTED, "A later document restates this figure."
    elif likeness is Likeness.SAME and len(values) > 1:
        reason = "It is the figure as a later document restates it."
    if value.fact.check_result == "failed":
        reason = f"{reason} A sum that the figure belongs to does not hold."
    used = values if len(values) > 1 else (value,)
    shown = " · ".join(
        f"{period_label(fact.fiscal_year, fact.fiscal_quarter)}: {figure(fact.value, fact.unit, fact.currency)}"
        for fact in (each.fact for each in used)
    )
    finding = Finding(
        claim=claim,
        verdict=verdict,
        reason=reason,
        expression=shown,
        operands=tuple(operand(each.fact) for each in used),
        searched=searched_for(claim, held, series),
    )
    if verdict is Verdict.CONTRADICTED:
        otherwise = _reads_otherwise(claim, point, tolerance)
        if otherwise and _OF_LANGUAGE[claim.language].search(number.text) is None:
            return replace(finding, verdict=Verdict.NOT_CHECKABLE, reason=Doubt.SEPARATORS.value)
        told = _elsewhere(claim, series, tolerance) or (Doubt.SEPARATORS.value if otherwise else reason)
        finding = replace(finding, reason=told)
        finding = suggest(finding, written_like(claim, value.value, value.fact.currency))
    return turn(finding)


def find_point(claim: Claim, held: HeldFacts, company: str, when: When | None) -> tuple[Series, Point] | Finding:
    """Return the one point that gives a claim's measure for a period, or the finding that says why there is none."""
    every = held.series(company, claim)
    fitting = [each for each in every if _fits(claim, each)] or every
    searched = Searched(
        companies=(company,) if company else (),
        concepts=(claim.concept or claim.measure,),
        periods=tuple(dict.fromkeys(label for each in fitting for label in labels_of(each.points))),
        facts=held.count(company, claim),
    )
    if when is None or not fitting:
        return Finding(claim=claim, verdict=Verdict.NOT_FOUND, reason=NOT_HELD, searched=searched)
    points = [(each, point) for each in fitting for point in points_of(each, when)]
    if not points:
        return Finding(claim=claim, verdict=Verdict.NOT_FOUND, reason=NOT_HELD, searched=searched)
    if len(points) > 1:
        return _unsure(claim, Doubt.SEVERAL_FIGURES, searched)
    if when.calendar and not is_calendar_year(points[0][1]):
        return _unsure(claim, Doubt.CALENDAR_YEAR, searched)
    return points[0]


def figure(value: Decimal, unit: str, currency: str) -> str:
    """Return a value as an expression shows it."""
    if unit == "percent":
        return f"{plain_number(value)} %"
    exponent = scale_of([value]) if unit in ("money", "shares", "number") else 0
    decimals = max(0, -int(value.scaleb(-exponent).normalize().as_tuple().exponent))
    scale = {3: " thousand", 6: " million", 9: " billion"}.get(exponent, "")
    return f"{f'{currency} ' if currency else ''}{scaled_number(value, exponent, decimals=min(decimals, 6))}{scale}"


def turn(finding: Finding) -> Finding:
    """Return the finding of a claim that says that something is not so."""
    if not finding.claim.negated:
        return finding
    if finding.verdict is Verdict.CONTRADICTED:
        return replace(
            finding,
            verdict=Verdict.CONFIRMED,
            reason="It says that this is not so, and it is not.",
            correct="",
            suggestion="",
        )
    if finding.verdict is Verdict.CONFIRMED:
        return replace(finding, verdict=Verdict.CONTRADICTED, reason="It says that this is not so, and it is.")
    if finding.verdict in (Verdict.MOSTLY_ACCURATE, Verdict.PARTIALLY_SUPPORTED):
        return replace(finding, verdict=Verdict.NOT_CHECKABLE, reason=Doubt.LOOSE_NUMBER.value)
    return finding


def suggest(finding: Finding, correct: str) -> Finding:
    """Return the finding with what would stand in the place of the claim's number."""
    claim = finding.claim
    written = claim.number.text if claim.number is not None else ""
    if claim.negated or claim.upper is not None or correct.rstrip(".") in ("", written.rstrip(".")):
        return finding
    suggestion = claim.text.replace(written, correct, 1) if claim.text.count(written) == 1 else ""
    return replace(finding, correct=correct, suggestion=suggestion)


def searched_for(claim: Claim, held: HeldFacts, series: Series) -> Searched:
    return Searched(
        companies=(series.company,),
        concepts=(claim.concept or claim.measure,),
        periods=labels_of(series.points),
        facts=held.count(series.company, claim),
    )


def _fits(claim: Claim, series: Series) -> bool:
    number = claim.number
    if number is None:
        return True
    if claim.sort is ClaimSort.METRIC and number.percent != (series.key.unit == "percent"):
        return False
    return not (number.currency and series.key.currency and number.currency != series.key.currency)


def _unsure(claim: Claim, doubt: Doubt, searched: Searched) -> Finding:
    return Finding(claim=claim, verdict=Verdict.NOT_CHECKABLE, reason=doubt.value, searched=searched)


def _reason(likeness: Likeness, why: str, point: Point) -> str:
    label = period_label(point.fiscal_year, point.fiscal_quarter)
    if likeness is Likeness.SAME:
        return f"It is the figure of {label}, rounded." if why == "rounded" else f"It is the figure of {label}."
    return why or f"The figure of {label} is another."


def _reads_otherwise(claim: Claim, point: Point, tolerance: Decimal) -> bool:
    """Return whether the number, read with the separators of the other language, would be the figure."""
    if claim.number is None or not any(mark in claim.number.text for mark in ",."):
        return False
    read = read_numbers(claim.number.text, "en" if claim.language == "de" else "de")
    others = [replace(claim, number=each) for each in read if each.scaled != claim.number.scaled]
    likenesses = {
        compare(each, value.value, value.fact, tolerance=tolerance).likeness
        for each in others[:1]
        for value in values_of(point)
    }
    return Likeness.SAME in likenesses


def _elsewhere(claim: Claim, series: Series, tolerance: Decimal) -> str:
    """Return in a sentence of which other period the claimed figure is; empty if of none."""
    same = [
        period_label(each.fiscal_year, each.fiscal_quarter)
        for each in series.points
        if compare(replace(claim, leeway=0), each.value, each.fact, tolerance=tolerance).likeness is Likeness.SAME
    ]
    return f"It is the figure of {', '.join(same)}." if same else ""
