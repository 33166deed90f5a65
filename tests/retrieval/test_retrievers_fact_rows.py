"""Passages whose rows give a figure asked for are found by the facts of their documents, within the same gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from apps.corpus.models import Chunk, Document
from apps.retrieval.contracts import AskedFigures, ChunkId, DocumentId
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


def cells(firm: Firm, document: Document, *, scopes: Sequence[str] = (), **within: Any) -> list[tuple[str, int, str]]:
    """The facts of a document's passages: concept, year, and the figure as its passage prints it."""
    with open_scope(tenant=firm.id, reason="a test"):
        ids = list(Chunk.objects.filter(document=document, is_parent=False).values_list("id", flat=True))
        store, gates = CorpusChunkStore(), bounds(firm, *scopes, **within)
        found = store.fact_cells([ChunkId(each) for each in ids], within=gates)
        texts = {chunk.id: chunk.text for chunk in Chunk.objects.filter(id__in=ids)}
    return [
        (cell.concept, cell.fiscal_year, texts[chunk_id][cell.start : cell.end])
        for chunk_id, of_chunk in found.items()
        for cell in of_chunk
    ]


def test_the_facts_of_a_passage_have_their_place_in_it(acme: Firm, report: Document) -> None:
    found = cells(acme, report)
    ((_, _, printed),) = [each for each in found if each[:2] == ("net income", 2024)]
    assert f"{YEARS[2024].net:,}" in printed


def test_passages_of_another_scope_or_kind_have_no_facts(acme: Firm, report: Document) -> None:
    assert cells(acme, report, scopes=["fund:beta"]) == []
    assert cells(acme, report, kinds=["style_sample"]) == []
