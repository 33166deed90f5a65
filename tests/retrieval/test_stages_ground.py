from __future__ import annotations

import pytest

from apps.retrieval.contracts import FindingType, GroundingReport, GroundingStatus
from apps.retrieval.stages.grounding.ground import ground
from tests.retrieval.builders import CASH_FLOWS, analysed, candidate, context_of, entry, written

ANALYSIS = analysed("What was the capital expenditure of Northwind in FY2018?", entry("Northwind", 2018))
CONTEXT = context_of(
    ANALYSIS,
    [
        candidate(CASH_FLOWS, 1, page=60),
        candidate("The custody policy covers client assets. Margin was 5.1 %.", 2, page=7),
    ],
)
CASH, POLICY = (passage.ref_id for passage in sorted(CONTEXT.passages, key=lambda each: each.chunk.number))


def checked(text: str, *ref_ids: str) -> GroundingReport:
    return ground(written(text, *ref_ids), CONTEXT, analysis=ANALYSIS)


@pytest.mark.parametrize(
    "text",
    [
        f"Capital expenditure was 1,577 million [{CASH}].",
        "Purchases of property, plant and equipment were 1.577 billion in 2018.",
        "The statement says “Purchases of treasury stock | 2018: (4,870)”.",
        "In 2018 purchases of property, plant and equipment were 1577.",
        "Purchases of property, plant and equipment were $1.577 billion in 2018.",
        "Capital expenditure was 1,577 million, up 15% on the year before.",
    ],
)
def test_supported_answer_is_grounded(text: str) -> None:
    assert checked(text, CASH).status is GroundingStatus.GROUNDED


@pytest.mark.parametrize(
    "text",
    [
        "Capital expenditure was 1,577 million, up 25% on the year before.",
        "Purchases of property were 1,577. The weather in Rotterdam was rather pleasant throughout.",
    ],
)
def test_partly_supported_answer_is_partial(text: str) -> None:
    assert checked(text, CASH).status is GroundingStatus.PARTIAL


@pytest.mark.parametrize("text", ["It was 9,999.", "“Capital spending was generous this year”, it says."])
def test_unsupported_answer_is_ungrounded(text: str) -> None:
    assert checked(text, CASH).status is GroundingStatus.UNGROUNDED


def test_answer_without_a_citation_is_ungrounded() -> None:
    report = checked("Capital expenditure was 1,577.")
    assert (report.status, report.reason) == (
        GroundingStatus.UNGROUNDED,
        "The answer cites no passage of the context.",
    )


def test_number_must_stand_in_what_is_cited() -> None:
    assert checked("It was 1,577.", POLICY).status is GroundingStatus.UNGROUNDED


def test_number_of_the_question_is_no_claim() -> None:
    (finding,) = [f for f in checked("In 2018 it was 262.", CASH).findings if f.value == "2018"]
    assert finding.supported


def test_repeating_the_question_grounds_nothing() -> None:
    assert checked("2018.", POLICY).status is GroundingStatus.UNGROUNDED


def test_unknown_ref_id_is_found_out() -> None:
    report = checked("Capital expenditure was 1,577.", CASH, "invented|p1|c1")
    (finding,) = [each for each in report.findings if each.type is FindingType.REF_ID and not each.supported]
    assert (finding.value, report.status) == ("invented|p1|c1", GroundingStatus.PARTIAL)


def test_finding_names_the_passage_that_supports_it() -> None:
    (finding,) = [
        each for each in checked("The margin was 5.1%.", CASH, POLICY).findings if each.type is FindingType.NUMBER
    ]
    assert finding.ref_id == POLICY


def test_quote_may_break_its_lines_elsewhere() -> None:
    assert (
        checked("“The custody  policy covers\nclient assets.”".replace("\n", " "), POLICY).status
        is GroundingStatus.GROUNDED
    )


def test_statement_without_figures_is_checked_by_its_words() -> None:
    assert checked("Client assets are covered by the custody policy.", POLICY).status is GroundingStatus.GROUNDED
