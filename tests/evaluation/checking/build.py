"""Write the cases, the same bytes each time: `python -m tests.evaluation.checking.build`.

It makes `open.jsonl` for the builder of the check, and `kept.jsonl`, whose companies and forms the builder never sees.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from tests.evaluation.checking.bases import Mutation
from tests.evaluation.checking.mutations import CLASSES, mutations
from tests.evaluation.checking.replies import calculations, claims, with_marks
from tests.evaluation.checking.right import Right, from_facts, from_forms, from_stories
from tests.evaluation.checking.voice import say

SETS: Final = ("open", "kept")
_FOLDER: Final = Path(__file__).parent
_SEED: Final = 20241
_STOPS_PER_CLASS: Final = {"open": 66, "kept": 34}
_PER_FORM_AND_CLASS: Final = 4
_SHARE_OF_FACTS: Final = 0.3
_SHARE_OF_FACTS_IN_PREDICATES: Final = 0.6
_SHARE_OF_MARKED: Final = 0.5
_SHARE_OF_KEPT_SIGNS: Final = (
    0.3  # of calculations whose result keeps its sign when the prose turns the direction round
)

_Said: TypeAlias = tuple[list[dict[str, Any]], list[dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """A wrong answer. One that was written whole has no mutation."""

    of: Right
    class_: str
    answer: str
    mutation: Mutation | None = None


def lines(set_: str) -> list[str]:
    """The lines of a set's file."""
    rng = Random(f"{_SEED} {set_}")
    right = [*from_forms(set_, rng), *from_stories(set_, rng), *from_facts(set_, rng)]
    wrong = _wrong(set_, right, rng)
    cases = [*_right_cases(right, rng), *_wrong_cases(set_, wrong, rng)]
    return [json.dumps(case, ensure_ascii=False) for case in cases]


def main() -> None:
    for set_ in SETS:
        made = lines(set_)
        (_FOLDER / f"{set_}.jsonl").write_text("\n".join(made) + "\n", encoding="utf-8")
        counted = Counter(json.loads(line)["class"] for line in made)
        print(set_, len(made), dict(sorted(counted.items())))


# --- wrong answers ---


def _wrong(set_: str, right: Sequence[Right], rng: Random) -> list[Wrong]:
    made: list[Wrong] = []
    for class_ in CLASSES:
        wanted = _STOPS_PER_CLASS[set_]
        told = _wrong_facts(right, class_)
        rng.shuffle(told)
        share = _SHARE_OF_FACTS if class_ != "predicate" else _SHARE_OF_FACTS_IN_PREDICATES
        of_facts = told[: int(wanted * share)]
        of_forms = _wrong_forms(right, class_, wanted - len(of_facts), rng)
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
                made.append(Wrong(of=each, class_=class_, answer=answer))
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
                    made.append(Wrong(of=each, class_=class_, answer=answer, mutation=mutation))
                    per_form[each.form] += 1
                    break
    return made


# --- cases ---


def _right_cases(right: Sequence[Right], rng: Random) -> Iterator[dict[str, Any]]:
    counted: Counter[str] = Counter()
    for each in right:
        counted[each.style] += 1
        said = _said(each, None, each.id) if counted[each.style] % 2 == 0 else None
        yield _case(each, each.id, "right", each.answer, said, "", rng)


def _wrong_cases(set_: str, wrong: Sequence[Wrong], rng: Random) -> Iterator[dict[str, Any]]:
    """Every second case is structured. In every third of these the prose alone is wrong, and the claims are right."""
    counted: Counter[str] = Counter()
    for each in wrong:
        counted[each.class_] += 1
        number = counted[each.class_]
        id_ = f"{set_}-{each.class_}-{number:03}"
        said, mutated = None, "prose"
        if number % 2 == 0:
            right = _said(each.of, None, id_)
            said = right if number % 6 == 0 else _said(each.of, each.mutation, id_)
            mutated = "prose" if said == right else "both"
        yield _case(each.of, id_, each.class_, each.answer, said, mutated, rng)


def _said(of: Right, mutation: Mutation | None, id_: str) -> _Said:
    """The claims and calculations. The same id draws the same units and turns, with and without a mutation."""
    if of.base is None:
        return [], []
    rng = Random(f"{_SEED} {id_}")
    said = claims(of.base, mutation, rng)
    return said, calculations(of.base, mutation, kept_sign=rng.random() < _SHARE_OF_KEPT_SIGNS)


def _case(
    of: Right, id_: str, class_: str, answer: str, said: _Said | None, mutated: str, rng: Random
) -> dict[str, Any]:
    marked = rng.random() < _SHARE_OF_MARKED
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
