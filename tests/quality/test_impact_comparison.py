"""The comparison itself: pure, without a database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import IntentDecision
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.gate import gate
from apps.intents.profile.contracts import ProfileRule, RuleSort
from apps.quality.admin.impact_words import headlines, limits
from apps.quality.impact.comparison import (
    evaluation_impact,
    golden_impact,
    reach_of,
    reach_of_intent,
    recorded_impact,
    score,
    shift_between,
    shift_of_intent,
)
from apps.quality.impact.contracts import (
    Basis,
    EvaluationShift,
    GoldenShift,
    Hit,
    ImpactResult,
    Ranked,
    Reach,
    RecordedShift,
    Score,
    Shift,
)
from apps.quality.impact.stored import result_from_json, result_to_json
from apps.retrieval.pipeline import find
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, candidate
from tests.retrieval.doubles import asked, dependencies

DOCUMENT, OTHER = UUID(int=10), UUID(int=11)
POLICY = baseline_snapshot()


def hit(number: int, kind: str = "run") -> Hit:
    return Hit(chunk_id=UUID(int=number), document_id=DOCUMENT, kind=kind)


def ranked(*pages: tuple[int, int], document: UUID = DOCUMENT) -> tuple[Ranked, ...]:
    return tuple(Ranked(document_id=document, page_start=first, page_end=last) for first, last in pages)


def reach(kinds: Sequence[str] = ("run",), **more: object) -> Reach:
    return Reach(intent="performance", kinds=tuple(kinds), **more)  # type: ignore[arg-type]


def scored(found: tuple[Ranked, ...], pages: Sequence[int] = (), documents: frozenset[UUID] | None = None) -> Score:
    held = frozenset({DOCUMENT}) if documents is None else documents
    return score(reach(ranked=found), documents=held, pages=pages)


def test_what_the_pipeline_found_is_compared_by_its_context_and_order() -> None:
    found = find(asked(CAPEX_QUESTION), deps=dependencies([candidate(CASH_FLOWS, 2, page=60)])).found
    seen = reach_of(found)
    assert [each.chunk_id.int for each in seen.hits] == [2]
    assert [each.page_start for each in seen.ranked] == [60]
    assert seen.context_bytes > len(CASH_FLOWS) // 2


def test_a_question_that_finds_nothing_reaches_its_kinds_and_has_no_context() -> None:
    seen = reach_of(find(asked(CAPEX_QUESTION), deps=dependencies([])).found)
    assert (seen.hits, seen.ranked, seen.context_bytes) == ((), (), 0)
    assert seen.kinds != ()


def test_what_is_gained_and_lost_comes_and_goes() -> None:
    before = reach(["run", "schedule"], hits=(hit(1), hit(2)))
    after = reach(["run", "methodology"], hits=(hit(2), hit(3)))
    shift = shift_between(before, after)
    assert (shift.gained, shift.lost) == (("methodology",), ("schedule",))
    assert (shift.appearing, shift.vanishing) == ((hit(3),), (hit(1),))


def test_a_recorded_passage_vanishes_with_its_kind_and_not_for_what_was_withdrawn_before() -> None:
    recorded = (hit(1, "run"), hit(2, "schedule"), hit(3, "methodology"))
    shift = shift_of_intent(reach(["run", "methodology"]), reach(["methodology"]), recorded)
    assert shift.vanishing == (hit(1, "run"),)
    assert shift.appearing == ()


def test_an_intent_that_may_not_be_asked_in_a_mode_any_more_is_refused() -> None:
    rule = ProfileRule(key="far", sort=RuleSort.RESEARCH_MODES, name="How far", terms=("standard",), text="Ask us.")
    bound = replace(POLICY, profile=(rule,))
    name = POLICY.intents[0].name
    stopped = shift_of_intent(reach_of_intent(name, POLICY), reach_of_intent(name, bound), ())
    assert stopped.is_stopped
    assert stopped.refused_after == ("far",)
    assert shift_of_intent(reach_of_intent(name, bound), reach_of_intent(name, POLICY), ()).is_freed
    by_research = [reach_of_intent(name, each, "standard") for each in (POLICY, bound)]
    assert not shift_of_intent(*by_research, ()).changes


@pytest.mark.parametrize("name", [*(rule.name for rule in POLICY.intents), "", "no_such_intent"])
def test_an_intent_reaches_what_the_gate_would_grant(name: str) -> None:
    without_a_budget = replace(POLICY, budgets=POLICY.budgets[1:])
    rule = POLICY.intent(name)
    decision = IntentDecision(
        intent=rule.name if rule else "", label="", recognised=rule is not None, score=1.0, margin=1.0, reason="",
        nearest=(), matched_terms=(), set_aside=(), degraded=False,
    )  # fmt: skip
    for policy in (POLICY, without_a_budget):
        granted, reached = gate(decision, policy), reach_of_intent(name, policy)
        assert (reached.intent, set(reached.kinds)) == (granted.intent, {kind.value for kind in granted.permitted})


def test_recall_is_the_share_of_the_pages_that_the_first_five_cover() -> None:
    assert scored(ranked((1, 2), (4, 4)), pages=[2, 3, 4]).page_recall_at_5 == pytest.approx(2 / 3)


def test_the_sixth_candidate_and_another_document_do_not_count() -> None:
    five_others = ranked(*[(1, 1)] * 5, document=OTHER)
    found = scored((*five_others, *ranked((1, 1))), pages=[1])
    assert (found.page_recall_at_5, found.document_hit_at_5) == (0.0, False)


def test_without_pages_the_document_alone_is_expected() -> None:
    found = scored(ranked((9, 9)))
    assert (found.page_recall_at_5, found.document_hit_at_5) == (None, True)


def test_nothing_is_scored_for_a_document_that_is_gone() -> None:
    found = scored(ranked((1, 1)), pages=[1], documents=frozenset())
    assert (found.page_recall_at_5, found.document_hit_at_5) == (None, None)


def result(
    recorded: Sequence[Shift] = (), evaluation: Sequence[EvaluationShift] = (), by_text: int = 0
) -> ImpactResult:
    basis = Basis.TEXT if by_text else Basis.INTENT
    shifts = [RecordedShift(event_id=UUID(int=n), basis=basis, shift=shift) for n, shift in enumerate(recorded)]
    return ImpactResult(
        recorded=recorded_impact(
            shifts, by_text=by_text, by_intent=len(shifts) - by_text, not_judged=0, without_hits=0
        ),
        evaluation=evaluation_impact(evaluation),
        golden=golden_impact([GoldenShift(example_id=UUID(int=1), shift=shift) for shift in recorded]),
    )


def test_recorded_questions_are_added_up_by_intent_the_most_asked_first() -> None:
    losing = Shift(intent_before="performance", intent_after="performance", lost=("run",), vanishing=(hit(1), hit(2)))
    gaining = Shift(intent_before="compliance", intent_after="compliance", gained=("run",))
    found = result([gaining, losing, losing]).recorded
    assert [(line.intent, line.questions, line.losing) for line in found.intents] == [
        ("performance", 2, 2),
        ("compliance", 1, 0),
    ]
    assert (found.gaining, found.losing, found.vanishing_hits) == (1, 2, 4)


def evaluated(before: float | None, after: float | None, *, sizes: tuple[int, int] = (10, 20)) -> EvaluationShift:
    def one(recall: float | None, size: int) -> Score:
        return Score(
            page_recall_at_5=recall, document_hit_at_5=None if recall is None else recall > 0, context_bytes=size
        )

    shift = Shift(intent_before="", intent_after="")
    return EvaluationShift(query_id=UUID(int=1), shift=shift, before=one(before, sizes[0]), after=one(after, sizes[1]))


def test_means_are_over_the_questions_that_have_the_figure() -> None:
    found = evaluation_impact([evaluated(1.0, 0.5), evaluated(0.0, 0.5), evaluated(None, None)])
    assert (found.with_pages, found.total) == (2, 3)
    assert (found.before.page_recall_at_5, found.after.page_recall_at_5) == (0.5, 0.5)
    assert (found.before.context_bytes, found.after.context_bytes) == (10.0, 20.0)


def test_the_words_name_the_figures() -> None:
    losing = Shift(intent_before="a", intent_after="a", lost=("run",), vanishing=(hit(1),))
    said = " ".join(headlines(result([losing] * 12, [evaluated(1.0, 0.0, sizes=(3912, 4010))])))
    assert "0 of 12 recorded questions could reach more kinds of document, 12 fewer; 12 passages" in said
    assert "Recall on 1 evaluation question: 1.00 before, 0.00 after" in said
    assert "Context: 3,912 bytes before, 4,010 after on average." in said


def test_what_is_known_by_intent_alone_is_said_plainly_and_only_then() -> None:
    shift = Shift(intent_before="a", intent_after="a")
    assert "Of 1 recorded question the log keeps a digest" in " ".join(limits(result([shift])))
    assert "digest" not in " ".join(limits(result([shift], by_text=1)))


_KINDS = st.lists(st.sampled_from([kind.value for kind in FUND_HOUSE]), unique=True, max_size=3).map(tuple)
_HITS = st.lists(
    st.builds(
        Hit, chunk_id=st.uuids(), document_id=st.uuids(), kind=st.sampled_from([kind.value for kind in FUND_HOUSE])
    ),
    max_size=3,
)
_SHIFTS = st.builds(
    Shift,
    intent_before=st.sampled_from(["", "performance"]),
    intent_after=st.sampled_from(["", "compliance"]),
    gained=_KINDS,
    lost=_KINDS,
    appearing=_HITS.map(tuple),
    vanishing=_HITS.map(tuple),
)


@given(st.lists(_SHIFTS, max_size=4), st.floats(0, 1), st.booleans())
def test_a_result_survives_being_stored(shifts: list[Shift], recall: float, known: bool) -> None:
    made = result(shifts, [evaluated(recall if known else None, recall)])
    assert result_from_json(json.loads(json.dumps(result_to_json(made)))) == made


def test_what_the_profile_newly_refuses_or_frees_is_counted_and_said_apart() -> None:
    free, refused = reach(), reach(refused=("tax_advice",))
    shifts = [shift_between(*each) for each in ((free, refused), (refused, free), (refused, refused), (free, free))]
    assert [(each.is_stopped, each.is_freed, each.changes) for each in shifts] == [
        (True, False, True),
        (False, True, True),
        (False, False, False),
        (False, False, False),
    ]
    recorded = recorded_impact(
        [RecordedShift(event_id=UUID(int=n), basis=Basis.TEXT, shift=each) for n, each in enumerate(shifts)],
        by_text=4,
        by_intent=0,
        not_judged=0,
        without_hits=0,
    )
    golden = golden_impact([GoldenShift(example_id=UUID(int=1), shift=shifts[0])])
    result = ImpactResult(recorded=recorded, evaluation=evaluation_impact([]), golden=golden)
    assert (recorded.stopped, recorded.freed, golden.stopped) == (1, 1, 1)
    assert "Compliance profile: 1 recorded question would newly be refused, 1 would be refused no longer." in headlines(
        result
    )
    assert result_from_json(json.loads(json.dumps(result_to_json(result)))) == result


def test_a_result_of_a_release_without_profiles_is_still_read() -> None:
    result = ImpactResult(
        recorded=recorded_impact([], by_text=0, by_intent=0, not_judged=0, without_hits=0),
        evaluation=evaluation_impact([]),
        golden=golden_impact([]),
    )
    stored = json.loads(json.dumps(result_to_json(result)))
    for part in ("recorded", "evaluation", "golden"):
        del stored[part]["stopped"], stored[part]["freed"]
    assert result_from_json(stored) == result
