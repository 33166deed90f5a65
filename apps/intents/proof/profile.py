"""Decide what a change of the compliance profile lets through. Pure, and by the words alone.

A term is compared as it is written, without regard to capitals and blanks. So it counts as freed where it is replaced
by a wider one: the proof says what has to be looked at, and never that something is still refused where it may not be.
Theorems on a profile are stated where one of the sides has one; a proof of two policies without is as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from apps.intents.proof.contracts import Change, Result, Theorem

STRICTNESS: Final = {"allow": 0, "flag": 1, "block": 2}
OF_PROFILE: Final = (
    Theorem.NO_QUESTION_FREED,
    Theorem.NO_QUESTION_STOPPED,
    Theorem.NO_ANSWER_FREED,
    Theorem.NO_ANSWER_STOPPED,
    Theorem.NO_DISCLAIMER_GONE,
    Theorem.NO_DISCLAIMER_NEW,
    Theorem.NO_BOUND_WIDENED,
    Theorem.NO_BOUND_NARROWED,
)
WATCHING: Final = ("topic", "product")
OF_MEANS: Final = ("models", "regions", "sources", "research_modes")
ANY: Final = "any"
"""Where nothing bounds the values."""

Rules = Sequence[Mapping[str, Any]]


def decide_profile(before: Rules, after: Rules, intents: Sequence[str]) -> Iterator[Result]:
    """Yield the theorems on the profile; none without a profile. Args: intents: those that both sides have."""
    if not before and not after:
        return
    refused = _refused(before), _refused(after)
    held = _held(before), _held(after)
    carried = _carried(before, intents), _carried(after, intents)
    permitted = _permitted(before, intents), _permitted(after, intents)
    found: tuple[Iterator[Change], ...] = (
        (Change(about=term, before=key) for term, key in refused[0].items() if term not in refused[1]),
        (Change(about=term, after=key) for term, key in refused[1].items() if term not in refused[0]),
        _looser(*held),
        (Change(about=each.about, before=each.after, after=each.before) for each in _looser(held[1], held[0])),
        (Change(about=intent, before=text) for intent, text in carried[0] if (intent, text) not in carried[1]),
        (Change(about=intent, after=text) for intent, text in carried[1] if (intent, text) not in carried[0]),
        _wider(*permitted),
        (Change(about=each.about, before=each.after, after=each.before) for each in _wider(*reversed(permitted))),
    )
    for theorem, changes in zip(OF_PROFILE, found, strict=True):
        yield Result(theorem=theorem, changes=tuple(changes))


def term_key(term: str) -> str:
    return " ".join(term.casefold().split())


def _refused(rules: Rules) -> dict[str, str]:
    """Return the terms that have a question refused, each with the key of the first rule that does so."""
    found: dict[str, str] = {}
    for rule in rules:
        for term in rule["terms"] if rule["sort"] in WATCHING and rule["in_question"] == "refuse" else ():
            found.setdefault(term_key(term), rule["key"])
    return found


def _held(rules: Rules) -> dict[str, str]:
    """Return the terms that have an answer marked or withheld, each with the strictest that becomes of it."""
    found: dict[str, str] = {}
    for rule in rules:
        for term in rule["terms"] if rule["sort"] in WATCHING else ():
            key, effect = term_key(term), rule["in_answer"]
            if STRICTNESS[effect] > STRICTNESS[found.get(key, "allow")]:
                found[key] = effect
    return found


def _looser(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    for term, effect in before.items():
        now = after.get(term)
        if STRICTNESS[now or "allow"] < STRICTNESS[effect]:
            yield Change(about=term, before=effect, after=now)


def _carried(rules: Rules, intents: Sequence[str]) -> dict[tuple[str, str], None]:
    """Return (intent, text) of every disclaimer."""
    return {
        (intent, rule["text"]): None
        for rule in rules
        if rule["sort"] == "disclaimer"
        for intent in intents
        if not rule["intents"] or intent in rule["intents"]
    }


def _places(rule: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where a bound holds: of what is asked, of what an answer may say unmarked or at all, of the means."""
    if rule["sort"] in (*WATCHING, "disclaimer"):
        return ()
    if rule["sort"] in OF_MEANS:
        return ("writing",)
    asked = ("question",) if rule["in_question"] == "refuse" else ()
    return (*asked, *{"block": ("unmarked", "answer"), "flag": ("unmarked",)}.get(rule["in_answer"], ()))


def _permitted(rules: Rules, intents: Sequence[str]) -> dict[str, set[str]]:
    """Return the values that each bound permits, by "place sort intent"; of several rules, what all of them permit."""
    found: dict[str, set[str]] = {}
    for rule in rules:
        for place in _places(rule):
            for intent in rule["intents"] or intents:
                if intent in intents:
                    about = f"{place} {rule['sort']} {intent}"
                    found[about] = found.get(about, set(rule["terms"])) & set(rule["terms"])
    return found


def _wider(before: Mapping[str, set[str]], after: Mapping[str, set[str]]) -> Iterator[Change]:
    for about, values in before.items():
        for value in sorted(after[about] - values if about in after else {ANY}):
            yield Change(about=about, after=value)
