"""A profile's rules in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from apps.intents.diff_words import listed, quoted
from apps.intents.profile.contracts import BOUNDS, OF_MEANS, InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.profile.means import DIRECT, modes_in_words

SORTS: Final[Mapping[RuleSort, str]] = {
    RuleSort.TOPIC: "topic",
    RuleSort.PRODUCT: "product",
    RuleSort.DISCLAIMER: "disclaimer",
    RuleSort.CLIENTS: "bound of client categories",
    RuleSort.INSTRUMENTS: "bound of instruments",
    RuleSort.ASSET_CLASSES: "bound of asset classes",
    RuleSort.RISK_CLASSES: "bound of risk classes",
    RuleSort.JURISDICTIONS: "bound of jurisdictions",
    RuleSort.MODELS: "bound of models",
    RuleSort.REGIONS: "bound of regions",
    RuleSort.SOURCES: "bound of external sources",
    RuleSort.RESEARCH_MODES: "bound of research modes",
}
IN_QUESTION: Final[Mapping[InQuestion, str]] = {
    InQuestion.REFUSE: "A question that names it is refused",
    InQuestion.ALLOW: "A question may name it",
}
IN_ANSWER: Final[Mapping[InAnswer, str]] = {
    InAnswer.BLOCK: "An answer that names it is withheld",
    InAnswer.FLAG: "An answer that names it is marked",
    InAnswer.ALLOW: "An answer may name it",
}


_MEANS: Final[Mapping[RuleSort, str]] = {
    RuleSort.JURISDICTIONS: "found no documents of other jurisdictions than",
    RuleSort.MODELS: "were answered in words by no other models than",
    RuleSort.REGIONS: "were answered in words in no other regions than",
}


def rule_words(rule: ProfileRule, name_intent: Callable[[str], str]) -> str:
    """Return what a rule demands, in a sentence without its end mark."""
    of = listed([name_intent(intent) for intent in rule.intents]) or "every intent"
    if rule.sort is RuleSort.DISCLAIMER:
        return f"answers to questions of {of} carry the disclaimer {quoted(rule.text)}"
    if rule.sort is RuleSort.RESEARCH_MODES:
        plain = "" if DIRECT in rule.terms else "; outside of research they are refused"
        return f"questions of {of} are researched only in the modes {modes_in_words(rule.terms)}{plain}"
    if rule.sort in OF_MEANS:
        return (
            f"questions of {of} are answered only with the {rule.sort.value.replace('_', ' ')} {', '.join(rule.terms)}"
        )
    names = "names anything else" if rule.sort in BOUNDS else "names it"
    effects = []
    if rule.in_question is InQuestion.REFUSE:
        effects.append(f"a question that {names} is refused")
    if rule.in_answer is not InAnswer.ALLOW:
        effects.append(f"an answer that {names} is {'withheld' if rule.in_answer is InAnswer.BLOCK else 'marked'}")
    said = " and ".join(effects) or "nothing happens"
    if rule.sort in BOUNDS:
        return f"questions of {of} may name {', '.join(rule.terms)}; {said}"
    return f"{said}; it is named by {', '.join(map(quoted, rule.terms))}"


def name_rule(rule: ProfileRule) -> str:
    """Return a rule's name as a user reads it: topic “Tax advice”."""
    return f"{SORTS[rule.sort]} {quoted(rule.name)}"


def _what(rule: ProfileRule) -> str:
    """Return what a text must not name: the topic “Tax advice”; of a bound, what it does not permit."""
    return f"values outside the {name_rule(rule)}" if rule.sort in BOUNDS else name_rule(rule)


def _notes_on_means(rules: Sequence[ProfileRule]) -> Iterator[str]:
    """Yield what was marked, and by which means and from which documents questions were answered."""
    marking = [_what(rule) for rule in rules if rule.in_answer is InAnswer.FLAG]
    if marking:
        yield f"The compliance profile marked answers that name the {listed(marking, 'or the')}."
    for rule in rules:
        if rule.sort in _MEANS:
            of = listed(list(rule.intents)) or "every intent"
            yield f"By the {name_rule(rule)}, questions of {of} {_MEANS[rule.sort]} {listed(list(rule.terms), 'or')}."


def profile_notes(rules: Sequence[ProfileRule]) -> Iterator[str]:
    """Yield what a profile keeps from whoever asks, whatever they may reach, in a sentence for each way."""
    refusing = [_what(rule) for rule in rules if rule.in_question is InQuestion.REFUSE]
    if refusing:
        yield f"Whoever asked: the compliance profile refused questions that name the {listed(refusing, 'or the')}."
    yield from _notes_on_means(rules)
    blocking = [_what(rule) for rule in rules if rule.in_answer is InAnswer.BLOCK]
    if blocking:
        yield f"The compliance profile withheld answers that name the {listed(blocking, 'or the')}."
    for rule in rules:
        if rule.sort is RuleSort.RESEARCH_MODES:
            of = listed(list(rule.intents)) or "every intent"
            yield f"The {name_rule(rule)} let questions of {of} be researched in these modes alone: " + (
                f"{modes_in_words(rule.terms)}."
                if DIRECT in rule.terms
                else f"{modes_in_words(rule.terms)}. Outside of research they were refused."
            )
