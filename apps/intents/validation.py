"""Check whether a policy can be used. Pure: the functions read a snapshot and name its problems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from apps.corpus.kinds import KIND_KEY, Right
from apps.intents.contracts import FALLBACK_NAME, UNRECOGNISED, IntentRule, PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.profile.problems import profile_problems
from apps.intents.proof.invariants import earlier_problems, invariant_problems

# All shipped packs together have 28 intents: 92 per cent of their 510 examples are recognised, in 1.4 s.
MINIMUM_INTENTS, MAXIMUM_INTENTS = 5, 30
MINIMUM_EXAMPLES = 5
# The test of the classifier compares each example with every other, and each is embedded once for every version.
MAXIMUM_EXAMPLES = 200
MAXIMUM_EXAMPLES_IN_ALL = 2000  # with 30 intents they take the test 20 s of two busy cores
MAXIMUM_KINDS = 40


def policy_problems(snapshot: PolicySnapshot, after: PolicySnapshot | None = None) -> tuple[str, ...]:
    """Return every problem that makes a policy unusable, one sentence each; empty for a valid policy.

    Args: after: the version in force, for one that is to follow it.
    """
    return (
        *_intent_problems(snapshot),
        *term_problems(snapshot),
        *_repeated(snapshot),
        *_kind_problems(snapshot),
        *_budget_problems(snapshot),
        *_threshold_problems(snapshot),
        *invariant_problems(snapshot),
        *(earlier_problems(snapshot, after) if after else ()),
        *profile_problems(snapshot.profile, [*(rule.name for rule in snapshot.intents), FALLBACK_NAME]),
    )


def require_valid(snapshot: PolicySnapshot, after: PolicySnapshot | None = None) -> None:
    """Raise InvalidPolicyError with all problems, unless the policy can be used, after the version in force."""
    problems = policy_problems(snapshot, after)
    if problems:
        raise InvalidPolicyError(problems=problems)


def require_storable(snapshot: PolicySnapshot) -> None:
    """Raise InvalidPolicyError where the tables can't hold a policy even as a draft: something stands in it twice."""
    keys = Counter(rule.key for rule in snapshot.profile)
    problems = (
        *_named_twice(snapshot),
        *_repeated(snapshot),
        *_kinds_twice(snapshot),
        *(f"Profile rule “{key}” occurs more than once; rename one." for key, times in keys.items() if times > 1),
        *(
            f"The example '{text}' of intent '{intent or UNRECOGNISED}' occurs twice; remove one."
            for (intent, text), times in Counter((each.intent, each.text) for each in snapshot.examples).items()
            if times > 1
        ),
    )
    if problems:
        raise InvalidPolicyError(problems=problems)


def _repeated(snapshot: PolicySnapshot) -> Iterator[str]:
    for rule in snapshot.intents:
        for text, times in Counter(term.text for term in rule.terms).items():
            if times > 1:
                yield f"The term '{text}' of intent '{rule.name}' occurs twice; remove one."
        for kind, times in Counter(rule.kinds).items():
            if times > 1:
                yield f"Intent '{rule.name}' may reach the kind '{kind.value}' twice; once is enough."


def _named_twice(snapshot: PolicySnapshot) -> Iterator[str]:
    names = Counter(rule.name for rule in snapshot.intents)
    yield from (f"Intent '{name}' occurs more than once." for name, times in sorted(names.items()) if times > 1)


def _kinds_twice(snapshot: PolicySnapshot) -> Iterator[str]:
    keys = Counter(budget.kind.value for budget in snapshot.budgets)
    yield from (f"Kind '{key}' occurs more than once." for key, times in sorted(keys.items()) if times > 1)


def term_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    """Terms that the policy file could not give back, one sentence each: terms are separated by commas there."""
    for rule in snapshot.intents:
        for term in rule.terms:
            if "," in term.text:
                yield f"The term '{term.text}' of intent '{rule.name}' has a comma; make it two terms, or leave it out."
            elif not term.text.strip() or term.text != " ".join(term.text.split()):
                yield (
                    f"The term '{term.text}' of intent '{rule.name}' has blanks around it, two in a row, or a line "
                    "break; write its words with one blank between them."
                )


def example_key(text: str) -> str:
    """Return an example as the check compares it with others: without regard to capitals and blanks."""
    return " ".join(text.casefold().split())


def _intent_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    count = len(snapshot.intents)
    if not MINIMUM_INTENTS <= count <= MAXIMUM_INTENTS:
        yield f"It has {count} intents; {MINIMUM_INTENTS} to {MAXIMUM_INTENTS} are required."
    names = [rule.name for rule in snapshot.intents]
    yield from _named_twice(snapshot)
    examples_of = Counter(example.intent for example in snapshot.examples)
    for rule in snapshot.intents:
        if not rule.kinds:
            yield f"Intent '{rule.name}' may reach no kind. Select one, or remove the intent."
        own = examples_of[rule.name]
        if own < MINIMUM_EXAMPLES:
            yield f"Intent '{rule.name}' has {own} review examples; at least {MINIMUM_EXAMPLES} are needed."
        if own > MAXIMUM_EXAMPLES:
            yield f"Intent '{rule.name}' has {own} review examples; {MAXIMUM_EXAMPLES} are enough."
        if not rule.label.strip() or not rule.description.strip():
            yield f"Intent '{rule.name}' needs a name for people and a description in plain words."
    if (in_all := sum(examples_of[name] for name in set(names))) > MAXIMUM_EXAMPLES_IN_ALL:
        yield f"Its intents have {in_all:,} review examples together; {MAXIMUM_EXAMPLES_IN_ALL:,} are enough."
    if not snapshot.fallback.label.strip() or not snapshot.fallback.description.strip():
        yield "Unrecognised questions need a name for people and a description in plain words."
    known = {*names, UNRECOGNISED}
    for example in snapshot.examples:
        if example.intent not in known:
            yield f"The example '{example.text}' expects the intent '{example.intent}', which does not exist."
    if any(not example.text.strip() for example in snapshot.examples):
        yield "A review example is empty; enter a question, or remove it."
    texts = [example_key(example.text) for example in snapshot.examples]
    yield from (f"The example '{text}' occurs more than once." for text, times in Counter(texts).items() if times > 1)
    smallest = min((len(set(rule.kinds)) for rule in snapshot.intents), default=0)
    if len(set(snapshot.fallback.kinds)) > smallest:
        yield (
            f"An unrecognised question would reach {len(set(snapshot.fallback.kinds))} kinds, more than the "
            f"{smallest} of the smallest intent; the fallback must be the most restrictive set."
        )


def successor_problems(before: PolicySnapshot, after: PolicySnapshot, documented: frozenset[str]) -> Iterator[str]:
    """What makes a policy unusable as the next of another one, one sentence each.

    Args: documented: the keys of kinds of which there are documents. These keep their kind's key, so the kind stays.
    """
    here = {budget.kind.value: budget for budget in after.budgets}
    for key in sorted(documented.difference(here)):
        yield f"Kind '{key}' is left out, and there are documents of it. Put it back, and retire it instead."
    for rule in after.reaches:
        name = rule.name if isinstance(rule, IntentRule) else UNRECOGNISED
        earlier = before.intent(name) if name else before.fallback
        for kind in rule.kinds:
            if kind.value in here and here[kind.value].retired and (earlier is None or kind not in earlier.kinds):
                who = f"intent '{name}'" if name else "the fallback"
                yield f"Kind '{kind.value}' is retired, and {who} would newly reach it. Untick it."


def _kind_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    keys = [budget.kind.value for budget in snapshot.budgets]
    if not any(not budget.retired for budget in snapshot.budgets):
        yield "It has no kind in use; add a kind of document, or use one of the retired ones again."
    if len(keys) > MAXIMUM_KINDS:
        yield f"It has {len(keys)} kinds; {MAXIMUM_KINDS} are enough. Leave out those without documents."
    yield from _kinds_twice(snapshot)
    for budget in snapshot.budgets:
        if not re.fullmatch(KIND_KEY, budget.kind):
            yield (
                f"The key of kind '{budget.kind.value}' must be lower-case letters, digits and _, at most 32, a letter "
                "first."
            )
        for roles, right, can in (
            (budget.uploaders, Right.UPLOAD, "add documents"),
            (budget.correctors, Right.CORRECT, "correct documents"),
            (budget.removers, Right.REMOVE, "propose the removal of documents"),
        ):
            strange = sorted(set(roles).difference(right.roles))
            if strange:
                labels = ", ".join(str(role.label) for role in strange)
                yield f"Kind '{budget.kind.value}' names roles that can't {can}: {labels}. Choose others."
    for rule in snapshot.intents:
        for kind in rule.kinds:
            if kind not in keys:
                yield f"Intent '{rule.name}' may reach the kind '{kind.value}', which is not among the kinds."
    for kind in snapshot.fallback.kinds:
        if kind not in keys:
            yield f"Unrecognised questions may reach the kind '{kind.value}', which is not among the kinds."


def _budget_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    yield from (
        f"The budget of '{budget.kind.value}' needs a heading."
        for budget in snapshot.budgets
        if not budget.label.strip()
    )
    positions = [budget.position for budget in snapshot.budgets]
    if len(set(positions)) != len(positions):
        yield "Two budgets share a position; the order must be clear."
    yield from (
        f"The cap of '{budget.kind.value}' must be at least one character."
        for budget in snapshot.budgets
        if budget.cap_chars < 1
    )
    if snapshot.total_cap_chars < 1:
        yield "The total cap must be at least one character."
        return
    yield from (
        (
            f"The cap of '{budget.kind.value}', {budget.cap_chars:,} characters, is larger than the "
            f"total of {snapshot.total_cap_chars:,}: it could never be used fully. Lower it, or raise "
            "the total."
        )
        for budget in snapshot.budgets
        if budget.cap_chars > snapshot.total_cap_chars
    )


def _threshold_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    settings = snapshot.classifier
    if settings.neighbours < 1:
        yield "The number of neighbours must be at least 1."
    if settings.points_for_full_weight <= 0:
        yield "The points for the full term weight must be more than 0."
    if not 0 <= settings.minimum_golden_accuracy <= 1:
        yield "The minimum accuracy must be between 0 and 1."
    negative = [
        name
        for name in ("term_weight", "decisive_points", "minimum_margin", "minimum_term_points", "minimum_term_margin")
        if getattr(settings, name) < 0
    ]
    yield from (f"The setting '{name}' must not be negative." for name in negative)
