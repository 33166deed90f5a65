"""Replace the pronoun of a follow-up by what it stands for in an earlier question."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.stages.follow_ups.rewrite import UnclearError, edited
from apps.retrieval.stages.follow_ups.slots import Slots, before_period
from apps.retrieval.stages.follow_ups.words import (
    ACTS,
    BEFORE_PRONOUN,
    EXPLAINS,
    NO_MEASURE_OF,
    PLURAL_ASKED,
    POLITE_FORM,
    PRONOUN,
    STANDS_FOR_NOTHING,
    moves,
)

_WORD: Final = re.compile(r"[^\W\d_]+")
_END: Final = re.compile(r"\s*[?.!]*\s*$")
_PART_OF_FIGURE: Final = re.compile(r"^\s+(?:of|at|from|by|per|in|von|bei|der|des|je|pro|im|f\u00fcr)\s+\S")
_GENDERS: Final = {"der": "man", "die": "woman", "das": "thing"}


def find_pronoun(text: str) -> re.Match[str] | None:
    """Return the first pronoun that stands for nothing in its own question; None if there is none."""
    if STANDS_FOR_NOTHING.search(text):
        return None
    for match in PRONOUN.finditer(text):
        polite = POLITE_FORM.fullmatch(match.group()) is not None and match.start() > 0
        before = _WORD.findall(text[: match.start()])
        if not polite and all(word.lower() in BEFORE_PRONOUN for word in before):
            return match
    return None


def replace_pronoun(text: str, slots: Slots, pronoun: re.Match[str], base: Slots) -> str | None:
    """Return the follow-up with what its pronoun stands for; None if the earlier question has nothing of the sort.

    Raises: UnclearError: it may stand for more than one thing.
    """
    sort = str(pronoun.lastgroup)
    if base.text[:1].isupper():
        text = text[:1].upper() + text[1:]
    if PLURAL_ASKED.search(text[: pronoun.start()]):
        raise UnclearError
    of_change = moves(text) or EXPLAINS.search(text) is not None
    of_figure = sort in ("it", "man", "woman", "thing", "they") and of_change and not ACTS.search(text)
    if of_figure:
        return _with_figure(text, slots, pronoun, base, sort)
    if sort in ("it", "man", "woman", "thing") and not ACTS.search(text):
        raise UnclearError
    return _with_company(text, slots, pronoun, base, sort)


def _with_figure(text: str, slots: Slots, pronoun: re.Match[str], base: Slots, sort: str) -> str | None:
    if not base.measures:
        return None
    if len(base.measures) > 1:
        raise UnclearError
    figure = _figure_phrase(base)
    require_agreement(pronoun, base)
    if sort == "they" and not base.measures[0].text.endswith("s"):
        raise UnclearError
    period = "" if slots.periods else _period_phrase(base)
    if base.language == "de":
        return edited(text, [(pronoun.start(), pronoun.end(), f"{figure} {period}".strip())])
    return _at_the_end(edited(text, [(pronoun.start(), pronoun.end(), figure)]), period)


def require_agreement(pronoun: re.Match[str], base: Slots) -> None:
    """Raises: UnclearError: a German pronoun that has another gender than the figure."""
    sort, article = str(pronoun.lastgroup), base.measures[0].lead.split()[:1]
    gender = _GENDERS.get(article[0].lower()) if article and base.language == "de" else None
    if sort in ("man", "woman", "thing") and gender is not None and gender != sort:
        raise UnclearError


def _with_company(text: str, slots: Slots, pronoun: re.Match[str], base: Slots, sort: str) -> str | None:
    if not base.companies:
        return None
    if len({each.text for each in base.companies}) > 1:
        raise UnclearError
    held = base.companies[0]
    rest = text[pronoun.end() :]
    if sort in ("its", "ihr") and NO_MEASURE_OF.match(rest.strip()):
        raise UnclearError
    name = f"{held.lead if base.language == 'en' else ''}{held.text}"
    edits = [(pronoun.start(), pronoun.end(), _as_pronoun(sort, name))]
    if sort == "ihr":
        # "Wie hoch ist ihr Umsatz?" becomes "der Umsatz von": the name follows what it owns.
        owned = next((each for each in slots.measures if each.start >= pronoun.end()), None)
        if owned is None:
            raise UnclearError
        edits = [(pronoun.start(), pronoun.end(), ""), (owned.end, owned.end, f" von {name}")]
    found = edited(text, edits)
    timeless = slots.periods or not (slots.measures or moves(text))
    return found if timeless else _at_the_end(found, _period_phrase(base))


def _as_pronoun(sort: str, name: str) -> str:
    if sort == "its":
        return f"{name}'" if name.endswith("s") else f"{name}'s"
    if sort == "there":
        return f"at {name}"
    return f"bei {name}" if sort == "dort" else name


def _figure_phrase(base: Slots) -> str:
    """Return the figure with what it is of: "the revenue of the crane segment of Velden Cranes"."""
    [measure] = base.measures
    text = base.text
    article = measure.lead or ("the " if base.language == "en" else "")
    owner = next((each for each in base.companies if each.end <= measure.outer), None)
    if owner is not None and base.language == "en" and re.fullmatch(r"['\u2019]s?\s+", text[owner.end : measure.outer]):
        return text[owner.outer : measure.end]
    end = measure.end
    after = text[end:]
    company = next((each for each in base.companies if each.start >= end), None)
    if company is not None and _PART_OF_FIGURE.match(after) and not moves(text[end : company.start]):
        end = company.end
    phrase = f"{article}{text[measure.start : end]}"
    if base.companies and end == measure.end:
        held = base.companies[0]
        of = "von" if base.language == "de" else "of"
        phrase = f"{phrase} {of} {held.lead if base.language == 'en' else ''}{held.text}"
    return phrase


def _period_phrase(base: Slots) -> str:
    if not base.periods:
        return ""
    first, last = base.periods[0], base.periods[-1]
    before = before_period(base.text, first)
    group = base.text[first.outer : last.end]
    if first.lead:
        return group
    led = re.search(r"\b(?:from|von|between|zwischen)\s+$", base.text[: first.outer], re.IGNORECASE)
    if led is not None:
        return f"{led.group().strip()} {group}"
    if base.language == "de":
        return f"im {group}" if re.search("Quartal", group) else group
    return f"{before.strip() or 'in'} {group}"


def _at_the_end(text: str, words: str) -> str:
    found = _END.search(text)
    place = found.start() if found else len(text)
    return edited(text, [(place, place, f" {words}")]) if words else text
