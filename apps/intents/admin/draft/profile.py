"""The compliance profile of a draft: as typed, read from a post, and turned into rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from apps.intents.profile.contracts import (
    LONGEST_KEY,
    LONGEST_NAME,
    LONGEST_TERM,
    LONGEST_TEXT,
    MOST_RULES,
    MOST_TERMS,
    RULE_KEY,
    WATCHING,
    InAnswer,
    InQuestion,
    ProfileRule,
    RuleSort,
)
from apps.intents.profile.words import IN_ANSWER, IN_QUESTION

SORTS: Final = ((RuleSort.TOPIC.value, "A topic that is refused"), (RuleSort.PRODUCT.value, "A product not to market"))
_KEY: Final = re.compile(r"p[1-9][0-9]{0,3}")
_INTENT: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_UNKEPT: Final = "\ufffd"

Choice = tuple[str, str, bool]


class Posted(Protocol):
    """What of Django's QueryDict is needed."""

    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFields:
    """One rule as typed. `form` names it within the form. terms: one on each line. intents: separated by commas."""

    form: str
    sort: str = RuleSort.TOPIC.value
    key: str = ""
    name: str = ""
    terms: str = ""
    intents: str = ""
    text: str = ""
    in_question: str = InQuestion.REFUSE.value
    in_answer: str = InAnswer.ALLOW.value
    removed: bool = False

    @property
    def is_empty(self) -> bool:
        return not (self.key or self.name or self.terms or self.text or self.intents)

    @property
    def is_disclaimer(self) -> bool:
        return self.sort == RuleSort.DISCLAIMER


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """What the template draws. A choice is (value, label, whether it is chosen)."""

    fields: RuleFields
    sorts: tuple[Choice, ...]
    in_question: tuple[Choice, ...]
    in_answer: tuple[Choice, ...]
    errors: tuple[str, ...]


def rule_fields(rules: Iterable[ProfileRule]) -> tuple[RuleFields, ...]:
    return tuple(
        RuleFields(
            form=f"p{number}",
            sort=rule.sort.value,
            key=rule.key,
            name=rule.name,
            terms="\n".join(rule.terms),
            intents=", ".join(rule.intents),
            text=rule.text,
            in_question=rule.in_question.value,
            in_answer=rule.in_answer.value,
        )
        for number, rule in enumerate(rules, start=1)
    )


def posted_rules(post: Posted) -> tuple[RuleFields, ...] | None:
    """Return what was typed, or None if the form has no part for the profile: then it stays as it is stored."""
    if not post.getlist("profile"):
        return None
    keys = list(dict.fromkeys(key for key in post.getlist("profile-rule") if _KEY.fullmatch(key)))
    return tuple(_posted(post, key) for key in keys[: MOST_RULES + 2])


def parse_rules(
    rows: tuple[RuleFields, ...] | None,
    stored: tuple[ProfileRule, ...],
    complain: Callable[[str, str], None],
) -> tuple[ProfileRule, ...]:
    """Return the rules. What the table can't hold is complained of; what can't be used is validation's to name."""
    if rows is None:
        return stored
    kept = [row for row in rows if not row.removed and not row.is_empty]
    keys = [_key_of(row) for row in kept]
    found: list[ProfileRule] = []
    for row, key in zip(kept, keys, strict=True):
        problems = list(_problems(row, key, keys))
        for problem in problems:
            complain(f"profile-{row.form}", problem)
        if not problems:
            found.append(_rule(row, key))
    return tuple(found)


def rule_rows(
    rows: tuple[RuleFields, ...], errors: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[RuleRow, ...], tuple[RuleRow, ...]]:
    """Return the rules that look for words and the disclaimers, each with an empty one after them to type into."""
    taken = {row.form for row in rows}
    spare = [form for number in range(1, len(taken) + 3) if (form := f"p{number}") not in taken]
    drawn = []
    for form, sort in zip(spare, (RuleSort.TOPIC, RuleSort.DISCLAIMER), strict=False):
        own = [row for row in rows if row.is_disclaimer == (sort is RuleSort.DISCLAIMER)]
        if not any(row.is_empty for row in own):
            own.append(RuleFields(form=form, sort=sort.value))
        drawn.append(tuple(_row(row, errors.get(f"profile-{row.form}", ())) for row in own))
    return drawn[0], drawn[1]


def _row(row: RuleFields, errors: tuple[str, ...]) -> RuleRow:
    return RuleRow(
        fields=row,
        sorts=tuple((value, label, value == row.sort) for value, label in SORTS),
        in_question=tuple((each.value, label, each.value == row.in_question) for each, label in IN_QUESTION.items()),
        in_answer=tuple((each.value, label, each.value == row.in_answer) for each, label in IN_ANSWER.items()),
        errors=errors,
    )


def _posted(post: Posted, form: str) -> RuleFields:
    def line(part: str) -> str:
        return " ".join(text(part).split())

    def text(part: str) -> str:
        last = "".join(post.getlist(f"profile-{part}-{form}")[-1:])
        return last.replace("\r\n", "\n").replace("\0", _UNKEPT).strip()

    lines = (" ".join(each.split()) for each in text("terms").split("\n"))
    return RuleFields(
        form=form,
        sort=line("sort"),
        key=line("key"),
        name=line("name"),
        terms="\n".join(each for each in lines if each),
        intents=line("intents"),
        text=text("text"),
        in_question=line("question") or InQuestion.ALLOW.value,
        in_answer=line("answer") or InAnswer.ALLOW.value,
        removed=bool(post.getlist(f"profile-remove-{form}")),
    )


def _key_of(row: RuleFields) -> str:
    """Return the key that was typed, or one that is made of the name."""
    if row.key:
        return row.key
    plain = unicodedata.normalize("NFKD", row.name.casefold()).encode("ascii", "ignore").decode()
    made = "_".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST_KEY].strip("_")
    return made if re.fullmatch(RULE_KEY, made) else ""


def _problems(row: RuleFields, key: str, keys: list[str]) -> Iterable[str]:
    terms = row.terms.split("\n") if row.terms else []
    if not re.fullmatch(RULE_KEY, key):
        yield "Enter a key of lower-case letters, digits and _, at most 40, such as tax_advice."
    elif keys.count(key) > 1:
        yield f"Another rule has the key {key}. Choose another."
    if not row.name or len(row.name) > LONGEST_NAME:
        yield f"Enter what the firm calls it, in at most {LONGEST_NAME} characters."
    if not row.text or len(row.text) > LONGEST_TEXT:
        what = "the disclaimer" if row.is_disclaimer else "the reason that users read"
        yield f"Enter {what}, in at most {LONGEST_TEXT} characters."
    if _UNKEPT in row.name + row.text + row.terms:
        yield f"It contains a character that can't be stored; remove what is shown as {_UNKEPT}."
    if row.sort not in set(RuleSort) or row.in_question not in set(InQuestion) or row.in_answer not in set(InAnswer):
        yield "Choose what it is, and what becomes of a question and an answer, from those that are offered."
    if row.is_disclaimer:
        if any(not _INTENT.fullmatch(name) for name in _intents(row)):
            yield "Write the short names of intents, separated by commas, such as performance, attribution."
        return
    if not 1 <= len(terms) <= MOST_TERMS:
        yield f"Enter 1 to {MOST_TERMS} words or phrases, one on each line."
    if any(len(term) > LONGEST_TERM for term in terms):
        yield f"A word or phrase has more than {LONGEST_TERM} characters. Write one on each line."
    if (row.in_question, row.in_answer) == (InQuestion.ALLOW, InAnswer.ALLOW):
        yield "Choose what becomes of a question or of an answer that names it: as it is, the rule does nothing."


def _rule(row: RuleFields, key: str) -> ProfileRule:
    watches = RuleSort(row.sort) in WATCHING
    return ProfileRule(
        key=key,
        sort=RuleSort(row.sort),
        name=row.name,
        terms=tuple(row.terms.split("\n")) if watches else (),
        intents=() if watches else tuple(sorted(set(_intents(row)))),
        text=row.text,
        in_question=InQuestion(row.in_question) if watches else InQuestion.ALLOW,
        in_answer=InAnswer(row.in_answer) if watches else InAnswer.ALLOW,
    )


def _intents(row: RuleFields) -> list[str]:
    return [name for each in row.intents.split(",") if (name := each.strip())]
