"""The compliance profile of a draft: as typed, read from a post, and turned into rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from apps.intents.profile.contracts import (
    BOUNDS,
    LONGEST_KEY,
    LONGEST_NAME,
    LONGEST_TERM,
    LONGEST_TEXT,
    MOST_RULES,
    MOST_TERMS,
    NEEDING_EFFECT,
    RULE_KEY,
    WATCHING,
    InAnswer,
    InQuestion,
    ProfileRule,
    RuleSort,
)
from apps.intents.profile.values import VALUES
from apps.intents.profile_words import IN_ANSWER, IN_QUESTION

BOUND_SORTS: Final = (
    (RuleSort.CLIENTS.value, "Client categories"),
    (RuleSort.INSTRUMENTS.value, "Instruments"),
    (RuleSort.ASSET_CLASSES.value, "Asset classes"),
    (RuleSort.RISK_CLASSES.value, "Risk classes"),
    (RuleSort.JURISDICTIONS.value, "Jurisdictions"),
    (RuleSort.MODELS.value, "Models that may write answers"),
    (RuleSort.REGIONS.value, "Regions where a model may write answers"),
    (RuleSort.SOURCES.value, "External sources (none can be asked yet)"),
    (RuleSort.RESEARCH_MODES.value, "Research modes"),
)
SORTS: Final = ((RuleSort.TOPIC.value, "A topic that is refused"), (RuleSort.PRODUCT.value, "A product not to market"))
_KEY: Final = re.compile(r"p[1-9][0-9]{0,3}")
_INTENT: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_UNKEPT: Final = "\ufffd"
_PARTS: Final = {"watching": RuleSort.TOPIC, "disclaimers": RuleSort.DISCLAIMER, "bounds": RuleSort.INSTRUMENTS}

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
    def group(self) -> RuleSort:
        """The part of the page that it stands in, by the sort that an empty row of it has."""
        if self.sort == RuleSort.DISCLAIMER:
            return RuleSort.DISCLAIMER
        return RuleSort.INSTRUMENTS if self.sort in BOUNDS else RuleSort.TOPIC


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


def rule_rows(rows: tuple[RuleFields, ...], errors: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[RuleRow, ...]]:
    """Return the rules by the part of the page that they stand in, each with an empty one after them to type into."""
    taken = {row.form for row in rows}
    spare = [form for number in range(1, len(taken) + len(_PARTS) + 1) if (form := f"p{number}") not in taken]
    drawn = {}
    for form, (part, sort) in zip(spare, _PARTS.items(), strict=False):
        own = [row for row in rows if row.group is sort]
        if not any(row.is_empty for row in own):
            own.append(RuleFields(form=form, sort=sort.value))
        drawn[part] = tuple(_row(row, errors.get(f"profile-{row.form}", ())) for row in own)
    return drawn


def value_lists() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return the closed lists of values, each with its title, for who types a bound."""
    titles = dict(BOUND_SORTS)
    return tuple(
        (titles[sort.value], tuple((value, each.label) for value, each in values.items()))
        for sort, values in VALUES.items()
    )


def _row(row: RuleFields, errors: tuple[str, ...]) -> RuleRow:
    is_bound = row.group is RuleSort.INSTRUMENTS
    it = "anything else" if is_bound else "it"
    return RuleRow(
        fields=row,
        sorts=tuple((value, label, value == row.sort) for value, label in (BOUND_SORTS if is_bound else SORTS)),
        in_question=tuple(
            (each.value, label.replace(" it", f" {it}", 1), each.value == row.in_question)
            for each, label in IN_QUESTION.items()
        ),
        in_answer=tuple(
            (each.value, label.replace(" it", f" {it}", 1), each.value == row.in_answer)
            for each, label in IN_ANSWER.items()
        ),
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
    disclaims = row.sort == RuleSort.DISCLAIMER
    if not row.text or len(row.text) > LONGEST_TEXT:
        what = "the disclaimer" if disclaims else "the reason that users read"
        yield f"Enter {what}, in at most {LONGEST_TEXT} characters."
    if _UNKEPT in row.name + row.text + row.terms:
        yield f"It contains a character that can't be stored; remove what is shown as {_UNKEPT}."
    if row.sort not in set(RuleSort) or row.in_question not in set(InQuestion) or row.in_answer not in set(InAnswer):
        yield "Choose what it is, and what becomes of a question and an answer, from those that are offered."
    if any(not _INTENT.fullmatch(name) for name in _intents(row)):
        yield "Write the short names of intents, separated by commas, such as performance, attribution."
    if disclaims:
        return
    if not 1 <= len(terms) <= MOST_TERMS:
        yield f"Enter 1 to {MOST_TERMS} {'values' if row.sort in BOUNDS else 'words or phrases'}, one on each line."
    if any(len(term) > LONGEST_TERM for term in terms):
        yield f"A line has more than {LONGEST_TERM} characters. Write one word, phrase or value on each."
    if row.sort in NEEDING_EFFECT and (row.in_question, row.in_answer) == (InQuestion.ALLOW, InAnswer.ALLOW):
        yield "Choose what becomes of a question or of an answer that names it: as it is, the rule does nothing."


def _rule(row: RuleFields, key: str) -> ProfileRule:
    sort = RuleSort(row.sort)
    acts = sort in NEEDING_EFFECT
    return ProfileRule(
        key=key,
        sort=sort,
        name=row.name,
        terms=() if sort is RuleSort.DISCLAIMER else tuple(row.terms.split("\n")),
        intents=() if sort in WATCHING else tuple(sorted(set(_intents(row)))),
        text=row.text,
        in_question=InQuestion(row.in_question) if acts else InQuestion.ALLOW,
        in_answer=InAnswer(row.in_answer) if acts else InAnswer.ALLOW,
    )


def _intents(row: RuleFields) -> list[str]:
    return [name for each in row.intents.split(",") if (name := each.strip())]
