"""Ask questions of the companies of a set: each form by each of its phrasings, of companies in turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.evaluation.forms import rows, several
from tests.evaluation.forms.asking import Asking, Made
from tests.evaluation.forms.companies import Company, companies_of, words_of

FORMS: Final[Mapping[str, Callable[[Asking], Made | None]]] = {
    "value": rows.value,
    "change_absolute": lambda ask: rows.change(ask, percent=False),
    "change_percent": lambda ask: rows.change(ask, percent=True),
    "growth_compound": rows.growth,
    "average": lambda ask: rows.over_years(ask, average=True),
    "sum": lambda ask: rows.over_years(ask, average=False),
    "extreme": rows.extreme,
    "ratio_named": several.ratio,
    "ratio_defined": several.defined,
    "share": several.share,
    "segments_compared": several.segments,
    "companies_compared": several.companies,
    "ranking": several.ranking,
    "yes_no": several.yes_no,
    "unit": rows.unit,
    "missing": rows.missing,
}
PHRASINGS: Final = {"open": (1, 2, 3), "kept": (4, 5)}
EACH: Final = {"open": 18, "kept": 12}
_TRIES: Final = 200
_PLURAL: Final = re.compile(r"(?<![su])s$")
_SEPARATOR: Final = re.compile(r"(?<=\d)[.,](?=\d)")
_HEAD: Final = re.compile(r" (?:of|from|on|in|to|and|at|before|after|for|carried)\b|,")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A row of queries.jsonl. evidence: the printed figures that the answer is made of; the reader ignores it."""

    id: str
    text: str
    language: str
    type: str
    answer: str
    accepts: list[list[str]]
    relevant: list[dict[str, Any]]
    evidence: list[dict[str, Any]] = field(default_factory=list)
    polarity: str = ""

    def row(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in kept.items() if value or name == "relevant"}


def questions_of(set_: str) -> list[Question]:
    """Return the questions of a set, the same each time."""
    asked: dict[str, Question] = {}
    for place, form in enumerate(FORMS):
        for number in range(EACH[set_]):
            question = _question(set_, form, number, shift=place, known=asked)
            asked[question.text] = question
    return list(asked.values())


def _question(set_: str, form: str, number: int, *, shift: int, known: Mapping[str, Question]) -> Question:
    companies = companies_of(set_)
    for attempt in range(_TRIES):
        # A company that cannot be asked this (a bank has no inventories) leaves its place to the next.
        at = (number + shift + number // len(companies) + attempt // 15) % len(companies)
        company, rng = companies[at], Random(f"{set_} {form} {number} {attempt}")
        own = words_of(set_)[company.language]
        made = FORMS[form](
            Asking(company=company, companies=companies, own=own, rng=rng, number=number + number // 4 + attempt // 3)
        )
        if made is None:
            continue
        phrasings = PHRASINGS[set_]
        which = number % len(phrasings)
        text = _text(own["phrasings"][form][which], made, company.short, company.spec["name"], rng)
        if text in known:
            continue
        return Question(
            id=f"{form}-{phrasings[which]}-{company.id}-{number + 1:03}",
            text=text,
            language=company.language,
            type=form,
            answer=_answer(made, company),
            accepts=made.accepts,
            relevant=[{"document": document, "page": 1} for document in made.documents],
            evidence=made.evidence,
            polarity=made.polarity,
        )
    raise ValueError(f"no company of {set_} can be asked {form} {number}")


def _answer(made: Made, company: Company) -> str:
    """Return the answer as a sentence, with the figures as the language writes them."""
    words, said = company.words, made.answer
    if not said:
        return str(words["unknown"])
    for english, own in words["figures"]:
        said = said.replace(english, own)
    if words["figures"]:
        said = _SEPARATOR.sub(lambda mark: ",."[mark[0] == ","], said)
    subject = " / ".join(made.slots[name] for name in ("c1", "c2") if name in made.slots) or company.short
    lead = words["yes_no"][made.polarity == "no"] if made.polarity else ""
    return f"{lead}{words['answer'].format(c=subject, x=said)}"


def _text(phrasing: str, made: Made, short: str, name: str, rng: Random) -> str:
    """Fill in a phrasing. One that begins with "~" is typed in lower case."""
    lower = phrasing.startswith("~")
    slots = {"company": short if lower or rng.random() < 0.7 else name, **made.slots}
    text = phrasing.removeprefix("~").format(was=_was(made.slots.get("line", "")), **slots)
    return text.lower() if lower else _capital(text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _was(line: str) -> str:
    """Return the verb that fits an English noun phrase: by the word before its first "of", "from" and the like."""
    head = _HEAD.split(line)[0]
    return "were" if _PLURAL.search(head) else "was"
