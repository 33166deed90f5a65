"""Check a policy's invariants, and name the counterexample of each that is broken. Pure.

What an intent reaches is the same for every role that may ask, so an invariant counts every such role, whether or not
anybody holds it today: a membership that begins tomorrow can break nothing. sql/invariants.sql says the same for the
database, and a test compares both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from apps.intents.contracts import PolicySnapshot
from apps.intents.diff_words import listed
from apps.intents.invariants import LONGEST_NAME, MOST_INVARIANTS, Invariant, InvariantMode
from apps.intents.proof.facts import FALLBACK, facts_of
from apps.intents.proof.words import Names, names_of
from apps.intents.snapshots.content import policy_content
from apps.tenants.roles import Permission, Role, allows

ASKING: Final = tuple(sorted(role.value for role in Role if allows([role], Permission.QUESTION_ASK)))
"""The roles that may ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A broken invariant with every counterexample: (intent, kind, the roles that reach it so)."""

    invariant: Invariant
    counterexamples: tuple[tuple[str, str, tuple[str, ...]], ...]


def broken_invariants(snapshot: PolicySnapshot, of: PolicySnapshot | None = None) -> tuple[Broken, ...]:
    """Return the invariants that a policy breaks, in their order. Args: of: whose they are; None for its own."""
    reach = facts_of(policy_content(snapshot), {}).reach
    of = of or snapshot
    were = {*(rule.name for rule in of.intents), FALLBACK}
    found = []
    for invariant in of.invariants:
        # An intent of another version that is gone may have been renamed: a new one counts as the one that is meant.
        meant = {*invariant.intents, *(reach.keys() - were if set(invariant.intents) & were - reach.keys() else ())}
        cells = tuple(
            (intent, kind, roles)
            for intent, kinds in reach.items()
            for kind in sorted(kinds & set(invariant.kinds))
            if (roles := _against(invariant, intent, meant))
        )
        if cells:
            found.append(Broken(invariant=invariant, counterexamples=cells))
    return tuple(found)


def invariant_problems(snapshot: PolicySnapshot) -> Iterator[str]:
    """Yield one sentence for each invariant that is broken, or that speaks of what is not there."""
    names = names_of(snapshot)
    if len(snapshot.invariants) > MOST_INVARIANTS:
        yield f"There are {len(snapshot.invariants)} invariants; {MOST_INVARIANTS} are enough."
    said = [each.name for each in snapshot.invariants]
    yield from (
        f"Two invariants are called “{name}”; rename one." for name in sorted(set(said)) if said.count(name) > 1
    )
    known = {*(rule.name for rule in snapshot.intents), FALLBACK}
    kinds = {str(budget.kind) for budget in snapshot.budgets}
    for each in snapshot.invariants:
        yield from _unclear(each, known, kinds)
    for broken in broken_invariants(snapshot):
        yield _sentence(broken, names)


def earlier_problems(snapshot: PolicySnapshot, earlier: PolicySnapshot) -> Iterator[str]:
    """Yield one sentence for each invariant of the version before that a version breaks, having dropped or changed it.

    So what an invariant forbids takes two versions and two approvals: one that drops it, and one that permits it.
    """
    names = Names(intents={rule.name: rule.label for rule in snapshot.intents})
    for broken in broken_invariants(snapshot, earlier):
        if broken.invariant not in snapshot.invariants:
            yield (
                f"{_sentence(broken, names)} It stands in version {earlier.number}, and the version that drops or "
                "changes an invariant still has to keep it. Permit that in a version after this one."
            )


def invariant_words(invariant: Invariant, names: Names) -> str:
    """Return what an invariant demands, as a sentence."""
    kinds = listed([names.kind(kind) for kind in invariant.kinds], "or")
    intents = listed([names.intent(intent) for intent in invariant.intents], "or")
    roles = listed([names.role(role) for role in invariant.roles], "or")
    questions = f"questions of the intent {intents}" if intents else "questions"
    who = f"{questions} by the role {roles}" if roles else questions
    if invariant.mode is InvariantMode.NEVER:
        return f"No {who} may reach {kinds}."
    return f"Only {who} may reach {kinds}."


def _against(invariant: Invariant, intent: str, meant: set[str]) -> tuple[str, ...]:
    """Return the roles by which a question of the intent breaks the invariant, if it reaches one of its kinds."""
    roles = frozenset(invariant.roles or ASKING)
    if invariant.mode is InvariantMode.NEVER:
        return tuple(role for role in ASKING if role in roles and (not invariant.intents or intent in meant))
    inside = roles if not invariant.intents or intent in invariant.intents else frozenset()
    return tuple(role for role in ASKING if role not in inside)


def _unclear(invariant: Invariant, known: set[str], kinds: set[str]) -> Iterator[str]:
    name = f"The invariant “{invariant.name}”"
    if not invariant.name.strip() or len(invariant.name) > LONGEST_NAME:
        yield f"An invariant needs a name of at most {LONGEST_NAME} characters."
    if not invariant.kinds:
        yield f"{name} names no kind of document; choose at least one."
    if invariant.mode is InvariantMode.ONLY and not (invariant.intents or invariant.roles):
        yield f"{name} excepts every question, so it forbids nothing; name the intents or the roles that alone may."
    # A name that nothing has any more would hold of nothing: an intent that is renamed must not slip from under it.
    for intent in invariant.intents:
        if intent not in known:
            yield f"{name} speaks of the intent “{intent}”, which this version does not have; correct the invariant."
    for role in invariant.roles:
        if role not in Role.values:
            yield f"{name} speaks of the role “{role}”, which does not exist."
    for kind in invariant.kinds:
        if kind not in kinds:
            yield f"{name} speaks of the kind “{kind}”, which this version does not have; correct the invariant."


def _sentence(broken: Broken, names: Names) -> str:
    intent, kind, roles = broken.counterexamples[0]
    more = len(broken.counterexamples) - 1
    others = f" So {'does' if more == 1 else 'do'} {more} more." if more else ""
    return (
        f"The invariant “{broken.invariant.name}” is broken: {names.intent(intent)} → {names.kind(kind)}, asked by "
        f"{listed([names.role(role) for role in roles], 'or')}.{others}"
    )
