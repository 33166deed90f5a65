"""What makes a compliance profile unusable, one sentence each. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from apps.corpus.terms import terms
from apps.intents.profile.contracts import (
    BOUNDS,
    LONGEST_NAME,
    LONGEST_TERM,
    LONGEST_TEXT,
    MOST_DISCLAIMER_CHARS,
    MOST_RULES,
    MOST_TERMS,
    NEEDING_EFFECT,
    OF_MEANS,
    RULE_KEY,
    WATCHING,
    InAnswer,
    InQuestion,
    ProfileRule,
    RuleSort,
)
from apps.intents.profile.matching import SHORTEST_BEGINNING, read_term
from apps.intents.profile.values import VALUES, value_problem

# Beside the words that the search leaves out: a country to who writes it, and a pronoun to the comparison.
_EVERYDAY: Final = frozenset({"us"})


def profile_problems(rules: Sequence[ProfileRule], intents: Sequence[str]) -> Iterator[str]:
    """Yield what keeps a profile from being used. Args: intents: those of the version, with the fallback's name."""
    if len(rules) > MOST_RULES:
        yield f"The profile has {len(rules)} rules; {MOST_RULES} are enough."
    for key, times in sorted(Counter(rule.key for rule in rules).items()):
        if times > 1:
            yield f"Profile rule “{key}” occurs more than once; rename one."
    for rule in rules:
        for problem in _rule_problems(rule, intents):
            yield f"Profile rule “{rule.key}” {problem}"
    for intent in intents:
        length = sum(len(rule.text) for rule in disclaimers_of(rules, intent))
        if length > MOST_DISCLAIMER_CHARS:
            yield (
                f"Profile: the disclaimers of “{intent}” have {length:,} characters together; at most "
                f"{MOST_DISCLAIMER_CHARS:,} are allowed. Shorten them."
            )


def disclaimers_of(rules: Sequence[ProfileRule], intent: str) -> tuple[ProfileRule, ...]:
    """Return the disclaimers that answers to questions of an intent carry, in their order."""
    return tuple(rule for rule in rules if rule.sort is RuleSort.DISCLAIMER and rule.holds_for(intent))


def term_problem(term: str) -> str:
    """Return what is wrong with a word or phrase that is to be looked for; empty for nothing."""
    read = read_term(term)
    if not read.pieces:
        return f"looks for “{term}”, which has no letter or digit; write a word."
    if any(len(beginning) < SHORTEST_BEGINNING for piece in read.pieces for beginning in piece.beginnings):
        return f"looks for “{term}”; at least {SHORTEST_BEGINNING} letters must stand before the *."
    if read.pieces and all(len(form) < 2 for form in term.split()):
        return f"looks for “{term}”, a single letter, which stands in too many texts; write a word."
    if not terms(term, "en") or term.casefold().strip() in _EVERYDAY:
        return (
            f"looks for “{term}”, an everyday word, which stands in too many texts, since capitals make no difference; "
            "write it within a phrase."
        )
    return ""


def _rule_problems(rule: ProfileRule, intents: Sequence[str]) -> Iterator[str]:
    if not re.fullmatch(RULE_KEY, rule.key):
        yield "needs a key of lower-case letters, digits and _, at most 40, a letter first."
    if not rule.name.strip() or len(rule.name) > LONGEST_NAME:
        yield f"needs a name of at most {LONGEST_NAME} characters."
    if not rule.text.strip() or len(rule.text) > LONGEST_TEXT:
        needed = "its text" if rule.sort is RuleSort.DISCLAIMER else "a reason for the user"
        yield f"needs {needed}, of at most {LONGEST_TEXT} characters."
    for intent in rule.intents:
        if intent not in intents:
            yield f"speaks of the intent “{intent}”, which this version does not have; correct the rule."
    allows = (rule.in_question, rule.in_answer) == (InQuestion.ALLOW, InAnswer.ALLOW)
    if rule.sort in WATCHING:
        yield from _watching_problems(rule)
    elif rule.sort in BOUNDS:
        yield from _bound_problems(rule)
    elif rule.terms or not allows:
        yield "is a disclaimer: it looks for no words and refuses nothing."
    if rule.sort in NEEDING_EFFECT and allows:
        yield "does nothing; choose what becomes of a question or an answer that names it."
    if rule.sort in OF_MEANS and not allows:
        yield "bounds the means of an answer: it refuses nothing."


def _bound_problems(rule: ProfileRule) -> Iterator[str]:
    if not 1 <= len(rule.terms) <= MOST_TERMS:
        yield f"needs 1 to {MOST_TERMS} values that are permitted; without the rule, any are."
    yield from (problem for value in rule.terms if (problem := value_problem(rule.sort, value)))
    if rule.sort in VALUES and set(rule.terms) >= set(VALUES[rule.sort]):
        yield "permits every value, so it bounds nothing; take the rule out."
    yield from (f"permits “{value}” twice." for value, times in Counter(rule.terms).items() if times > 1)


def _watching_problems(rule: ProfileRule) -> Iterator[str]:
    if rule.intents:
        yield "holds for every question; only a disclaimer or a bound names intents."
    if not 1 <= len(rule.terms) <= MOST_TERMS:
        yield f"needs 1 to {MOST_TERMS} words or phrases to look for."
    for term, times in Counter(" ".join(term.casefold().split()) for term in rule.terms).items():
        if times > 1:
            yield f"looks for “{term}” twice; remove one."
    for term in rule.terms:
        if len(term) > LONGEST_TERM:
            yield f"looks for “{term[:20]}…”, which is longer than {LONGEST_TERM} characters."
        elif problem := term_problem(term):
            yield problem
