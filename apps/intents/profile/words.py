"""A profile's rules in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from apps.intents.diff_words import listed, quoted
from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort

SORTS: Final[Mapping[RuleSort, str]] = {
    RuleSort.TOPIC: "topic",
    RuleSort.PRODUCT: "product",
    RuleSort.DISCLAIMER: "disclaimer",
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


def rule_words(rule: ProfileRule, name_intent: Callable[[str], str]) -> str:
    """Return what a rule demands, in a sentence without its end mark."""
    if rule.sort is RuleSort.DISCLAIMER:
        of = listed([name_intent(intent) for intent in rule.intents]) or "every intent"
        return f"answers to questions of {of} carry the disclaimer {quoted(rule.text)}"
    effects = []
    if rule.in_question is InQuestion.REFUSE:
        effects.append("a question that names it is refused")
    if rule.in_answer is not InAnswer.ALLOW:
        what = "withheld" if rule.in_answer is InAnswer.BLOCK else "marked"
        effects.append(f"an answer that names it is {what}")
    terms = ", ".join(map(quoted, rule.terms))
    return f"{' and '.join(effects) or 'nothing happens'}; it is named by {terms}"


def named(rule: ProfileRule) -> str:
    """Return a rule's name as a user reads it: topic “Tax advice”."""
    return f"{SORTS[rule.sort]} {quoted(rule.name)}"


def profile_notes(rules: Sequence[ProfileRule]) -> Iterator[str]:
    """Yield what a profile keeps from whoever asks, whatever they may reach, in a sentence for each way."""
    refusing = [named(rule) for rule in rules if rule.in_question is InQuestion.REFUSE]
    if refusing:
        yield f"Whoever asked: the compliance profile refused questions that name the {listed(refusing, 'or the')}."
    blocking = [named(rule) for rule in rules if rule.in_answer is InAnswer.BLOCK]
    if blocking:
        yield f"The compliance profile withheld answers that name the {listed(blocking, 'or the')}."
