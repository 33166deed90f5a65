"""The right answers: statements in their forms, answers of several sentences, and answers about words."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from tests.evaluation.checking.bases import Base
from tests.evaluation.checking.forms import Form, answer_forms, question_forms
from tests.evaluation.checking.growth import phrases
from tests.evaluation.checking.layouts import earlier_report, passages
from tests.evaluation.checking.said import Statement
from tests.evaluation.checking.statements import MATERIAL, Company, Fact, Passage, companies
from tests.evaluation.checking.voice import draw_voice, say
from tests.evaluation.checking.wanted import statements

_PER_FORM: Final = 3
_PER_STORY: Final = 2
_TERSE_CHARS: Final = 45


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Right:
    """A right answer. Of `base` and `fact` one is set."""

    id: str
    style: str
    form: str
    language: str
    question: str
    passages: tuple[Passage, ...]
    answer: str
    refs: tuple[str, ...]
    base: Base | None = None
    fact: tuple[Fact, int] | None = None


def from_forms(set_: str, rng: Random) -> Iterator[Right]:
    """Say statements in each form of the set."""
    by_kind: dict[tuple[str, str], list[Statement]] = {}
    for company in companies(set_):
        for statement in statements(company):
            by_kind.setdefault((statement.kind, company.language), []).append(statement)
            if company.english and _has_english(statement):
                by_kind.setdefault((statement.kind, "en"), []).append(statement)
    asked: Counter[str] = Counter()
    for number, form in enumerate(answer_forms(set_), start=1):
        pool = [each for each in by_kind.get((form.kind, form.language), []) if _suits(form, each)]
        if not pool:
            raise ValueError(f"no statement for the form {form.text!r}")
        for count, statement in enumerate(_spread_out(pool, asked, rng), start=1):
            right = _right(form, statement, set_, f"{set_}-{number:03}-{count}", rng)
            if right:
                yield right


def from_stories(set_: str, rng: Random) -> Iterator[Right]:
    """Answers of several sentences: a change in a figure, and the reasons that a paragraph gives."""
    by_slug = {company.slug: company for company in companies(set_)}
    stories = tomllib.loads((MATERIAL / set_ / "stories.toml").read_text(encoding="utf-8"))["story"]
    for number, story in enumerate(stories, start=1):
        company = by_slug[story["company"]]
        form = Form(kind="change", style="prose", language=company.language, text=story["text"])
        changes = (each for each in statements(company) if each.kind == "change")
        statement = next(each for each in changes if each.measures["m"].key == story["key"])
        for count in range(1, _PER_STORY + 1):
            right = _right(form, statement, set_, f"{set_}-story-{number:02}-{count}", rng, story=story)
            if right:
                yield right


def _has_english(statement: Statement) -> bool:
    english = statement.company.english
    known = all(cell.key.rpartition(":")[2] in english for cell in statement.measures.values())
    return known and not {"ratio", "l", "l0", "of"} & set(statement.words)


def _suits(form: Form, statement: Statement) -> bool:
    if "c" in form.slots:
        ratio = statement.figures["v1"].value / statement.figures["v0"].value
        return bool(phrases(ratio, form.language)[0])
    return True


def _spread_out(pool: list[Statement], asked: Counter[str], rng: Random) -> list[Statement]:
    """Draw statements of different companies, first of those that have been asked about least."""
    rng.shuffle(pool)
    pool.sort(key=lambda each: asked[each.company.slug] // 4)
    chosen: list[Statement] = []
    for statement in pool:
        if statement.company.slug not in {each.company.slug for each in chosen}:
            chosen.append(statement)
            asked[statement.company.slug] += 1
        if len(chosen) == _PER_FORM:
            return chosen
    rest = [each for each in pool if each not in chosen]
    return [*chosen, *rest[: _PER_FORM - len(chosen)]]


def _right(
    form: Form, statement: Statement, set_: str, id_: str, rng: Random, *, story: dict[str, Any] | None = None
) -> Right | None:
    company = statement.company
    voice = draw_voice(rng, company, form)
    refs = statement.refs if story is None else (*statement.refs, f"{company.slug}|{company.told[0]['id']}")
    wrong = [each.split(" => ") for each in story["wrong"]] if story else []
    given, rivals = _passages(company, refs, set_, rng)
    base = Base(
        form=form,
        statement=statement,
        voice=voice,
        passages=given,
        rivals=rivals,
        wrong=tuple((old, new) for old, new in wrong),
    )
    shown = [base.shown(slot) for slot in ("v1", "v0") if slot in form.slots]
    if len(shown) == 2 and shown[0] and shown[1] and shown[0].text == shown[1].text:
        return None  # two figures that are rounded to one
    return Right(
        id=id_,
        style=form.style,
        form=form.text,
        language=form.language,
        question=_question(form, statement, rng, story["ask"] if story else ""),
        passages=given,
        answer=say(form, statement, voice),
        refs=refs,
        base=base,
    )


def _question(form: Form, statement: Statement, rng: Random, told: str) -> str:
    plain = Form(kind=form.kind, style="", language=form.language, text=told)
    asked = plain if told else rng.choice(question_forms(form.kind, form.language))
    voice = draw_voice(rng, statement.company, Form(kind="", style="calc", language=form.language, text=""))
    return say(asked, statement, voice)


def _passages(
    company: Company, refs: Sequence[str], set_: str, rng: Random
) -> tuple[tuple[Passage, ...], tuple[Company, ...]]:
    """Choose the passages that hold the figures and one or two beside them; and companies in whose name one may err."""
    own = passages(company)
    given = [each for each in own if each.ref_id in refs]
    others = [each for each in companies(set_) if each is not company]
    near = [each for each in others if each.sector == company.sector] or others
    rivals = rng.sample(others, 2)
    roll = rng.random()
    if roll < 0.25:
        given.append(rng.choice([each for each in own if each.ref_id not in refs] or list(own[:1])))
    elif roll < 0.65:
        rival = rng.choice(near)
        given.append(passages(rival)[0])
        rivals.insert(0, rival)
    elif roll < 0.85 and (earlier := earlier_report(company, refs[0].split("|", 1)[1])):
        given.append(earlier)
    given = list({each.ref_id: each for each in given}.values())
    rng.shuffle(given)
    return tuple(given), tuple(rivals)


def from_facts(set_: str, rng: Random) -> Iterator[Right]:
    """The answers that were written whole, about what the paragraphs say."""
    for company in companies(set_):
        for number, fact in enumerate(company.facts, start=1):
            given, _ = _passages(company, (fact.ref_id,), set_, rng)
            for which, answer in enumerate(fact.right):
                yield Right(
                    id=f"{set_}-{company.slug}-{number}-{which + 1}",
                    style="terse" if len(answer) < _TERSE_CHARS else "prose",
                    form="",
                    language=company.language,
                    question=fact.ask,
                    passages=given,
                    answer=answer,
                    refs=(fact.ref_id,),
                    fact=(fact, which),
                )
