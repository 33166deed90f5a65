"""Claims made of facts, each with its contradicting twins."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from apps.filings.models import Fact
from apps.filings.selectors.series import Point, Series, stitch
from apps.filings.vocabulary.concepts import concepts
from apps.research.claims.contracts import Verdict
from tests.research.phrasings import CHANGE, EXTREME, FROM_TO, METRIC, MOVED, NOUNS

CURRENCIES: Final = {"USD": "EUR", "EUR": "USD"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A claim with the verdicts that are right for its figures, the last number of its sentence last.

    twin: how it was made wrong; empty for a right one.
    """

    text: str
    right: frozenset[Verdict]
    form: str
    phrasing: int
    language: str
    twin: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    company: str
    language: str
    measure: str
    concept: str
    series: Series
    point: Point
    before: Point


CONFIRMED: Final = frozenset({Verdict.CONFIRMED})
CONTRADICTED: Final = frozenset({Verdict.CONTRADICTED})
UNHELD: Final = frozenset({Verdict.CONTRADICTED, Verdict.NOT_FOUND})


def make_claims(facts: Sequence[Fact], languages: dict[str, str], *, seed: int = 19, specs: int = 30) -> list[Made]:
    """Return claims over facts: of each of so many figures five phrasings of each form, and a twin of each class."""
    chosen = random.Random(seed)
    every = list(_specs(facts, languages, chosen))
    chosen.shuffle(every)
    return [made for spec in every[:specs] for made in _of_spec(spec, every, chosen)]


def _specs(facts: Sequence[Fact], languages: dict[str, str], chosen: random.Random) -> Iterator[Spec]:
    for company in sorted({fact.company for fact in facts}):
        own = [fact for fact in facts if fact.company == company and fact.concept and not fact.dimension]
        series = [each for each in stitch(company, own) if each.key.consolidated]
        for each in series:
            same = [other for other in series if other.key.concept == each.key.concept]
            points = [point for point in each.points if point.fiscal_quarter == 0]
            values = {point.value for point in points}
            if len(same) > 1 or each.key.unit != "money" or len(values) != len(points) or len(points) < 2:
                continue
            if len({point.fiscal_year for point in points}) != len(points) or any(each.restatements for each in points):
                continue
            language = languages[company]
            names = [
                name
                for name in concepts()[each.key.concept].labels
                if (name in concepts()[each.key.concept].german) == (language == "de")
                and "loss" not in name.lower()
                and "fehlbetrag" not in name.lower()
                and "verlust" not in name.lower()
                and "(" not in name
            ]
            earlier, point = points[-2:]
            if names and point.value > 0 and earlier.value > 0 and point.fiscal_year == earlier.fiscal_year + 1:
                yield Spec(
                    company=company,
                    language=language,
                    measure=chosen.choice(names[:4]),
                    concept=each.key.concept,
                    series=each,
                    point=point,
                    before=earlier,
                )


def _of_spec(spec: Spec, every: Sequence[Spec], chosen: random.Random) -> Iterator[Made]:
    for phrasing in range(5):
        for form, build in (("metric", _metric), ("change", _change), ("from_to", _from_to), ("extreme", _extreme)):
            yield from (
                replace(each, form=form, phrasing=phrasing, language=spec.language)
                for each in build(spec, every, chosen, phrasing)
            )


def _made(template: str, right: frozenset[Verdict], twin: str = "", **words: Any) -> Made:
    text = template.format(**words)
    return Made(text=text[0].upper() + text[1:], right=right, form="", phrasing=0, language="", twin=twin)


def _metric(spec: Spec, every: Sequence[Spec], chosen: random.Random, phrasing: int) -> Iterator[Made]:
    template = METRIC[spec.language][phrasing]
    value, fact = spec.point.value, spec.point.fact
    words = {"company": spec.company, "measure": spec.measure, "year": spec.point.fiscal_year}
    currency = fact.currency or "USD"
    write = _writer(spec, phrasing)
    yield _made(template, CONFIRMED, value=write(value, currency), **words)
    yield _made(template, CONTRADICTED, "digit", value=write(_other_digit(value, chosen), currency), **words)
    yield _made(
        template, CONTRADICTED, "year", value=write(value, currency), **{**words, "year": spec.before.fiscal_year}
    )
    if fact.currency in CURRENCIES:
        yield _made(template, CONTRADICTED, "unit", value=write(value, CURRENCIES[currency]), **words)
    yield _made(template, CONTRADICTED, "sign", value=f"-{write(value, currency)}", **words)
    yield _made(template, CONTRADICTED, "scale", value=write(value, currency, scale=3), **words)
    others = [each for each in every if each.company == spec.company and each.concept != spec.concept]
    others = [
        each
        for each in others
        if each.point.fiscal_year == spec.point.fiscal_year and not _near(each.point.value, value)
    ]
    if others:
        other = chosen.choice(others)
        yield _made(
            template, CONTRADICTED, "label", value=write(value, currency), **{**words, "measure": other.measure}
        )
    rivals = [each for each in every if each.language == spec.language and each.company != spec.company]
    held = [each for each in rivals if each.concept == spec.concept]
    rival = chosen.choice(held or rivals)
    yield _made(template, UNHELD, "company", value=write(value, currency), **{**words, "company": rival.company})


def _change(spec: Spec, every: Sequence[Spec], chosen: random.Random, phrasing: int) -> Iterator[Made]:
    template = CHANGE[spec.language][phrasing]
    share = (spec.point.value - spec.before.value) / spec.before.value * 100
    if abs(share) < 1 or abs(share) > 400:
        return
    direction = 1 if share > 0 else -1
    words = {
        "company": spec.company,
        "measure": spec.measure,
        "year": spec.point.fiscal_year,
        "before": spec.before.fiscal_year,
        **_moves(spec.language, direction, phrasing),
    }
    percent = _percent(abs(share), spec.language)
    yield _made(template, CONFIRMED, percent=percent, **words)
    wrong = _percent(abs(share) * Decimal("1.3") + 1, spec.language)
    yield _made(template, CONTRADICTED, "digit", percent=wrong, **words)
    points = percent.replace("%", "percentage points" if spec.language == "en" else "Prozentpunkte")
    yield _made(template, CONTRADICTED, "unit", percent=points, **words)
    yield _made(
        template, CONTRADICTED, "direction", percent=percent, **{**words, **_moves(spec.language, -direction, phrasing)}
    )


def _from_to(spec: Spec, every: Sequence[Spec], chosen: random.Random, phrasing: int) -> Iterator[Made]:
    template = FROM_TO[spec.language][phrasing]
    currency = spec.point.fact.currency or "USD"
    write = _writer(spec, 0)
    direction = 1 if spec.point.value > spec.before.value else -1
    words = {
        "company": spec.company,
        "measure": spec.measure,
        "year": spec.point.fiscal_year,
        "before": spec.before.fiscal_year,
        **_moves(spec.language, direction, phrasing),
    }
    value, before = write(spec.point.value, currency), write(spec.before.value, currency)
    yield _made(template, CONFIRMED, value=value, value_before=before, **words)
    wrong = write(_other_digit(spec.before.value, chosen), currency)
    yield _made(template, CONTRADICTED, "digit", value=value, value_before=wrong, **words)
    yield _made(template, CONTRADICTED, "year", value=before, value_before=value, **words)
    if "{moved}" in template:
        opposite = {**words, **_moves(spec.language, -direction, phrasing)}
        yield _made(template, CONTRADICTED, "direction", value=value, value_before=before, **opposite)


def _extreme(spec: Spec, every: Sequence[Spec], chosen: random.Random, phrasing: int) -> Iterator[Made]:
    points = [each for each in spec.series.points if each.fiscal_quarter == 0]
    if len(points) < 3 or points[0].fiscal_year != points[-1].fiscal_year - len(points) + 1:
        return
    template = EXTREME[spec.language][phrasing]
    is_highest = points[-1].value == max(each.value for each in points)
    right = CONFIRMED if is_highest else CONTRADICTED
    words = {"company": spec.company, "measure": spec.measure, "first": points[0].fiscal_year}
    yield _made(template, right, "" if is_highest else "label", year=points[-1].fiscal_year, **words)


def _writer(spec: Spec, phrasing: int) -> Any:
    def write(value: Decimal, currency: str, *, scale: int = 0) -> str:
        fact = spec.point.fact
        exponent = fact.exponent if fact.exponent in (3, 6, 9) else 6
        decimals = (
            max(0, fact.decimals - (fact.exponent or 0) + exponent) if fact.exponent not in (3, 6, 9) else fact.decimals
        )
        if phrasing == 2 and value >= 10**9 and exponent == 6:
            # Rounded, in the next scale.
            exponent, decimals = 9, 2
        size = abs(value).scaleb(-exponent).quantize(Decimal(1).scaleb(-decimals))
        digits = f"{size:,}"
        word = _scale(exponent + scale, spec.language)
        if spec.language == "de":
            digits = digits.translate(str.maketrans(",.", ".,"))
            return f"{digits} {word} {currency}"
        symbol = {"USD": "$", "EUR": "€"}.get(currency, f"{currency} ")
        return f"{symbol}{digits} {word}" if phrasing % 2 == 0 else f"{currency} {digits} {word}"

    return write


def _scale(exponent: int, language: str) -> str:
    english = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}
    german = {3: "Tsd.", 6: "Mio.", 9: "Mrd.", 12: "Billionen"}
    return (german if language == "de" else english)[exponent]


def _moves(language: str, direction: int, phrasing: int) -> dict[str, str]:
    return {"moved": MOVED[language, direction][phrasing], "move_noun": NOUNS[language, direction][phrasing]}


def _percent(share: Decimal, language: str) -> str:
    text = f"{share.quantize(Decimal('0.1'))}"
    return f"{text.replace('.', ',') if language == 'de' else text} %"


def _other_digit(value: Decimal, chosen: random.Random) -> Decimal:
    """Return the value with its second digit changed, and so another one however it is rounded."""
    digits = list(f"{abs(value):f}".split(".")[0])
    at = 1 if len(digits) > 1 else 0
    digits[at] = str((int(digits[at]) + chosen.choice((2, 3, 4, 5))) % 10)
    return Decimal("".join(digits))


def _near(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= max(abs(one), abs(other)) * Decimal("0.02")
