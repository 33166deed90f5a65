"""What a change of policy means, in words: access first, and nothing left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import (
    UNRECOGNISED,
    ClassifierSettings,
    GoldenQuestion,
    IntentRule,
    OwnTerm,
    PolicySnapshot,
    RecordingMode,
)
from apps.intents.diff import ChangeKind, policy_diff, policy_diff_json
from apps.intents.diff_words import RECORDED, setting_in_words
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.intents.retrieval_settings import RetrievalSettings
from apps.intents.snapshots.content import policy_content

BASELINE = baseline_snapshot()
PERFORMANCE, COMPLIANCE = BASELINE.intents[:2]


def with_intent(name: str, **values: Any) -> PolicySnapshot:
    return replace(
        BASELINE,
        intents=tuple(replace(rule, **values) if rule.name == name else rule for rule in BASELINE.intents),
    )


def with_fallback(**values: Any) -> PolicySnapshot:
    return replace(BASELINE, fallback=replace(BASELINE.fallback, **values))


def with_classifier(**values: Any) -> PolicySnapshot:
    return replace(BASELINE, classifier=replace(BASELINE.classifier, **values))


def with_budget(kind: Kind, **values: Any) -> PolicySnapshot:
    return replace(
        BASELINE,
        budgets=tuple(replace(row, **values) if row.kind == kind else row for row in BASELINE.budgets),
    )


def in_order(*kinds: Kind) -> PolicySnapshot:
    """The named kinds first, the others after them as they were."""
    rest = [budget.kind for budget in BASELINE.budgets if budget.kind not in kinds]
    places = {kind: position for position, kind in enumerate([*kinds, *rest], start=1)}
    return replace(
        BASELINE, budgets=tuple(replace(budget, position=places[budget.kind]) for budget in BASELINE.budgets)
    )


def with_examples(*added: tuple[str, str], without: int = 0) -> PolicySnapshot:
    examples = tuple(GoldenQuestion(id=UUID(int=1), text=text, intent=intent) for text, intent in added)
    return replace(BASELINE, examples=(*BASELINE.examples[without:], *examples))


def terms(rule: IntentRule, *added: OwnTerm) -> tuple[OwnTerm, ...]:
    return (*rule.terms, *added)


NEW = replace(PERFORMANCE, name="costs", label="Costs", kinds=(FundHouse.FUND_PROFILE, FundHouse.RUN), terms=())
HASHED, ENCRYPTED = RecordingMode.HASH_ONLY, RecordingMode.ENCRYPTED_TEXT


@pytest.mark.parametrize(
    ("after", "kind", "sentence"),
    [
        (
            with_intent("compliance", kinds=(*COMPLIANCE.kinds, FundHouse.FUND_PROFILE)),
            "widens",
            "Compliance can now reach Fund profiles.",
        ),
        (
            with_intent("compliance", kinds=(*COMPLIANCE.kinds, FundHouse.FUND_PROFILE, FundHouse.RUN)),
            "widens",
            "Compliance can now reach Fund profiles and Past runs.",
        ),
        (
            with_intent("compliance", kinds=COMPLIANCE.kinds[2:]),
            "narrows",
            "Compliance can no longer reach Firm profiles or Compliance profiles.",
        ),
        (
            with_fallback(kinds=(FundHouse.ORG_PROFILE, FundHouse.SCHEDULE)),
            "widens",
            "Unrecognised questions can now reach Schedules.",
        ),
        (with_fallback(kinds=()), "narrows", "Unrecognised questions can no longer reach Firm profiles."),
        (
            replace(BASELINE, intents=(*BASELINE.intents, NEW)),
            "widens",
            "There is a new intent, Costs: its questions can reach Fund profiles and Past runs.",
        ),
        (
            replace(BASELINE, intents=(*BASELINE.intents, replace(NEW, kinds=()))),
            "other",
            "There is a new intent, Costs: its questions can reach nothing.",
        ),
        (
            replace(BASELINE, intents=BASELINE.intents[1:]),
            "narrows",
            "The intent Performance was removed: its questions could reach Fund profiles, Past runs and Dataset "
            "summaries.",
        ),
        (
            replace(BASELINE, budgets=BASELINE.budgets[:-1]),
            "narrows",
            "Reference reports: this kind of document is left out, so no question reaches it.",
        ),
        (
            with_classifier(minimum_score=0.3),
            "widens",
            "To be recognised, a question now needs a score of 0.3; it was 0.35. More questions are recognised and "
            "reach what their intent may.",
        ),
        (
            with_classifier(minimum_term_margin=0.75),
            "narrows",
            "While no embedding is available, a question now needs a lead of 0.75 points to be recognised; it was "
            "0.5. Fewer questions are recognised and reach what their intent may.",
        ),
        (
            with_classifier(neighbours=5),
            "other",
            "A score now starts from the mean similarity of the 5 nearest review examples; it was 3.",
        ),
        (
            with_intent("performance", recording_mode=ENCRYPTED),
            "other",
            "Questions of Performance are now recorded with their text, encrypted.",
        ),
        (
            with_fallback(recording_mode=ENCRYPTED),
            "other",
            "Unrecognised questions are now recorded with their text, encrypted.",
        ),
        (with_intent("performance", label="Figures"), "other", "Performance is now called “Figures”."),
        (
            with_fallback(label="Elsewhere"),
            "other",
            "The fallback for unrecognised questions is now called “Elsewhere”.",
        ),
        (
            with_intent("performance", description="Figures."),
            "other",
            "The description of Performance now reads: “Figures.”",
        ),
        (with_fallback(description="Else."), "other", "The description of the fallback now reads: “Else.”"),
        (
            with_examples(("How did it do?", "performance")),
            "other",
            "A review example of Performance was added: “How did it do?”",
        ),
        (
            with_examples(without=1),
            "other",
            "A review example of Performance was removed: “What was the fund's maximum drawdown in the quarter?”",
        ),
        (
            with_examples((BASELINE.examples[0].text, "methodology"), without=1),
            "other",
            "A review example moved from Performance to Methodology: “What was the fund's maximum drawdown in the "
            "quarter?”",
        ),
        (
            with_examples(("Sing a song.", UNRECOGNISED)),
            "other",
            "A review example of the unrecognised questions was added: “Sing a song.”",
        ),
        (
            with_intent("performance", terms=terms(PERFORMANCE, OwnTerm(text="alpha", decisive=True))),
            "other",
            "Decisive terms of Performance were added: “alpha”.",
        ),
        (
            with_intent("performance", terms=terms(PERFORMANCE, OwnTerm(text="alpha", decisive=False))),
            "other",
            "Terms of Performance were added: “alpha”.",
        ),
        (
            with_intent("performance", terms=PERFORMANCE.terms[2:]),
            "other",
            "Terms of Performance were removed: “fund's return”, “net return”.",
        ),
        (
            with_intent("performance", terms=(replace(PERFORMANCE.terms[0], decisive=False), *PERFORMANCE.terms[1:])),
            "other",
            "The term “fund's return” of Performance is no longer decisive.",
        ),
        (
            replace(BASELINE, total_cap_chars=8000),
            "other",
            "The total cap goes from 16,384 to 8,000 characters.",
        ),
        (
            with_budget(FundHouse.RUN, cap_chars=900),
            "other",
            "The cap of Past runs goes from 2,800 to 900 characters.",
        ),
        (with_budget(FundHouse.RUN, label="Runs"), "other", "The heading of Past runs is now “Runs”."),
        (
            in_order(FundHouse.REFERENCE_REPORT),
            "other",
            "Reference reports will now come before Firm profiles when not everything fits.",
        ),
        (
            in_order(FundHouse.ORG_PROFILE, FundHouse.COMPLIANCE_PROFILE, FundHouse.FUND_PROFILE),
            "other",
            "Fund profiles will now come before Methodology when not everything fits.",
        ),
        (
            in_order(FundHouse.METHODOLOGY),
            "other",
            "Methodology will now come before Firm profiles when not everything fits.",
        ),
        (
            in_order(*list(FUND_HOUSE)[1:]),
            "other",
            "Firm profiles will now come after Reference reports when not everything fits.",
        ),
        (
            replace(BASELINE, retrieval=RetrievalSettings(dense_top_k=50)),
            "other",
            "Search by meaning now returns 50 passages; it returned 30.",
        ),
        (
            replace(BASELINE, retrieval=RetrievalSettings(mmr_enabled=True)),
            "other",
            "Near-duplicates are now spread out.",
        ),
        (
            replace(BASELINE, intents=(COMPLIANCE, PERFORMANCE, *BASELINE.intents[2:])),
            "other",
            "The intents are in a different order, which decides a tie: Compliance, Performance, Methodology, "
            "Narrative and published reports and Attribution.",
        ),
        (
            with_intent("performance", terms=PERFORMANCE.terms[::-1]),
            "other",
            "The terms of Performance are in a different order.",
        ),
    ],
)
def test_a_change_is_told_in_words(after: PolicySnapshot, kind: str, sentence: str) -> None:
    changes = policy_diff(BASELINE, after).changes
    assert (kind, sentence) in [(change.kind.value, change.sentence) for change in changes]


@pytest.mark.parametrize(
    "after",
    [
        with_intent("compliance", kinds=COMPLIANCE.kinds[1:]),
        with_budget(FundHouse.RUN, cap_chars=900),
        in_order(FundHouse.METHODOLOGY),
        in_order(FundHouse.REFERENCE_REPORT),
        with_classifier(minimum_score=0.3),
        with_examples((BASELINE.examples[0].text, "methodology"), without=1),
        replace(BASELINE, intents=BASELINE.intents[1:], examples=BASELINE.examples[23:]),
    ],
)
def test_one_change_is_one_sentence(after: PolicySnapshot) -> None:
    assert len(policy_diff(BASELINE, after).changes) == 1


def test_what_widens_comes_first_then_what_narrows() -> None:
    after = replace(
        with_classifier(neighbours=5, minimum_score=0.4),
        total_cap_chars=8000,
        fallback=replace(BASELINE.fallback, kinds=(FundHouse.SCHEDULE,)),
    )
    diff = policy_diff(BASELINE, after)
    kinds = [change.kind for change in diff.changes]
    assert kinds == [ChangeKind.WIDENS, *[ChangeKind.NARROWS] * 2, *[ChangeKind.OTHER] * 2]
    assert (len(diff.widens), len(diff.narrows), len(diff.other)) == (1, 2, 2)


def test_the_way_back_narrows_what_the_way_there_widened() -> None:
    after = with_intent("compliance", kinds=(*COMPLIANCE.kinds, FundHouse.FUND_PROFILE))
    assert policy_diff(after, BASELINE).narrows[0].sentence == "Compliance can no longer reach Fund profiles."


def test_equal_policies_say_the_same() -> None:
    diff = policy_diff(BASELINE, replace(BASELINE, number=9, reason="Another version of it."))
    assert (diff.changes, diff.sentences) == ((), ("They say the same.",))


def test_a_policy_with_a_repeated_term_still_differs_in_words() -> None:
    after = with_intent("performance", terms=(*PERFORMANCE.terms, PERFORMANCE.terms[-1]))
    assert len(policy_diff(BASELINE, after).changes) == 1


def test_as_json_it_names_both_contents_and_each_change() -> None:
    body = policy_diff_json(BASELINE, with_fallback(kinds=(FundHouse.ORG_PROFILE, FundHouse.RUN)))
    assert body["same"] is False
    assert body["before"]["content_sha256"] != body["after"]["content_sha256"]
    assert body["changes"] == [
        {"kind": "widens", "intent": "", "sentence": "Unrecognised questions can now reach Past runs."}
    ]


@pytest.mark.parametrize("name", [*ClassifierSettings.__dataclass_fields__, *RetrievalSettings.__dataclass_fields__])
def test_every_setting_has_words_that_tell_before_from_after(name: str) -> None:
    assert setting_in_words(name, 0, 1) != setting_in_words(name, 1, 0)


def test_every_kind_and_recording_mode_has_words() -> None:
    assert [kind.label for kind in BASELINE.kinds] == [kind.label for kind in FUND_HOUSE]
    assert set(RECORDED) == set(RecordingMode)


def test_two_numbers_never_look_alike() -> None:
    sentence = setting_in_words("term_weight", 0.12345671, 0.12345672)
    assert "0.12345671" in sentence
    assert "0.12345672" in sentence


KINDS = st.sets(st.sampled_from(list(FUND_HOUSE))).map(
    lambda chosen: tuple(kind for kind in FUND_HOUSE if kind in chosen)
)
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta"])


@st.composite
def policies(draw: st.DrawFn) -> PolicySnapshot:
    """Small policies of few words, so that two of them are often nearly equal."""
    names = draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True))
    order = draw(st.permutations(list(BASELINE.budgets)))[: draw(st.integers(8, 10))]
    return replace(
        BASELINE,
        intents=tuple(
            replace(
                PERFORMANCE,
                name=name,
                label=draw(WORDS),
                description=draw(WORDS),
                kinds=draw(KINDS),
                recording_mode=draw(st.sampled_from(list(RecordingMode))),
                terms=tuple(
                    OwnTerm(text=text, decisive=draw(st.booleans())) for text in draw(st.lists(WORDS, unique=True))
                ),
            )
            for name in names
        ),
        fallback=replace(BASELINE.fallback, kinds=draw(KINDS)),
        examples=tuple(
            GoldenQuestion(id=UUID(int=1), text=text, intent=name)
            for name in [*names, UNRECOGNISED]
            for text in draw(st.lists(WORDS, max_size=3))
        ),
        budgets=tuple(replace(budget, position=position) for position, budget in enumerate(order, start=1)),
        classifier=replace(BASELINE.classifier, minimum_margin=draw(st.sampled_from([0.1, 0.2]))),
    )


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(policies(), policies())
def test_nothing_is_said_if_and_only_if_the_contents_are_equal(before: PolicySnapshot, after: PolicySnapshot) -> None:
    assert (not policy_diff(before, after).changes) == (policy_content(before) == policy_content(after))
    assert policy_diff(before, before).changes == ()


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(policies(), policies())
def test_whatever_an_intent_gains_is_said_to_widen(before: PolicySnapshot, after: PolicySnapshot) -> None:
    said = {change.intent: change.sentence for change in policy_diff(before, after).widens if change.intent}
    for rule in after.intents:
        earlier = before.intent(rule.name)
        gained = set(rule.kinds) - set(earlier.kinds if earlier else ())
        assert (rule.name in said) == bool(gained)
        assert all(kind.label in said[rule.name] for kind in gained)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.permutations(list(BASELINE.budgets)))
def test_every_sentence_about_the_order_is_true_and_new(order: list[Any]) -> None:
    after = replace(
        BASELINE, budgets=tuple(replace(budget, position=place) for place, budget in enumerate(order, start=1))
    )
    old = [budget.kind.label for budget in BASELINE.budgets]
    new = [budget.kind.label for budget in order]
    sentences = [change.sentence for change in policy_diff(BASELINE, after).changes]
    assert bool(sentences) == (old != new)
    for sentence in sentences:
        words = sentence.removesuffix(" when not everything fits.").replace(" comes ", " come ")
        way = " will now come before " if " will now come before " in words else " will now come after "
        moved, other = words.split(way)
        upwards = way == " will now come before "
        assert (new.index(moved) < new.index(other)) == upwards
        assert (old.index(moved) < old.index(other)) != upwards
