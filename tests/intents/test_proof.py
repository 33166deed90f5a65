"""What a change of policy lets through: every theorem against a reference that enumerates everything."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import RetentionClass, Right, SourceType
from apps.intents.access.reach import intent_reaches
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import IntentRule, KindBudget, PolicySnapshot, RecordingMode
from apps.intents.profile.contracts import BOUNDS, OF_MEANS, WATCHING, InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.proof.contracts import SINCE_V2, Block, Result, Theorem
from apps.intents.proof.facts import FALLBACK, Held
from apps.intents.proof.profile import term_key
from apps.intents.proof.rendering import FIRST_FORMAT, Side, is_decided_so, proof_sha256, prove, stated_of
from apps.intents.reviewers import TwoFor
from apps.intents.snapshots.content import sort_kinds
from apps.tenants.roles import Role
from tests.intents.profile.rules import profiles

BASE = baseline_snapshot()
ROLES = ("analyst", "reviewer", "compliance_officer")
SCOPES = ("a", "b", "c", "d")
# The first two are those for which rules of a profile hold.
NAMES = ("performance", "compliance", "three", "four")

kinds = st.sets(st.sampled_from(BASE.kinds)).map(lambda each: sort_kinds(each, BASE.kinds))
modes = st.sampled_from(list(RecordingMode))
who = st.sets(st.sampled_from(list(Role)), max_size=2).map(lambda each: tuple(sorted(each)))
two_for = st.sets(st.sampled_from(list(TwoFor))).map(lambda each: tuple(sorted(each)))
held = st.dictionaries(st.sampled_from(ROLES), st.frozensets(st.sampled_from(SCOPES)))


@st.composite
def policies(draw: st.DrawFn) -> PolicySnapshot:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    budgets = draw(st.lists(st.sampled_from(BASE.budgets), unique=True))
    return replace(
        BASE,
        intents=tuple(
            replace(BASE.intents[0], name=name, label=name, kinds=draw(kinds), recording_mode=draw(modes))
            for name in names
        ),
        fallback=replace(BASE.fallback, kinds=draw(kinds), recording_mode=draw(modes)),
        budgets=tuple(
            replace(
                each,
                cap_chars=draw(st.integers(1, 3)),
                uploaders=draw(who),
                correctors=draw(who),
                removers=draw(who),
                retired=draw(st.booleans()),
                retention_class=draw(st.sampled_from(list(RetentionClass)[:2])),
                source_category=draw(st.sampled_from(list(SourceType)[:2])),
            )
            for each in budgets
        ),
        total_cap_chars=draw(st.integers(1, 3)),
        profile=draw(profiles),
        two_reviewers_for=draw(two_for),
    )


sides = st.builds(lambda policy, held: Side(policy=policy, held=held), policies(), held)


def reached(side: Side) -> set[tuple[str, str, str, str]]:
    """By the gate itself, one combination at a time."""
    return {
        (role, scope, intent.name, kind.value)
        for role, scopes in side.held.items()
        for scope in scopes
        for intent in intent_reaches(side.policy)
        for kind in intent.kinds
    }


def expanded(blocks: tuple[Block, ...]) -> list[tuple[str, ...]]:
    return [
        (role, scope, *cell)
        for block in blocks
        for role, scopes in block.places
        for scope in scopes
        for cell in ([(i, k) for i, ks in block.cells for k in ks] if block.cells else [()])
    ]


def recorded(side: Side) -> dict[str, str]:
    rules = {rule.name: rule.recording_mode.value for rule in side.policy.intents}
    return {**rules, FALLBACK: side.policy.fallback.recording_mode.value}


def capped(side: Side) -> dict[str, int]:
    return {**{each.kind.value: each.cap_chars for each in side.policy.budgets}, "": side.policy.total_cap_chars}


def cells(side: Side) -> set[tuple[str, str]]:
    return {(intent.name, kind.value) for intent in intent_reaches(side.policy) for kind in intent.kinds}


def reference(one: Side, other: Side) -> dict[Theorem, set[tuple[str, ...]]]:
    """What is on the other side and not on the one, for each theorem that has a counterpart."""
    old, new = reached(one), reached(other)
    places = [{(role, scope) for role, scopes in side.held.items() for scope in scopes} for side in (one, other)]
    any_old, any_new = ({(r, s, "", k) for r, s, _, k in each} for each in (old, new))
    return {
        Theorem.NOTHING_PERMITTED: cells(other) - cells(one),
        Theorem.NOTHING_GAINED: new - old,
        Theorem.NO_KIND_GAINED: any_new - any_old,
        Theorem.NO_PLACE_GAINED: places[1] - places[0],
        Theorem.NO_MORE_TEXT_KEPT: {
            (name,)
            for name, mode in recorded(other).items()
            if mode == "encrypted_text" and recorded(one).get(name) != "encrypted_text"
        },
        Theorem.NO_CAP_RAISED: {(k,) for k, cap in capped(other).items() if cap > capped(one).get(k, 0)},
        Theorem.NO_INTENT_NEW: {(name,) for name in recorded(other) if name not in recorded(one)},
    }


OPPOSITES = {
    Theorem.NOTHING_PERMITTED: Theorem.NOTHING_FORBIDDEN,
    Theorem.NOTHING_GAINED: Theorem.NOTHING_LOST,
    Theorem.NO_KIND_GAINED: Theorem.NO_KIND_LOST,
    Theorem.NO_PLACE_GAINED: Theorem.NO_PLACE_LOST,
    Theorem.NO_MORE_TEXT_KEPT: Theorem.NO_LESS_TEXT_KEPT,
    Theorem.NO_CAP_RAISED: Theorem.NO_CAP_LOWERED,
    Theorem.NO_INTENT_NEW: Theorem.NO_INTENT_GONE,
}


def found(result: Result) -> list[tuple[str, ...]]:
    if result.theorem in (Theorem.NOTHING_PERMITTED, Theorem.NOTHING_FORBIDDEN):
        return [(change.about, change.after or change.before or "") for change in result.changes]
    return expanded(result.blocks) + [(change.about,) for change in result.changes]


# --- The reference of kinds: each kind, right, role and change by itself, by what the services ask --------------------

OF_RIGHTS = {
    Right.UPLOAD: (Theorem.NO_UPLOADER_GAINED, Theorem.NO_UPLOADER_LOST),
    Right.CORRECT: (Theorem.NO_CORRECTOR_GAINED, Theorem.NO_CORRECTOR_LOST),
    Right.REMOVE: (Theorem.NO_REMOVER_GAINED, Theorem.NO_REMOVER_LOST),
}


def budget(side: Side, kind: str) -> KindBudget | None:
    return next((each for each in side.policy.budgets if each.kind == kind), None)


def may(side: Side, kind: str, right: Right, role: Role) -> bool:
    found = budget(side, kind)
    if found is None or (found.retired and right is Right.UPLOAD):
        return False
    return role in found.holders_of(right)


def takes(side: Side, kind: str) -> bool:
    found = budget(side, kind)
    return found is not None and not found.retired


def takes_two(side: Side, change: TwoFor) -> bool:
    return change in side.policy.two_reviewers_for or TwoFor.EVERYTHING in side.policy.two_reviewers_for


def on_kinds(one: Side, other: Side) -> dict[Theorem, set[tuple[str, str | None, str | None]]]:
    """Each kind, right and role by itself."""
    every = {each.value for each in BASE.kinds}
    both = [(kind, budget(one, kind), budget(other, kind)) for kind in every]
    stay = [(kind, old, new) for kind, old, new in both if old is not None and new is not None]
    moved = [
        (right, kind, role.value, may(one, kind, right, role), may(other, kind, right, role))
        for right, kind, role in product(Right, every, Role)
    ]
    return {
        **{
            gained: {(kind, None, role) for each, kind, role, had, has in moved if each is right and has and not had}
            for right, (gained, _) in OF_RIGHTS.items()
        },
        **{
            lost: {(kind, role, None) for each, kind, role, had, has in moved if each is right and had and not has}
            for right, (_, lost) in OF_RIGHTS.items()
        },
        Theorem.NO_KIND_RETIRED: {(k, None, None) for k in every if takes(one, k) and not takes(other, k)},
        Theorem.NO_KIND_TAKEN_UP: {(k, None, None) for k in every if takes(other, k) and not takes(one, k)},
        Theorem.SAME_RETENTION: {
            (kind, old.retention_class.value, new.retention_class.value)
            for kind, old, new in stay
            if old.retention_class is not new.retention_class
        },
        Theorem.SAME_SOURCE: {
            (kind, old.source_category.value, new.source_category.value)
            for kind, old, new in stay
            if old.source_category is not new.source_category
        },
        Theorem.TWO_REVIEWERS_KEPT: {
            (change.value, None, None) for change in TwoFor if takes_two(one, change) and not takes_two(other, change)
        },
    }


# --- The reference of a profile: each place, sort, intent, term and value by itself -----------------------------------

Changes = set[tuple[str, str | None, str | None]]
STRICT = ("allow", "flag", "block")
PLACES: dict[str, Callable[[ProfileRule], bool]] = {
    "question": lambda rule: rule.in_question is InQuestion.REFUSE,
    "unmarked": lambda rule: rule.in_answer is not InAnswer.ALLOW,
    "answer": lambda rule: rule.in_answer is InAnswer.BLOCK,
    "writing": lambda rule: rule.sort in OF_MEANS,
}


def watching(side: Side, term: str) -> list[ProfileRule]:
    return [rule for rule in side.policy.profile if rule.sort in WATCHING and term in map(term_key, rule.terms)]


def strictest(side: Side, term: str) -> str:
    return max((rule.in_answer.value for rule in watching(side, term)), key=STRICT.index, default="allow")


def refusing(side: Side, term: str) -> str | None:
    return next((rule.key for rule in watching(side, term) if rule.in_question is InQuestion.REFUSE), None)


def disclaimers(side: Side, intent: str) -> set[str]:
    return {rule.text for rule in side.policy.profile if rule.sort is RuleSort.DISCLAIMER and rule.holds_for(intent)}


def permits(side: Side, place: str, sort: RuleSort, intent: str, value: str) -> bool | None:
    """Whether every rule that holds there permits the value; None where there is no rule."""
    rules = [
        rule for rule in side.policy.profile if rule.sort is sort and rule.holds_for(intent) and PLACES[place](rule)
    ]
    return all(value in rule.terms for rule in rules) if rules else None


def on_profile(one: Side, other: Side) -> dict[Theorem, Changes]:
    """What the other side lets through that the one did not; nothing is stated of two policies without a profile."""
    rules = [*one.policy.profile, *other.policy.profile]
    if not rules:
        return {}
    names = [{FALLBACK, *(rule.name for rule in side.policy.intents)} for side in (one, other)]
    shared = names[0] & names[1]
    terms = {term_key(term) for rule in rules for term in rule.terms}
    widened: Changes = set()
    for place, sort, intent in product(PLACES, BOUNDS, shared):
        about = f"{place} {sort.value} {intent}"
        for value in {term for rule in rules for term in rule.terms}:
            old, new = (permits(side, place, sort, intent, value) for side in (one, other))
            widened |= {(about, None, value)} if old is False and new else set()
            widened |= {(about, None, "any")} if old is not None and new is None else set()
    return {
        Theorem.NO_QUESTION_FREED: {
            (term, refusing(one, term), None) for term in terms if refusing(one, term) and not refusing(other, term)
        },
        Theorem.NO_ANSWER_FREED: {
            (term, strictest(one, term), strictest(other, term) if strictest(other, term) != "allow" else None)
            for term in terms
            if STRICT.index(strictest(other, term)) < STRICT.index(strictest(one, term))
        },
        Theorem.NO_DISCLAIMER_GONE: {
            (intent, text, None) for intent in shared for text in disclaimers(one, intent) - disclaimers(other, intent)
        },
        Theorem.NO_BOUND_WIDENED: widened,
    }


def opposite_on_profile(one: Side, other: Side) -> dict[Theorem, Changes]:
    return {
        OPPOSITES_OF_PROFILE[theorem]: {(about, after, before) for about, before, after in changes}
        for theorem, changes in on_profile(other, one).items()
    }


OPPOSITES_OF_PROFILE = {
    Theorem.NO_QUESTION_FREED: Theorem.NO_QUESTION_STOPPED,
    Theorem.NO_ANSWER_FREED: Theorem.NO_ANSWER_STOPPED,
    Theorem.NO_DISCLAIMER_GONE: Theorem.NO_DISCLAIMER_NEW,
    Theorem.NO_BOUND_WIDENED: Theorem.NO_BOUND_NARROWED,
}


@settings(max_examples=200, deadline=None)
@given(sides, sides)
def test_every_theorem_has_exactly_the_counterexamples_of_the_reference(before: Side, after: Side) -> None:
    results = prove(before, after).results
    forwards, backwards = reference(before, after), reference(after, before)
    expected = forwards | {OPPOSITES[theorem]: each for theorem, each in backwards.items()}
    old, new = ({kind for intent, kind in cells(side) if intent == FALLBACK} for side in (before, after))
    expected[Theorem.FALLBACK_NOT_WIDER] = {(kind,) for kind in new - old}
    for theorem, counterexamples in expected.items():
        told = found(results[theorem])
        assert set(told) == counterexamples, theorem
        assert len(told) == len(set(told)) == results[theorem].count, theorem
        assert results[theorem].holds is not bool(counterexamples), theorem
    without_places = {
        **on_kinds(before, after),
        **on_profile(before, after),
        **opposite_on_profile(before, after),
    }
    for theorem, changes in without_places.items():
        told_changes = [(each.about, each.before, each.after) for each in results[theorem].changes]
        assert set(told_changes) == changes, theorem
        assert len(told_changes) == len(changes) == results[theorem].count, theorem
    others = set(results) - set(expected) - set(without_places)
    assert others == {Theorem.SAME_RECOGNITION, Theorem.INVARIANTS_KEPT}


HELD: Held = {"analyst": frozenset({"a", "b"}), "reviewer": frozenset({"a"})}


def one_wider(policy: PolicySnapshot) -> PolicySnapshot:
    first, *rest = policy.intents
    added: IntentRule = replace(first, kinds=sort_kinds([*first.kinds, "compliance_profile"], policy.kinds))
    return replace(policy, intents=(added, *rest))


def stated(before: PolicySnapshot, after: PolicySnapshot) -> dict[str, str]:
    proof = prove(Side(policy=before, held=HELD), Side(policy=after, held=HELD))
    return {each.theorem: each.sentence for each in proof.stated}


def test_a_policy_against_itself_proves_every_theorem() -> None:
    results = prove(Side(policy=BASE, held=HELD), Side(policy=BASE, held=HELD)).results
    assert [result.theorem for result in results.values() if not result.holds] == []


def test_a_widening_is_told_in_words_with_its_counterexample() -> None:
    said = stated(BASE, one_wider(BASE))
    assert said["nothing_gained"] == (
        "Nobody reaches, by a question of an intent, a kind that they did not reach before, but: "
        "Performance → Compliance profiles (Analyst and Reviewer, 2 scopes)."
    )
    assert said["nothing_lost"] == "Nothing that was reachable is lost."


def test_all_counterexamples_are_in_the_file_and_the_first_in_the_words() -> None:
    after = replace(BASE, intents=tuple(replace(rule, kinds=BASE.kinds) for rule in BASE.intents))
    proof = prove(Side(policy=BASE, held=HELD), Side(policy=after, held=HELD))
    permitted = proof.stated[0]
    assert len(permitted.shown) == 6
    assert f"and {permitted.count - 6} more" in permitted.sentence
    body = json.loads(proof.text())
    assert len(body["theorems"][0]["changes"]) == permitted.count == 5 * 10 - sum(len(r.kinds) for r in BASE.intents)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda p: replace(p, classifier=replace(p.classifier, minimum_score=0.1)), "the setting minimum_score"),
        (lambda p: replace(p, examples=p.examples[1:]), "the review examples of Performance"),
        (lambda p: replace(p, intents=p.intents[::-1]), "which intents there are, and in which order"),
    ],
)
def test_whatever_decides_an_intent_refutes_that_recognition_is_the_same(
    change: Callable[[PolicySnapshot], PolicySnapshot], told: str
) -> None:
    assert told in stated(BASE, change(BASE))["same_recognition"]


def test_an_intent_that_is_renamed_is_gone_and_new_and_its_reach_is_told_as_both() -> None:
    first, *rest = BASE.intents
    said = stated(BASE, replace(BASE, intents=(replace(first, name="figures", label="Figures"), *rest)))
    assert "but: Performance" in said["no_intent_gone"]
    assert "but: Figures" in said["no_intent_new"]
    assert "Performance →" in said["nothing_lost"]
    assert "Figures →" in said["nothing_gained"]


def with_first(policy: PolicySnapshot, **fields: Any) -> PolicySnapshot:
    first, *rest = policy.budgets
    return replace(policy, budgets=(replace(first, **fields), *rest))


TWO = replace(BASE, two_reviewers_for=(TwoFor.EVERYTHING,))
CLOSED = with_first(BASE, uploaders=(Role.TENANT_ADMIN,), removers=(Role.DPO,))


@pytest.mark.parametrize(
    ("before", "after", "theorem", "told"),
    [
        (CLOSED, BASE, "no_uploader_gained", "{}, by the role Analyst."),
        (BASE, CLOSED, "no_uploader_lost", "{}, by the role Analyst."),
        (CLOSED, BASE, "no_corrector_gained", "{}, by the role Analyst."),
        (CLOSED, BASE, "no_remover_gained", "{}, by the role Tenant administrator."),
        (BASE, with_first(BASE, retired=True), "no_kind_retired", "{}."),
        (with_first(BASE, retired=True), BASE, "no_kind_taken_up", "{}."),
        (
            BASE,
            with_first(BASE, source_category=SourceType.NEWS),
            "same_source",
            "{} (before: Internal; now: News).",
        ),
        (TWO, BASE, "two_reviewers_kept", "for every change; for a change of the invariants; "),
    ],
)
def test_who_files_a_kind_and_what_becomes_of_it_is_told_in_words(
    before: PolicySnapshot, after: PolicySnapshot, theorem: str, told: str
) -> None:
    assert "but: " + told.format(BASE.budgets[0].name) in stated(before, after)[theorem]


def test_roles_that_are_named_as_by_default_refute_nothing() -> None:
    named = with_first(BASE, uploaders=Right.UPLOAD.roles, correctors=Right.UPLOAD.roles, removers=Right.REMOVE.roles)
    results = prove(Side(policy=BASE, held=HELD), Side(policy=named, held=HELD)).results
    assert [result.theorem for result in results.values() if not result.holds] == []


def test_a_proof_of_the_first_form_states_less_and_is_still_decided_so() -> None:
    content = json.loads(prove(Side(policy=CLOSED, held=HELD), Side(policy=BASE, held=HELD)).text())
    content["format"] = FIRST_FORMAT
    assert not is_decided_so(content)
    content["theorems"] = [each for each in content["theorems"] if each["theorem"] not in SINCE_V2]
    assert is_decided_so(content)
    assert [each.theorem for each in stated_of(content)] == [each for each in Theorem if each not in SINCE_V2][:17]


def test_the_same_change_gives_the_same_bytes_and_another_holding_does_not() -> None:
    one, other = Side(policy=BASE, held=HELD), Side(policy=one_wider(BASE), held=HELD)
    text = prove(one, other).text()
    assert text == prove(one, other).text()
    assert proof_sha256(text) != proof_sha256(prove(one, replace(other, held={"analyst": HELD["analyst"]})).text())


def test_the_reference_counts_what_it_enumerates() -> None:
    """A control of the reference: all of the baseline, in three places."""
    assert len(reached(Side(policy=BASE, held=HELD))) == 3 * len(cells(Side(policy=BASE, held=HELD)))
    assert len(list(product(ROLES, SCOPES))) == 12
