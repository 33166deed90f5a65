"""Passages whose rows give a figure asked for are found by the facts of their documents, within the same gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from apps.corpus.models import Document
from apps.retrieval.contracts import AskedFigures, DocumentId
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.tenants.context import open_scope
from tests.factories import Firm
from tests.filings.held import take_in
from tests.filings.reports import YEARS
from tests.retrieval.stored import bounds

pytestmark = pytest.mark.django_db

KIND = "reference_report"


@pytest.fixture
def report(acme: Firm) -> Document:
    return take_in(acme, 2024, kind=KIND)


def rows(
    firm: Firm, documents: Sequence[Document], *concepts: str, scopes: Sequence[str] = (), most: int = 20, **within: Any
) -> list[tuple[str, str]]:
    """The rows that are found: the concept, and the row's text."""
    wanted = [DocumentId(each.id) for each in documents]
    with open_scope(tenant=firm.id, reason="a test"):
        found = CorpusChunkStore().with_facts(
            wanted, AskedFigures(concepts=concepts), within=bounds(firm, *scopes, **within), most=most
        )
    return [(line.item, chunk.text[line.start : line.end]) for chunk, lines in found for line in lines]


def test_the_row_of_a_concept_is_found_whole(acme: Firm, report: Document) -> None:
    ((concept, row),) = rows(acme, [report], "net income")
    assert concept == "net income"
    assert row.startswith("Net income | ")
    assert f"{YEARS[2024].net:,}" in row


def test_rows_come_in_the_order_of_the_page(acme: Firm, report: Document) -> None:
    assert [concept for concept, _ in rows(acme, [report], "net income", "revenue")] == ["revenue", "net income"]


def test_no_more_rows_than_wanted_are_found(acme: Firm, report: Document) -> None:
    assert len(rows(acme, [report], "net income", "revenue", "gross profit", most=2)) == 2


def test_a_row_whose_sum_does_not_hold_says_so(acme: Firm) -> None:
    wrong = take_in(acme, 2024, kind=KIND, misprint=300)
    with open_scope(tenant=acme.id, reason="a test"):
        found = CorpusChunkStore().with_facts(
            [DocumentId(wrong.id)], AskedFigures(concepts=("total assets", "revenue")), within=bounds(acme), most=9
        )
    doubts = {line.item: line.doubt for _, lines in found for line in lines}
    assert doubts["total assets"]
    assert doubts["revenue"] == ""


def test_an_unknown_concept_has_no_row(acme: Firm, report: Document) -> None:
    assert rows(acme, [report], "phase of the moon") == []


def test_a_kind_that_the_intent_may_not_reach_gives_no_row(acme: Firm) -> None:
    other = take_in(acme, 2024, kind="style_sample")
    assert rows(acme, [other], "revenue", kinds=[KIND]) == []


def test_a_scope_that_was_not_asked_gives_no_row(acme: Firm, report: Document) -> None:
    assert rows(acme, [report], "revenue", scopes=["fund:beta"]) == []


def test_a_superseded_document_gives_no_row(acme: Firm) -> None:
    first = take_in(acme, 2023, kind=KIND, external_id="velden")
    second = take_in(acme, 2024, kind=KIND, external_id="velden")
    assert rows(acme, [first], "revenue") == []
    assert rows(acme, [second], "revenue")
