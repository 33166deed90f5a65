"""The changes of a profile in words: what is answered now, what is refused now, then the rest. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from apps.intents.diff_kinds import ChangeKind, PolicyChange
from apps.intents.diff_words import listed, quoted
from apps.intents.profile.contracts import BOUNDS, InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.profile_words import IN_ANSWER, IN_QUESTION, name_rule, rule_words

_STRICTNESS = list(reversed(InAnswer))


def profile_changes(
    before: Sequence[ProfileRule], after: Sequence[ProfileRule], name_intent: Callable[[str], str]
) -> Iterator[PolicyChange]:
    """Yield one sentence for each change; none if and only if the profiles are equal."""
    old, new = ({rule.key: rule for rule in rules} for rules in (before, after))
    for key, rule in new.items():
        if key not in old:
            sentence = f"Profile: the {name_rule(rule)} is new: {rule_words(rule, name_intent)}."
            yield PolicyChange(kind=_kind(rule, ChangeKind.NARROWS), sentence=sentence)
        elif rule != old[key]:
            yield from _rule_changes(old[key], rule, name_intent)
    for key, rule in old.items():
        if key not in new:
            sentence = f"Profile: the {name_rule(rule)} is gone. It said: {rule_words(rule, name_intent)}."
            yield PolicyChange(kind=_kind(rule, ChangeKind.WIDENS), sentence=sentence)
    if [key for key in old if key in new] != [key for key in new if key in old]:
        yield _other("Profile: its rules are in a different order, which is that of the disclaimers under an answer.")


def _rule_changes(before: ProfileRule, after: ProfileRule, name_intent: Callable[[str], str]) -> Iterator[PolicyChange]:
    what = f"Profile: the {name_rule(after)}"
    if after.sort is not before.sort:
        yield _other(f"{what} was the {name_rule(before)}: now {rule_words(after, name_intent)}.")
        return
    gone = [term for term in before.terms if term not in after.terms]
    added = [term for term in after.terms if term not in before.terms]
    if after.sort in BOUNDS:
        if added:
            sentence = f"{what} now also permits {listed(added)}."
            yield PolicyChange(kind=ChangeKind.WIDENS, sentence=sentence)
        if gone:
            sentence = f"{what} no longer permits {listed(gone, 'or')}."
            yield PolicyChange(kind=ChangeKind.NARROWS, sentence=sentence)
    elif gone:
        sentence = f"{what} no longer looks for {listed([quoted(term) for term in gone], 'or')}."
        yield PolicyChange(kind=ChangeKind.WIDENS, sentence=sentence)
    if added and after.sort not in BOUNDS:
        yield PolicyChange(
            kind=ChangeKind.NARROWS, sentence=f"{what} now also looks for {listed([quoted(term) for term in added])}."
        )
    if not gone and not added and after.terms != before.terms:
        yield _other(f"{what} has its words in a different order.")
    if after.in_question is not before.in_question:
        kind = ChangeKind.NARROWS if after.in_question is InQuestion.REFUSE else ChangeKind.WIDENS
        yield PolicyChange(kind=kind, sentence=f"{what}: {_low(IN_QUESTION[after.in_question])} now.")
    if after.in_answer is not before.in_answer:
        stricter = _STRICTNESS.index(after.in_answer) > _STRICTNESS.index(before.in_answer)
        yield PolicyChange(
            kind=ChangeKind.NARROWS if stricter else ChangeKind.WIDENS,
            sentence=f"{what}: {_low(IN_ANSWER[after.in_answer])} now.",
        )
    if after.name != before.name:
        yield _other(f"{what} was called {quoted(before.name)}.")
    if after.intents != before.intents:
        of = listed([name_intent(intent) for intent in after.intents]) or "every intent"
        yield _other(f"{what} now holds for questions of {of}.")
    if after.text != before.text:
        meaning = "its text" if after.sort is RuleSort.DISCLAIMER else "the reason that users read"
        yield _other(f"{what}: {meaning} is now {quoted(after.text)}")


def _kind(rule: ProfileRule, kind: ChangeKind) -> ChangeKind:
    """A disclaimer lets nothing through and holds nothing back."""
    return ChangeKind.OTHER if rule.sort is RuleSort.DISCLAIMER else kind


def _low(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _other(sentence: str) -> PolicyChange:
    return PolicyChange(kind=ChangeKind.OTHER, sentence=sentence)
