"""What the compliance profile does to a question and its answer, on the way and in what the person gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.intents.contracts import KindGrant
from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort
from apps.retrieval.contracts import (
    ContextBlock,
    GeneratedAnswer,
    GivenFilters,
    GroundingReport,
    ProfileCheck,
    ProfileEffect,
    QuotedRow,
    RefusalReason,
    RowCell,
)
from apps.retrieval.pipeline import answer, find, find_to_show
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.steps.profile import check_answer
from apps.retrieval.trace import Stage, StageStatus
from tests.intents.profile.rules import ATLAS, PAST, TAX
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, candidate, written
from tests.retrieval.doubles import ListRetriever, ScriptedGenerator, asked, dependencies

FOUND = [candidate(CASH_FLOWS, 2, page=60)]
# In the passage that answers the question, and not in the question.
QUOTED = ProfileRule(
    key="plant",
    sort=RuleSort.PRODUCT,
    name="Plant bonds",
    terms=("property plant",),
    text="They are not offered here.",
    in_answer=InAnswer.FLAG,
)
ANYWHERE = replace(PAST, intents=())


def test_a_question_that_names_a_topic_is_refused_with_the_rule_and_nothing_is_searched() -> None:
    result = answer(asked("What ADVICE do you give on t\u200baxes?"), deps=dependencies(FOUND, profile=(TAX, PAST)))
    assert result.answer.refusal is not None
    assert result.answer.refusal.reason is RefusalReason.PROFILE_REFUSED
    assert result.answer.text == (
        "Not answered, and nothing was searched: the firm's compliance profile refuses the topic “Tax advice”. Ask the "
        "tax desk."
    )
    assert [record.stage for record in result.trace.stages] == [
        Stage.VALIDATE,
        Stage.CLASSIFY,
        Stage.GATE,
        Stage.PROFILE,
    ]
    check = result.trace.output(ProfileCheck)
    assert check is not None
    assert [(each.key, each.effect, each.words) for each in check.findings] == [
        ("tax_advice", ProfileEffect.REFUSED, ("ADVICE do you give on taxes",))
    ]
    assert not result.answer.disclaimers


def test_a_search_is_refused_as_a_question_is() -> None:
    result = find(asked("Your tax advice?"), deps=dependencies(FOUND, profile=(TAX,)))
    assert getattr(result.found.outcome, "reason", None) is RefusalReason.PROFILE_REFUSED
    assert not result.found.candidates


@pytest.mark.parametrize(
    ("label", "cells"),
    [
        ("Atlas", (("Kind", "Leveraged"), ("Price", "1.00"))),
        ("Atlas Leveraged", (("Price", "1.00"),)),
        ("Product 7", (("Name", "Atlas"), ("Kind", "Leveraged"))),
        ("Product 7", (("Atlas Leveraged", "1.00"),)),
        ("Product 7", (("Name", "At\u00adlas\u2122 Leveraged"),)),
    ],
)
def test_a_product_that_only_a_row_of_a_table_names_is_withheld(label: str, cells: tuple[tuple[str, str], ...]) -> None:
    plain = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND)).answer
    (citation, *_) = plain.citations
    row = QuotedRow(
        label=label, cells=tuple(RowCell(column=column, value=value) for column, value in cells), caption="in EUR"
    )
    quoting = replace(plain, citations=(replace(citation, quote="1.00", row=row),))
    recorder = TraceRecorder(lambda: 0.0)
    grant = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND)).trace.output(KindGrant)
    assert grant is not None
    for rule, withheld in (
        (replace(ATLAS, terms=('"Atlas Leveraged"',)), True),
        (replace(ATLAS, terms=("zinc",)), False),
    ):
        given = check_answer(recorder, quoting, grant, dependencies(FOUND, profile=(rule,)), "en")
        assert (given.refusal is not None) is withheld
        assert (given.citations == ()) is withheld


@pytest.mark.parametrize("in_answer", [InAnswer.FLAG, InAnswer.BLOCK])
def test_passages_of_a_search_are_marked_and_none_is_held_back(in_answer: InAnswer) -> None:
    """An answer that quotes them is marked or withheld; without the check, the search had them without a word."""
    deps = dependencies(FOUND, profile=(replace(QUOTED, in_answer=in_answer), ATLAS))
    shown = find_to_show(asked(CAPEX_QUESTION), deps=deps)
    (check,) = (each for each in shown.trace.outputs(ProfileCheck) if each.findings)
    assert [(each.key, each.effect, each.words) for each in check.findings] == [
        ("plant", ProfileEffect.FLAGGED, ("property, plant",))
    ]
    plain = find(asked(CAPEX_QUESTION), deps=deps)
    assert shown.found.candidates == plain.found.candidates
    assert not any(each.findings for each in plain.trace.outputs(ProfileCheck))


def test_a_product_is_refused_in_a_filter_too() -> None:
    question = replace(asked(CAPEX_QUESTION), given=GivenFilters(companies=("ATLAS-Leveraged plc",)))
    result = answer(question, deps=dependencies(FOUND, profile=(ATLAS,)))
    assert result.answer.refusal is not None
    assert "the product “Atlas Leveraged”" in result.answer.text


def test_an_answer_whose_quote_names_a_product_is_marked_and_names_the_rule() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, profile=(QUOTED,)))
    assert not result.answer.refused
    assert [(each.key, each.effect) for each in result.answer.profile] == [("plant", ProfileEffect.FLAGGED)]
    assert "the product “Plant bonds”" in result.answer.notices[-1]
    assert result.answer.notices[-1].endswith("They are not offered here.")


def test_an_answer_that_must_not_go_out_is_withheld_with_all_that_it_said() -> None:
    deps = dependencies(FOUND, profile=(replace(QUOTED, in_answer=InAnswer.BLOCK), ANYWHERE))
    result = answer(asked(CAPEX_QUESTION), deps=deps)
    given = result.answer
    assert given.refusal is not None
    assert given.refusal.reason is RefusalReason.PROFILE_BLOCKED
    assert (given.citations, given.ref_ids, given.notices, given.disclaimers) == ((), (), (), ())
    assert "Plant bonds" in given.text
    assert [each.words for each in given.profile] == [()]
    draft, report = result.trace.output(GeneratedAnswer), result.trace.output(GroundingReport)
    assert draft is not None
    assert report is not None
    assert (draft.text, draft.quotes, report.findings) == ("", (), ())


def test_a_flag_beside_a_block_shows_no_words_either() -> None:
    blocking = replace(QUOTED, key="block", in_answer=InAnswer.BLOCK)
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, profile=(QUOTED, blocking)))
    assert [(each.effect, each.words) for each in result.answer.profile] == [(ProfileEffect.BLOCKED, ())] * 2


def test_a_disclaimer_stands_under_answers_of_its_intent_alone() -> None:
    plain = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND))
    grant = plain.trace.output(KindGrant)
    assert grant is not None
    mine = replace(PAST, key="mine", intents=(grant.intent or "unrecognised",))
    others = replace(PAST, key="other", intents=("another",))
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, profile=(mine, others, ANYWHERE)))
    assert [each.key for each in result.answer.disclaimers] == ["mine", "past_performance"]
    assert [
        each.key
        for each in answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, profile=(ANYWHERE,))).answer.disclaimers
    ]


def test_a_model_sees_no_disclaimer_and_can_leave_none_out() -> None:
    plain = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND))
    carrying = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, profile=(ANYWHERE,)))
    contexts = [each.trace.output(ContextBlock) for each in (plain, carrying)]
    assert contexts[0] is not None
    assert contexts[1] is not None
    assert contexts[0].sha256 == contexts[1].sha256
    assert plain.answer.text == carrying.answer.text
    assert [each.text for each in carrying.answer.disclaimers] == [PAST.text]


def test_without_a_profile_both_checks_say_so_and_change_nothing() -> None:
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND))
    for stage in (Stage.PROFILE, Stage.SUITABILITY):
        record = result.trace.record(stage)
        assert record is not None
        assert (record.status, record.output) == (StageStatus.NOT_CONFIGURED, None)
    assert (result.answer.disclaimers, result.answer.profile) == ((), ())


def test_a_question_that_may_name_a_product_is_searched() -> None:
    allowed = replace(TAX, terms=("expenditure",), in_question=InQuestion.ALLOW, in_answer=InAnswer.FLAG)
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, profile=(allowed,)))
    assert not result.answer.refused


# --- Bounds -----------------------------------------------------------------------------------------------------------

BONDS_ONLY = ProfileRule(
    key="instruments",
    sort=RuleSort.INSTRUMENTS,
    name="What we speak of",
    terms=("bond", "fund"),
    text="Ask the derivatives desk.",
    in_question=InQuestion.REFUSE,
    in_answer=InAnswer.BLOCK,
)
GERMAN_LAW = ProfileRule(
    key="law",
    sort=RuleSort.JURISDICTIONS,
    name="Where we work",
    terms=("DE", "US"),
    text="Ask local counsel.",
    in_question=InQuestion.REFUSE,
)
NO_MODEL = ProfileRule(key="models", sort=RuleSort.MODELS, name="Models", terms=("none",), text="Quotes alone.")
IN_THE_EU = ProfileRule(key="regions", sort=RuleSort.REGIONS, name="Regions", terms=("EU",), text="Data stays here.")


def reason_of(question: str, *rules: ProfileRule) -> RefusalReason | None:
    refusal = answer(asked(question), deps=dependencies(FOUND, profile=rules)).answer.refusal
    return refusal.reason if refusal else None


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("What does the report say about interest rate sw\u200baps?", True),
        ("Was steht zu Kryptowährungen im Bericht?", True),
        ("What does the report say about bonds?", False),
        (CAPEX_QUESTION, False),
    ],
)
def test_a_question_that_names_a_value_out_of_bounds_is_refused(question: str, refused: bool) -> None:
    assert (reason_of(question, BONDS_ONLY) is RefusalReason.PROFILE_REFUSED) is refused


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("What does Swiss law say about redemption gates?", True),
        ("WHAT DOES SWISS LAW SAY ABOUT REDEMPTION GATES?", True),
        ("what does swiss law say about redemption gates?", True),
        ("which rules apply under the laws of the united kingdom?", True),
        ("what do the rules say about redemption gates?", False),
        ("What does German law say about redemption gates?", False),
        ("What do the laws of New York say about redemption gates?", False),
        ("What did the trip to Switzerland cost?", False),
    ],
)
def test_a_question_on_the_law_of_elsewhere_is_refused(question: str, refused: bool) -> None:
    assert (reason_of(question, GERMAN_LAW) is RefusalReason.PROFILE_REFUSED) is refused


def test_a_bound_of_one_intent_leaves_the_others_alone() -> None:
    others = replace(BONDS_ONLY, intents=("another",))
    assert reason_of("What about interest rate swaps in the report?", others) is not RefusalReason.PROFILE_REFUSED


def test_what_is_searched_lies_within_the_jurisdictions() -> None:
    dense = ListRetriever("dense", FOUND)
    for profile in ((GERMAN_LAW,), ()):
        answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, dense=dense, profile=profile))
    assert [within.filter.jurisdictions for _, within in dense.seen] == [("DE", "US"), ()]


@pytest.mark.parametrize("rule", [NO_MODEL, IN_THE_EU])
def test_a_model_that_may_not_write_is_not_asked_and_the_answer_says_so(rule: ProfileRule) -> None:
    model = ScriptedGenerator(written("It was 1,577 million.", "northwind-1|p60|c2"))
    result = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=model, profile=(rule,)))
    assert result.answer.generator == "extractive"
    assert any("does not let the model" in each for each in result.answer.notices)
    allowed = replace(rule, terms=(model.model if rule is NO_MODEL else model.region,))
    plain = answer(asked(CAPEX_QUESTION), deps=dependencies(FOUND, generator=model, profile=(allowed,)))
    assert not any("does not let the model" in each for each in plain.answer.notices)
