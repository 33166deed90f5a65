"""Rules as values: as content, in the file, in words, in a change, and in the proof of one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from apps.audit.verify import offline
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import policy_diff
from apps.intents.errors import PolicyFileError
from apps.intents.policy_file import render_policy_file
from apps.intents.policy_file.parsing import parse_policy_file
from apps.intents.profile.contracts import (
    BY_WORDS,
    MOST_DISCLAIMER_CHARS,
    WATCHING,
    InAnswer,
    InQuestion,
    ProfileRule,
    RuleSort,
)
from apps.intents.profile.matching import find_rules
from apps.intents.profile.values import VALUES, terms_not_permitted
from apps.intents.profile_words import profile_notes
from apps.intents.proof.contracts import Theorem
from apps.intents.proof.rendering import Side, prove
from apps.intents.rendering import policy_sha256
from apps.intents.snapshots.content import policy_content, read_content
from apps.intents.validation import policy_problems
from tests.intents.profile.rules import ATLAS, PAST, TAX, profiles
from tests.intents.test_proof import BASE, HELD

ALL = (TAX, ATLAS, PAST)


def with_(*rules: ProfileRule) -> PolicySnapshot:
    return replace(BASE, profile=rules)


def statement(before: PolicySnapshot, after: PolicySnapshot, theorem: Theorem) -> str:
    proof = prove(Side(policy=before, held=HELD), Side(policy=after, held=HELD))
    return next(each.sentence for each in proof.stated if each.theorem == theorem)


def test_without_a_rule_content_digest_file_and_proof_are_as_before_there_were_any() -> None:
    assert "profile" not in policy_content(BASE)
    assert "PROFILE" not in render_policy_file(BASE)
    proof = prove(Side(policy=BASE, held=HELD), Side(policy=BASE, held=HELD))
    assert len(json.loads(proof.text())["theorems"]) == 28
    assert policy_sha256(with_(TAX)) != policy_sha256(BASE)


@given(profiles)
@settings(max_examples=100, deadline=None)
def test_content_and_file_give_back_the_same_rules(rules: tuple[ProfileRule, ...]) -> None:
    policy = with_(*rules)
    assert read_content(json.loads(json.dumps(policy_content(policy)))).profile == rules
    assert parse_policy_file(render_policy_file(policy), filename="a.py").profile == rules


@given(profiles, profiles)
@settings(max_examples=150, deadline=None)
def test_changes_are_told_if_and_only_if_there_are_any(
    before: tuple[ProfileRule, ...], after: tuple[ProfileRule, ...]
) -> None:
    assert bool(policy_diff(with_(*before), with_(*after)).changes) is (before != after)


@given(profiles, profiles)
@settings(max_examples=150, deadline=None)
def test_the_verifier_decides_the_theorems_on_a_profile_alike(
    before: tuple[ProfileRule, ...], after: tuple[ProfileRule, ...]
) -> None:
    sides = (Side(policy=with_(*rules), held=HELD) for rules in (before, after))
    assert list(offline.wrong_in_proof(json.loads(prove(*sides).text()), [])) == []


@given(profiles, profiles)
@settings(max_examples=100, deadline=None)
def test_a_question_is_freed_if_and_only_if_a_term_that_refused_one_is_gone(
    before: tuple[ProfileRule, ...], after: tuple[ProfileRule, ...]
) -> None:
    def refused(rules: tuple[ProfileRule, ...]) -> set[str]:
        refusing = [rule for rule in rules if rule.sort in WATCHING and rule.in_question is InQuestion.REFUSE]
        return {" ".join(term.lower().split()) for rule in refusing for term in rule.terms}

    if not before and not after:
        return
    proof = prove(*(Side(policy=with_(*rules), held=HELD) for rules in (before, after)))
    assert proof.results[Theorem.NO_QUESTION_FREED].holds is not bool(refused(before) - refused(after))


def test_the_words_of_a_bound_of_research_modes_are_those_of_the_room() -> None:
    rule = ProfileRule(
        key="far",
        sort=RuleSort.RESEARCH_MODES,
        name="How far",
        terms=("standard",),
        intents=("performance",),
        text="No.",
    )
    wider = replace(rule, terms=("standard", "deep_search"))
    said = statement(with_(rule), with_(wider), Theorem.NO_BOUND_WIDENED)
    assert "but: the research mode Deep search for questions of Performance" in said
    (change,) = policy_diff(with_(), with_(rule)).changes
    assert change.sentence == (
        "Profile: the bound of research modes “How far” is new: questions of Performance are researched only in the "
        "modes Standard; outside of research they are refused."
    )
    (note,) = profile_notes([rule])
    assert note == (
        "The bound of research modes “How far” let questions of performance be researched in these modes alone: "
        "Standard. Outside of research they were refused."
    )


def test_the_proof_says_which_question_may_be_answered_now() -> None:
    looser = replace(TAX, terms=("avoid tax",))
    assert statement(with_(TAX), with_(looser), Theorem.NO_QUESTION_FREED) == (
        "No question that was refused by the profile for its words may be answered now, but: one that names "
        "“tax advice” (rule tax_advice)."
    )
    assert "(before: withheld; now: marked)" in statement(
        with_(ATLAS), with_(replace(ATLAS, in_answer=InAnswer.FLAG)), Theorem.NO_ANSWER_FREED
    )
    assert "“Past performance promises no future returns.”" in statement(
        with_(PAST), with_(TAX), Theorem.NO_DISCLAIMER_GONE
    )


def test_a_change_says_first_what_is_answered_now() -> None:
    sentences = policy_diff(with_(*ALL), with_(replace(TAX, terms=("avoid tax", "levy")), PAST)).sentences
    assert sentences[:3] == (
        "Profile: the topic “Tax advice” no longer looks for “tax advice”.",
        "Profile: the product “Atlas Leveraged” is gone. It said: a question that names it is refused and an answer "
        'that names it is withheld; it is named by “"Atlas Leveraged"”, “atlas certificate”.',
        "Profile: the topic “Tax advice” now also looks for “levy”.",
    )


BONDS = ProfileRule(
    key="ours",
    sort=RuleSort.INSTRUMENTS,
    name="Ours",
    terms=("bond", "fund"),
    text="Ask the desk.",
    in_question=InQuestion.REFUSE,
)


def test_the_proof_and_the_change_say_which_value_a_bound_newly_permits() -> None:
    wider = replace(BONDS, terms=("bond", "fund", "etf"))
    assert "instruments etf in questions of Performance" in statement(
        with_(BONDS), with_(wider), Theorem.NO_BOUND_WIDENED
    )
    assert "instruments any in questions" in statement(with_(BONDS), with_(TAX), Theorem.NO_BOUND_WIDENED)
    assert policy_diff(with_(BONDS), with_(wider)).sentences == (
        "Profile: the bound of instruments “Ours” now also permits etf.",
    )


def test_a_bound_looks_for_what_it_does_not_permit_and_for_nothing_that_it_does() -> None:
    terms = terms_not_permitted(BONDS)
    assert "swap" in terms
    assert not {term for value in BONDS.terms for term in VALUES[RuleSort.INSTRUMENTS][value].terms} & set(terms)


@pytest.mark.parametrize(("sort", "value"), [(sort, value) for sort in sorted(BY_WORDS) for value in VALUES[sort]])
def test_every_value_of_a_closed_list_has_words_by_which_it_is_found(sort: RuleSort, value: str) -> None:
    others = tuple(each for each in VALUES[sort] if each != value)
    bound = replace(BONDS, sort=sort, terms=others)
    shared = {term for other in others for term in VALUES[sort][other].terms}
    own = [term for term in VALUES[sort][value].terms if term not in shared]
    assert own
    for term in own:
        assert find_rules(f"What about {term.strip('*').strip(chr(34))}?", [bound]), term


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (replace(BONDS, terms=("bond", "tulip")), "permits “tulip”, which is none of"),
        (replace(BONDS, terms=tuple(VALUES[RuleSort.INSTRUMENTS])), "permits every value"),
        (replace(BONDS, sort=RuleSort.JURISDICTIONS, terms=("Germany",)), "which is no jurisdiction"),
        (replace(BONDS, sort=RuleSort.MODELS), "bounds the means of an answer: it refuses nothing"),
        (replace(BONDS, intents=("nowhere",)), "speaks of the intent “nowhere”"),
        (replace(TAX, terms=("...",)), "looks for “...”, which has no letter or digit"),
        (replace(TAX, terms=("ab*",)), "at least 4 letters must stand before the *"),
        (replace(TAX, terms=("a",)), "a single letter"),
        (replace(TAX, terms=("tax", "TAX")), "looks for “tax” twice"),
        (replace(TAX, terms=()), "needs 1 to 100 words"),
        (replace(TAX, in_question=InQuestion.ALLOW), "does nothing"),
        (replace(TAX, text=" "), "needs a reason for the user"),
        (replace(TAX, key="Tax"), "needs a key"),
        (replace(TAX, intents=("performance",)), "holds for every question"),
        (replace(PAST, intents=("nowhere",)), "speaks of the intent “nowhere”"),
        (replace(PAST, terms=("x",)), "is a disclaimer"),
    ],
)
def test_a_rule_that_can_not_be_used_is_named_with_what_is_wrong(rule: ProfileRule, said: str) -> None:
    problems = policy_problems(with_(rule))
    assert any(said in each for each in problems), problems


def test_disclaimers_are_bounded_together() -> None:
    rules = [replace(PAST, key=f"d{number}", intents=(), text="x" * 500) for number in range(4)]
    assert not policy_problems(with_(*rules[:3]))
    assert any(f"at most {MOST_DISCLAIMER_CHARS:,}" in each for each in policy_problems(with_(*rules)))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"sort": "topic"', '"sort": "topics"', 'there is no "topics"; did you mean "topic"?'),
        ('"in_question": "refuse"', '"in_question": "allow"', "something other than allow"),
        ('"key": "tax_advice"', '"key": "Tax Advice"', "lower-case letters"),
        ('        "text": "Ask the tax desk.",\n', "", 'the key "text" is missing'),
    ],
)
def test_the_file_says_at_which_line_a_rule_is_wrong(old: str, new: str, said: str) -> None:
    text = render_policy_file(with_(TAX)).replace(old, new)
    with pytest.raises(PolicyFileError) as raised:
        parse_policy_file(text, filename="a.py")
    assert said in str(raised.value)
