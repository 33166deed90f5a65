"""Write the cases: `python -m tests.evaluation.checking.build` makes `open.jsonl` and `kept.jsonl`, the same bytes each time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.evaluation.checking.forms import Form, answer_forms, question_forms
from tests.evaluation.checking.growth import phrases
from tests.evaluation.checking.layouts import earlier_report, passages
from tests.evaluation.checking.mutations import CLASSES, Base, mutations
from tests.evaluation.checking.replies import calculations, claims, with_marks
from tests.evaluation.checking.said import Statement
from tests.evaluation.checking.statements import Company, Fact, Passage, companies
from tests.evaluation.checking.voice import draw_voice, say
from tests.evaluation.checking.wanted import statements

SETS: Final = ("open", "kept")
_FOLDER: Final = Path(__file__).parent
_SEED: Final = 20241
_PER_FORM: Final = 3
_STOPS_PER_CLASS: Final = {"open": 66, "kept": 34}
_PER_FORM_AND_CLASS: Final = 4
_SHARE_OF_FACTS: Final = 0.35
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A wrong answer, with its claims and calculations if they follow it."""

    of: Right
    class_: str
    answer: str
    claims: list[dict[str, Any]]
    calculations: list[dict[str, Any]]


def lines(set_: str) -> list[str]:
    """The lines of a set's file."""
    rng = Random(f"{_SEED} {set_}")
    right = [*_from_forms(set_, rng), *_from_facts(set_, rng)]
    wrong = _wrong(set_, right, rng)
    cases = [*_right_cases(right, rng), *_wrong_cases(set_, wrong, rng)]
    return [json.dumps(case, ensure_ascii=False) for case in cases]


def main() -> None:
    for set_ in SETS:
        made = lines(set_)
        (_FOLDER / f"{set_}.jsonl").write_text("\n".join(made) + "\n", encoding="utf-8")
        counted = Counter(json.loads(line)["class"] for line in made)
        print(set_, len(made), dict(sorted(counted.items())))


# --- right answers ---


def _from_forms(set_: str, rng: Random) -> Iterator[Right]:
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


def _right(form: Form, statement: Statement, set_: str, id_: str, rng: Random) -> Right | None:
    company = statement.company
    voice = draw_voice(rng, company, form)
    given, rivals = _passages(company, statement.refs, set_, rng)
    base = Base(form=form, statement=statement, voice=voice, passages=given, rivals=rivals)
    shown = [base.shown(slot) for slot in ("v1", "v0") if slot in form.slots]
    if len(shown) == 2 and shown[0] and shown[1] and shown[0].text == shown[1].text:
        return None  # two figures that are rounded to one
    return Right(
        id=id_,
        style=form.style,
        form=form.text,
        language=form.language,
        question=_question(form, statement, rng),
        passages=given,
        answer=say(form, statement, voice),
        refs=statement.refs,
        base=base,
    )


def _question(form: Form, statement: Statement, rng: Random) -> str:
    asked = rng.choice(question_forms(form.kind, form.language))
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


def _from_facts(set_: str, rng: Random) -> Iterator[Right]:
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


# --- wrong answers ---


def _wrong(set_: str, right: Sequence[Right], rng: Random) -> list[Wrong]:
    made: list[Wrong] = []
    for class_ in CLASSES:
        wanted = _STOPS_PER_CLASS[set_]
        told = _wrong_facts(right, class_)
        rng.shuffle(told)
        of_facts = told[: wanted if class_ == "predicate" else int(wanted * _SHARE_OF_FACTS)]
        of_forms = [] if class_ == "predicate" else _wrong_forms(right, class_, wanted - len(of_facts), rng)
        made += [*of_facts, *of_forms]
    return made


def _wrong_facts(right: Sequence[Right], class_: str) -> list[Wrong]:
    made = []
    for each in right:
        if each.fact is None:
            continue
        fact, which = each.fact
        for said, of, old, new in fact.wrong:
            if (said, of) == (class_, which):
                answer = each.answer.replace(old, new)
                made.append(Wrong(of=each, class_=class_, answer=answer, claims=[], calculations=[]))
    return made


def _wrong_forms(right: Sequence[Right], class_: str, wanted: int, rng: Random) -> list[Wrong]:
    order = [each for each in right if each.base]
    rng.shuffle(order)
    made: list[Wrong] = []
    per_form: Counter[str] = Counter()
    for limit in range(1, _PER_FORM_AND_CLASS + 1):
        for each in order:
            if len(made) == wanted:
                return made
            if per_form[each.form] >= limit or any(wrong.of is each for wrong in made):
                continue
            assert each.base
            for mutation in mutations(each.base, class_, rng):
                answer = say(each.base.form, each.base.statement, each.base.voice, mutation.changes)
                if answer != each.answer:
                    said = claims(each.base, mutation, rng)
                    sums = calculations(each.base, mutation, kept_sign=rng.random() < 0.3)
                    made.append(Wrong(of=each, class_=class_, answer=answer, claims=said, calculations=sums))
                    per_form[each.form] += 1
                    break
    return made


# --- cases ---


def _right_cases(right: Sequence[Right], rng: Random) -> Iterator[dict[str, Any]]:
    counted: Counter[str] = Counter()
    for each in right:
        counted[each.style] += 1
        structured = counted[each.style] % 2 == 0
        said = (claims(each.base, None, rng), calculations(each.base, None, kept_sign=False)) if each.base else ([], [])
        yield _case(each, each.id, "right", each.answer, said if structured else None, "", rng)


def _wrong_cases(set_: str, wrong: Sequence[Wrong], rng: Random) -> Iterator[dict[str, Any]]:
    counted: Counter[str] = Counter()
    for each in wrong:
        counted[each.class_] += 1
        number = counted[each.class_]
        structured = number % 2 == 0
        prose_only = number % 6 == 0
        said: tuple[list[dict[str, Any]], list[dict[str, Any]]] | None = (each.claims, each.calculations)
        if prose_only and each.of.base:
            said = (claims(each.of.base, None, rng), calculations(each.of.base, None, kept_sign=False))
        mutated = "prose" if prose_only or not structured else "both"
        id_ = f"{set_}-{each.class_}-{number:03}"
        yield _case(each.of, id_, each.class_, each.answer, said if structured else None, mutated, rng)


def _case(
    of: Right,
    id_: str,
    class_: str,
    answer: str,
    said: tuple[list[dict[str, Any]], list[dict[str, Any]]] | None,
    mutated: str,
    rng: Random,
) -> dict[str, Any]:
    marked = rng.random() < 0.5
    reply: dict[str, Any] = {"answer": with_marks(answer, of.refs, rng) if marked else answer, "ref_ids": list(of.refs)}
    if said is not None:
        reply["claims"], reply["calculations"] = said
    return {
        "id": id_,
        "class": class_,
        "verdict": "pass" if class_ == "right" else "stop",
        "question": of.question,
        "language": of.language,
        "passages": [dict(passage.fields) for passage in of.passages],
        "reply": reply,
        "structured": said is not None,
        "style": of.style,
        "base": of.id,
        "mutated": mutated,
        "form": of.form,
    }


if __name__ == "__main__":
    main()
