"""The policy of evaluation folders: shipped packs, whose budgets are those of a firm that chose them."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.fund_house import FundHouse
from apps.intents.validation import policy_problems
from apps.quality.evaluation.folder import read_folder
from apps.quality.evaluation.packs import EVALUATION_KINDS, evaluation_policy, policy_words
from tests.quality.evaluation.folders import DOCUMENTS, write_lines

FILINGS = frozenset({Kind("annual_report"), Kind("quarterly_report")})


def caps(kinds: frozenset[Kind]) -> dict[str, int]:
    return {budget.kind.value: budget.cap_chars for budget in evaluation_policy(kinds).budgets if budget.kind in kinds}


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("10-K", "annual_report"),
        ("10-Q", "quarterly_report"),
        ("8-K", "current_report"),
        ("earnings_release", "current_report"),
        ("earnings_transcript", "earnings_transcript"),
        ("news_article", "news"),
        ("report", "reference_report"),
        (None, "reference_report"),
    ],
)
def test_a_document_without_a_kind_is_filed_by_its_form(folder: Path, form: str | None, kind: str) -> None:
    first = {**DOCUMENTS[0], **({"document_type": form} if form else {})}
    write_lines(folder / "documents.jsonl", [first, *DOCUMENTS[1:]])
    assert read_folder(folder).documents[0].kind == kind
    write_lines(folder / "documents.jsonl", [{**first, "kind": "run"}, *DOCUMENTS[1:]])
    assert read_folder(folder).documents[0].kind == "run"


def test_filings_have_the_budgets_of_the_shipped_pack() -> None:
    shipped = {each.kind.value: each.cap_chars for each in baseline_snapshot(("company_research",)).budgets}
    assert caps(FILINGS) == {kind.value: shipped[kind.value] for kind in FILINGS}
    said = policy_words(evaluation_policy(FILINGS))
    assert said.startswith("Policy: as shipped for company_research, every intent")
    assert said.endswith("annual_report 7,000, quarterly_report 3,600; 16,384 in all.")


@pytest.mark.parametrize(
    ("kinds", "packs"),
    [
        (FILINGS, ("company_research",)),
        (frozenset(), ("fund_house",)),
        (FILINGS | {FundHouse.RUN}, ("fund_house", "company_research")),
    ],
)
def test_a_run_has_the_intents_of_the_packs_that_define_its_kinds(
    kinds: frozenset[Kind], packs: tuple[str, ...]
) -> None:
    names = [rule.name for rule in baseline_snapshot(packs).intents]
    assert [rule.name for rule in evaluation_policy(kinds).intents] == names


def test_kinds_of_the_fund_house_share_the_context_and_the_run_says_so() -> None:
    kinds = frozenset({FundHouse.REFERENCE_REPORT})
    assert caps(kinds) == {"reference_report": 16_384}
    assert "reference_report 16,384 (shipped: 2,400)" in policy_words(evaluation_policy(kinds))


@pytest.mark.parametrize("kinds", [FILINGS, frozenset(EVALUATION_KINDS)])
def test_every_intent_reaches_the_kinds_of_the_folder_and_the_policy_can_be_used(kinds: frozenset[Kind]) -> None:
    policy = evaluation_policy(kinds)
    assert {frozenset(rule.kinds) for rule in policy.reaches} == {kinds}
    assert policy.kinds == EVALUATION_KINDS
    assert policy_problems(policy) == ()
