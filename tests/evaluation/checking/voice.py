"""How one answer speaks: which names, units, places and turns it uses; and the statement said in that voice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Final

from tests.evaluation.checking import wording
from tests.evaluation.checking.forms import Form, fill
from tests.evaluation.checking.growth import phrases
from tests.evaluation.checking.said import Figure, Statement
from tests.evaluation.checking.statements import Cell, Company, Name
from tests.evaluation.checking.wording import Shown

_YEARS_EN: Final = ("{}", "{}", "fiscal {}", "FY{short}", "FY{}", "fiscal year {}")
_QUARTERS: Final = {"1": "first", "2": "second", "3": "third", "4": "fourth"}
_EARLIER: Final = {
    ("en", "year"): ("a year earlier", "the year before", "a year earlier"),
    ("en", "quarter"): ("a quarter earlier", "the quarter before"),
    ("de", "year"): ("ein Jahr zuvor",),
    ("de", "quarter"): ("ein Quartal zuvor",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The choices that an answer makes once. `up`: places of an amount in the next larger scale; 0 for the table's."""

    language: str
    company: str
    it: str
    name: int
    year: str
    money: str
    up: int
    percent: str
    points: str
    earlier: int
    growth: int
    quarters_in_words: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a wrong answer says instead, by slot. turned: `u` and `x` for a choice of words, `-g` for a sign."""

    figures: Mapping[str, Shown] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, Name] = field(default_factory=dict)
    periods: Mapping[str, str] = field(default_factory=dict)
    turned: frozenset[str] = frozenset()
    company: str = ""
    replaced: tuple[str, str] = ("", "")


NONE: Final = Changes()


def draw_voice(rng: Random, company: Company, form: Form) -> Voice:
    """Draw the choices of one answer."""
    german = form.language == "de"
    moneys = wording.MONEY_DE if german else wording.MONEY_EN
    money = rng.choice(moneys if german or company.scale != "thousand" else (*moneys[:3], wording.FULL))
    up = rng.choice((0, 2, 2, 1)) if form.style == "prose" else rng.choice((0, 0, 0, 2))
    return Voice(
        language=form.language,
        company=rng.choice((company.name, company.short, company.short)),
        it=rng.choice(company.it) if form.language == company.language else "the company",
        name=rng.randrange(3),
        year="{}" if german else rng.choice(_YEARS_EN),
        money=money,
        up=0 if money == wording.FULL else up,
        percent=rng.choice(wording.PERCENT_DE if german else wording.PERCENT_EN),
        points=rng.choice(wording.POINTS_DE if german else wording.POINTS_EN),
        earlier=rng.randrange(3),
        growth=rng.randrange(6),
        quarters_in_words=rng.random() < 0.5 and not german,
    )


def shown(figure: Figure, company: Company, voice: Voice, *, bare: bool) -> Shown:
    """Show a figure. bare: as the table prints it, in the table's scale. The sign is left to the one who writes it."""
    value, language = figure.value if figure.cell else abs(figure.value), voice.language
    match figure.kind:
        case "money":
            scale = figure.cell.scale if figure.cell else company.scale
            return wording.money(
                value,
                places=figure.places,
                scale=scale,
                currency=company.currency,
                language=language,
                template="{num}" if bare else voice.money,
                up=0 if bare else voice.up,
            )
        case "share":
            template = "{num}" if bare else ("{num} {code}" if language == "de" else "{sign}{num}")
            return _plain("share", template, figure, value, voice, company.currency)
        case "percent":
            return _plain("percent", voice.percent, figure, value, voice)
        case "points":
            return _plain("points", voice.points, figure, value, voice)
        case "times":
            return _plain("times", "{num}" if bare or figure.places > 2 else "{num} times", figure, value, voice)
        case _:
            named = figure.cell and any(figure.unit in name.text for name in figure.cell.names)
            template = "{num}" if bare or named else "{num} {unit}"
            return Shown(
                kind="count",
                template=template,
                num=wording.written(value, figure.places, language),
                language=language,
                unit=figure.unit,
            )


def _plain(kind: str, template: str, figure: Figure, value: Decimal, voice: Voice, currency: str = "") -> Shown:
    num = wording.written(value, figure.places, voice.language)
    return Shown(kind=kind, template=template, num=num, language=voice.language, currency=currency)


def name_of(cell: Cell, company: Company, voice: Voice) -> Name:
    """The name that the voice has for the measure of a cell."""
    if voice.language != company.language:
        return english_name(cell, company)
    return cell.names[voice.name % len(cell.names)]


def english_name(cell: Cell, company: Company) -> Name:
    """What an English answer calls a measure of a German report."""
    called = company.english[cell.key.rpartition(":")[2]]
    text = called.rstrip("+")
    return Name(text=f"{company.english['segments']} in {text}" if cell.segment else text, plural=called.endswith("+"))


def period_text(period: str, voice: Voice) -> str:
    """A period in the voice's form."""
    if period.startswith("Q"):
        return f"the {_QUARTERS[period[1]]} quarter of {period[3:]}" if voice.quarters_in_words else period
    return voice.year.format(period, short=period[2:])


def say(form: Form, statement: Statement, voice: Voice, changes: Changes = NONE) -> str:
    """Say the statement, with what a wrong answer changes."""
    company = statement.company
    values = {"co": changes.company or voice.company, "it": voice.it, "report": company.report, **statement.words}
    names = {
        slot: changes.names.get(slot) or name_of(cell, company, voice) for slot, cell in statement.measures.items()
    }
    for slot, name in names.items():
        values[slot], values[f"{slot}0"] = name.text, name.bare
    for slot, period in statement.periods.items():
        values[slot] = period_text(changes.periods.get(slot, period), voice)
    for slot, figure in statement.figures.items():
        values |= _figure_texts(slot, figure, company, voice, changes)
    values |= _comparisons(statement, voice)
    values |= changes.texts

    def plural(before: str) -> bool:
        found = [(before.lower().rfind(f"{{{slot}"), name) for slot, name in names.items()]
        place, name = max(found, key=lambda each: each[0], default=(-1, None))
        return (name if place >= 0 else next(iter(names.values()))).plural if name else False

    up = statement.up != ("u" in changes.turned)
    first = statement.first != ("x" in changes.turned)
    text = fill(form, values, up=up, first=first, plural=plural)
    old, new = changes.replaced
    return text.replace(old, new) if old else text


def _figure_texts(slot: str, figure: Figure, company: Company, voice: Voice, changes: Changes) -> dict[str, str]:
    wide = changes.figures.get(slot) or shown(figure, company, voice, bare=False)
    bare = changes.figures.get(slot) or shown(figure, company, voice, bare=True)
    negative = (figure.value < 0) != (f"-{slot}" in changes.turned)
    sign = "-" if negative and not figure.cell else ""
    number = bare.text if figure.kind in ("percent", "points") else bare.num
    return {slot: wide.text, f"{slot}#": number, f"{slot}-": sign + number}


def _comparisons(statement: Statement, voice: Voice) -> dict[str, str]:
    if "p0" not in statement.periods:
        return {}
    same_kind = _EARLIER[voice.language, span(statement)]
    said = {"e": same_kind[voice.earlier % len(same_kind)]}
    said["e2"] = {"year": "the year before", "quarter": "the quarter before"}[span(statement)]
    if "g" in statement.figures:
        true, _ = phrases(statement.figures["v1"].value / statement.figures["v0"].value, voice.language)
        if true:
            m = next(iter(statement.measures.values()))
            plural = name_of(m, statement.company, voice).plural
            said["c"] = conjugate(true[voice.growth % len(true)], plural=plural)
    return said


def span(statement: Statement) -> str:
    """What lies between the two periods: a year or a quarter."""
    now, before = statement.periods["p1"], statement.periods["p0"]
    return "quarter" if now.startswith("Q") and now[1] != before[1] else "year"


def conjugate(phrase: str, *, plural: bool) -> str:
    """A German phrase names both numbers of its verb: `stieg|stiegen leicht`."""
    verb, _, rest = phrase.partition(" ")
    return f"{verb.split('|')[-1 if plural else 0]} {rest}".strip() if "|" in verb else phrase
