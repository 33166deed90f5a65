"""Decide whether a question follows from earlier ones, and say in full what it asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from apps.filings.text.mentions import Mention, blank_mentions
from apps.intents.instructions import core_question
from apps.retrieval.contracts import Resolved
from apps.retrieval.errors import QuestionError
from apps.retrieval.stages.follow_ups.pronouns import find_pronoun, replace_pronoun, require_agreement
from apps.retrieval.stages.follow_ups.reasons import ask_for_reason
from apps.retrieval.stages.follow_ups.rewrite import Said, UnclearError, edited, substitute
from apps.retrieval.stages.follow_ups.slots import Slots, is_legal_form, read_slots
from apps.retrieval.stages.follow_ups.words import (
    FRAME,
    MARKER,
    NO_FIGURE,
    NO_OTHER,
    POINTS,
    POINTS_BACK,
    POLITE,
    PREPOSITION,
    SENTENCE,
    WHY,
)
from apps.retrieval.stages.question.validate import validate

MOST_EARLIER: Final = 20
"""How many earlier questions are read: the last ones."""
# Who writes more than this says what is meant. An earlier one may be as long as a question may be, and is read only as
# far as this: a figure, a company and a period stand in a sentence.
_LONGEST_FOLLOW_UP: Final = 240
_LONGEST_BASE: Final = 300
_A_FEW_WORDS: Final = 4
_SHORT: Final = 40
_WORD: Final = re.compile(r"[^\W\d_]+")
_ABOUT: Final = re.compile(r"about|what\s+of|steht|sieht|sah|was\s+ist|wie|same|gleiche|selbe", re.IGNORECASE)
_END: Final = re.compile(r"\s*[?.!]*\s*$")
_THING: Final = re.compile(
    r"^(?P<article>the|its|their|der|die|das|ihre?|seine?)\s+(?P<name>[\w&-]+(?:\s+[\w&-]+){0,3})$", re.IGNORECASE
)

_PREPOSITIONS: Final = (
    r"(?:for|of|in|under|with|at|by|from|after|before|during|without|to"
    r"|f\u00fcr|von|bei|mit|unter|nach|vor|ohne|zu|im|am)"
)
_PHRASE: Final = re.compile(
    rf"\b(?P<word>{_PREPOSITIONS})\s+(?P<rest>[^,?.!]+?)(?=\s+{_PREPOSITIONS}\s|\s*[,?.!]|\s*$)", re.IGNORECASE
)
_ARTICLES: Final = frozenset({"the", "der", "die", "das"})
_OWNERS: Final = frozenset({"its", "their", "a", "an", "den", "dem", "ihr", "ihre", "sein", "seine"})
_UNCLEAR: Final = (
    "This looks like a follow-up, and it is not clear what it refers to. It was asked as it is. Name the figure, the "
    "company and the period."
)


@dataclass(frozen=True, kw_only=True)
class _Earlier:
    """An earlier question in full. place: its place among those sent. text: "" where it is not clear what it asked."""

    place: int
    text: str

    @cached_property
    def slots(self) -> Slots:
        return read_slots(self.text, small_names=self.is_small)

    @property
    def is_small(self) -> bool:
        return self.text == self.text.lower()


def resolve(question: str, earlier: Sequence[str], *, maximum_chars: int) -> Resolved:
    """Say in full what a question asks that follows from earlier ones.

    Args:    question: as it came in.
             earlier: the same person's questions before it, the latest last; never an answer. The last `MOST_EARLIER`
                 are read, and none that is longer than `maximum_chars` or can't be read as a question.
             maximum_chars: of a question.
    Returns: the question as it is where it stands by itself, or where it is unclear what it refers to; then a note
             says so. What is returned is a question as any other, and permits nothing that it does not permit.
    """
    try:
        text = validate(question, maximum_chars=maximum_chars)
    except QuestionError:
        # The pipeline refuses it, and says why.
        return Resolved(text=question)
    known: list[_Earlier] = []
    first = max(0, len(earlier) - MOST_EARLIER)
    for place, each in enumerate(earlier[first:], start=first):
        if (read := _readable(each, maximum_chars)) is None:
            continue
        found = _in_full(read, known)
        known.append(_Earlier(place=place, text="" if found is None else found[0]))
    found = _in_full(text, known)
    if found is None:
        return Resolved(text=question, notes=(_UNCLEAR,) if earlier else ())
    full, used = found
    if used is None:
        return Resolved(text=question)
    if len(full) > maximum_chars:
        return Resolved(text=question, notes=(_UNCLEAR,))
    return Resolved(text=full, used=(used,))


def _readable(text: str, maximum_chars: int) -> str | None:
    """Return what an earlier question asks, without instructions beside it; None if it can't be read."""
    try:
        line = validate(text, maximum_chars=maximum_chars)
    except QuestionError:
        return None
    asked = " ".join(core_question(line).text.split())
    return asked if asked and len(asked) <= _LONGEST_BASE else None


def _in_full(text: str, known: Sequence[_Earlier]) -> tuple[str, int | None] | None:
    """Return the question in full, and the place of the earlier one that it was read with; None where it is unclear."""
    if len(text) > _LONGEST_FOLLOW_UP:
        return text, None
    polite = POLITE.sub("", text)
    marked = MARKER.match(polite)
    said = polite[marked.end() :] if marked else polite
    if WHY.fullmatch(said):
        return _from_latest(known, lambda base: ask_for_reason(base.text, base.slots.language))
    slots = _read_said(said, known[-1] if known and known[-1].text else None, is_small=text == text.lower())
    pronoun = find_pronoun(said)
    about = marked is not None and _ABOUT.search(marked.group()) is not None
    if (wanted := _slots_only(said, slots, marked=bool(marked), about=about, refers=pronoun is not None)) is not None:
        return _from_latest(known, lambda base: _substituted(base.slots, wanted, pronoun))
    if pronoun is not None:
        return _from_latest(known, lambda base: replace_pronoun(said, slots, pronoun, base.slots))
    if SENTENCE.search(said) and not about:
        return None if POINTS_BACK.search(said) else (text, None)
    if marked:
        return _from_latest(known[-1:], lambda base: _other_phrase(said, base.slots))
    is_piece = PREPOSITION.match(said) or POINTS.search(said) or NO_OTHER.search(said)
    return None if is_piece and len(_WORD.findall(said)) <= _A_FEW_WORDS else (text, None)


def _substituted(base: Slots, said: Said, pronoun: re.Match[str] | None) -> str | None:
    """Raises: UnclearError, also for a pronoun that can't stand for the figure: "sie" for "der Umsatz"."""
    if pronoun is not None and pronoun.lastgroup in ("man", "woman") and not said.measure and base.measures:
        require_agreement(pronoun, base)
    return substitute(base, said)


def _read_said(said: str, before: _Earlier | None, *, is_small: bool) -> Slots:
    """Read a few words in the language of what was asked before; in their own if they are surely of that."""
    small = is_small and before is not None and before.is_small
    own = read_slots(said, small_names=small)
    if before is None or len(said) >= _SHORT or own.measures or own.companies:
        return own
    language = before.slots.language
    return own if own.language == language else read_slots(said, language, small_names=small)


def _from_latest(known: Sequence[_Earlier], rewrite: Callable[[_Earlier], str | None]) -> tuple[str, int | None] | None:
    """Return what the latest earlier question gives that has anything to refer to."""
    for base in reversed(known):
        if not base.text:
            return None
        try:
            found = rewrite(base)
        except UnclearError:
            return None
        if found is not None:
            return found, base.place
    return None


def _slots_only(said: str, slots: Slots, *, marked: bool, about: bool, refers: bool) -> Said | None:
    """Return what a follow-up says that names periods, a company or a figure and nothing else; None for another."""
    is_sentence = SENTENCE.search(said) is not None and not about
    named = bool(slots.names_period or slots.measures or slots.companies)
    if _has_other_words(said, slots):
        return _thing_asked(said, slots) if marked and not named and not is_sentence else None
    if not named or len(slots.companies) > 1:
        return None
    measure, article = _measure_of(slots)
    company = slots.companies[0] if slots.companies else None
    stands_alone = not (refers or (marked and measure and company is None))
    if is_sentence and stands_alone:
        # "What was the net income of Norden in 2023?"
        return None
    if not marked and not is_sentence and measure and (company or slots.names_period):
        # "Net income of Norden 2023"
        return None
    return Said(slots=slots, company=company, measure=measure, measure_article=article)


def _has_other_words(said: str, slots: Slots) -> bool:
    """Return whether a follow-up has words that say something beside what it names."""
    taken = [Mention(start=each.start, end=each.end, text="") for each in slots.companies]
    taken += [Mention(start=each.outer, end=each.end, text="") for each in (*slots.periods, *slots.measures)]
    taken += [Mention(start=each.start, end=each.end, text="") for each in (slots.counted, slots.without_year) if each]
    return any(word.lower() not in FRAME for word in _WORD.findall(blank_mentions(said, taken)))


def _thing_asked(said: str, slots: Slots) -> Said | None:
    """Return a figure that the vocabulary doesn't know: "And the order backlog?"."""
    thing = _THING.match(_END.sub("", said))
    if thing is None or NO_FIGURE.search(said) or NO_OTHER.search(said):
        return None
    name, article = thing["name"], thing["article"].lower()
    if is_legal_form(name) or (slots.language == "de" and not name.split()[-1][0].isupper()):
        return None
    return Said(slots=slots, measure=name, measure_article=article if article in _ARTICLES else "")


def _measure_of(slots: Slots) -> tuple[str, str]:
    """Return the figure that a follow-up names, and its article."""
    if not slots.measures:
        return "", ""
    first, last = slots.measures[0], slots.measures[-1]
    words = first.lead.split()
    article = words[0].lower() if words else ""
    if article in _ARTICLES | _OWNERS:
        words = words[1:]
    name = " ".join((*words, slots.text[first.start : last.end]))
    return name, article if article in _ARTICLES else ""


def _other_phrase(said: str, base: Slots) -> str:
    """Return the earlier question with "for professional clients" instead of its one phrase with that preposition.

    Raises: UnclearError.
    """
    phrase = PREPOSITION.match(_END.sub("", said))
    if phrase is None or NO_OTHER.search(said) or POINTS.search(said):
        raise UnclearError
    found = [match for match in _PHRASE.finditer(base.text) if match["word"].lower() == phrase["word"].lower()]
    if len(found) != 1:
        raise UnclearError
    start, end = found[0].span("rest")
    if any(each.start < end and start < each.end for each in (*base.periods, *base.companies, *base.measures)):
        # "In Germany" says another thing than "in 2024".
        raise UnclearError
    return edited(base.text, [(start, end, phrase["rest"])])
