"""Periods of single companies: a company's older quarter does not come in because it is another company's newest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from apps.corpus.extraction.statements import Statement
from apps.corpus.models import Chunk, Document
from apps.retrieval.contracts import (
    ChunkId,
    CompanyPeriods,
    DocumentFilter,
    DocumentId,
    Period,
    SearchBounds,
    SearchQuery,
)
from apps.retrieval.optional.metadata import MetadataRetriever
from apps.retrieval.protocols import Retriever
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.model_server import hashed_vector
from tests.retrieval.builders import analysed
from tests.retrieval.stored import MODEL, adopt, bounds, store, weighted

pytestmark = pytest.mark.django_db
NEWEST, BEFORE = Period(fiscal_year=2024, fiscal_quarter=4), Period(fiscal_year=2024, fiscal_quarter=2)
OWN = (
    CompanyPeriods(company="", periods=(BEFORE,)),
    CompanyPeriods(company="Alpha", periods=(NEWEST,)),
    CompanyPeriods(company="Beta", periods=(BEFORE,)),
)
# By whose and when, whether the document is found. Gamma has no newest quarter of its own.
STATED: Mapping[tuple[str, int | None, int | None], bool] = {
    ("Alpha", 2024, 4): True,
    ("Alpha", 2024, 2): False,
    ("Alpha", 2024, None): True,
    ("Alpha", 2023, None): False,
    ("Alpha", None, None): True,
    ("Beta", 2024, 2): True,
    ("Beta", 2023, 4): False,
    ("Gamma", 2024, 4): False,
    ("Gamma", None, None): True,
    ("", 2024, 2): True,
    ("", 2024, 4): False,
    ("", None, None): True,
}
FOUND = {key for key, found in STATED.items() if found}
Stored = dict[tuple[str, int | None, int | None], list[UUID]]


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        yield firm


@pytest.fixture
def stored(acme: Firm) -> Stored:
    """Two passages of one parent for each company and period; the first prints a statement."""
    kept = {
        (company, year, quarter): store(
            acme.root,
            ["drawdown", "what stands beside"],
            title="Drawdown",
            company=company,
            fiscal_year=year,
            fiscal_quarter=quarter,
            statements={Statement.BALANCE_SHEET: [1]},
        )
        for company, year, quarter in STATED
    }
    for chunk_ids in kept.values():
        adopt(chunk_ids)
    return kept


def narrowed(firm: Firm, *, with_companies: bool = True) -> SearchBounds:
    of_companies = OWN if with_companies else ()
    return bounds(firm, filter=DocumentFilter(periods=(NEWEST, BEFORE), of_companies=of_companies))


def owners(chunk_ids: set[UUID], stored: Stored) -> set[tuple[str, int | None, int | None]]:
    return {key for key, own in stored.items() if chunk_ids & set(own)}


RETRIEVERS = (SparseRetriever(k1=1.2, b=0.75), DenseRetriever(), MetadataRetriever(k1=1.2, b=0.75))


def ranked(retriever: Retriever, within: SearchBounds) -> set[UUID]:
    query = SearchQuery(
        terms=weighted("drawdown"), vector=hashed_vector("drawdown", 384), embedding_model=MODEL, required_terms=()
    )
    return {hit.chunk_id for hit in retriever.retrieve(query, within=within, top_k=100).hits}


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=lambda each: each.name)
def test_a_ranking_holds_each_companys_own_periods(acme: Firm, stored: Stored, retriever: Retriever) -> None:
    assert owners(ranked(retriever, narrowed(acme)), stored) == FOUND


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=lambda each: each.name)
def test_as_of_an_instant_it_holds_them_too(acme: Firm, stored: Stored, retriever: Retriever) -> None:
    Document.objects.update(valid_from=timezone.now() - timedelta(days=2))
    then = replace(narrowed(acme), as_of=timezone.now() - timedelta(days=1))
    assert owners(ranked(retriever, then), stored) == FOUND


@pytest.mark.parametrize("retriever", RETRIEVERS, ids=lambda each: each.name)
def test_the_same_periods_without_companies_let_the_others_in(acme: Firm, stored: Stored, retriever: Retriever) -> None:
    found = owners(ranked(retriever, narrowed(acme, with_companies=False)), stored)
    assert {("Alpha", 2024, 2), ("Gamma", 2024, 4), ("", 2024, 4)} <= found


def test_of_quarters_alone_the_report_of_the_year_is_left_out(acme: Firm, stored: Stored) -> None:
    within = narrowed(acme)
    strict = replace(within, filter=replace(within.filter, own_quarter_only=True))
    assert owners(ranked(RETRIEVERS[0], strict), stored) == FOUND - {("Alpha", 2024, None)}


def test_a_year_holds_all_of_its_quarters(acme: Firm, stored: Stored) -> None:
    year = Period(fiscal_year=2024)
    of_companies = (CompanyPeriods(company="Alpha", periods=(year,)),)
    within = bounds(acme, filter=DocumentFilter(periods=(year,), of_companies=of_companies))
    dated = {key for key in owners(ranked(RETRIEVERS[0], within), stored) if key[1]}
    assert dated == {("Alpha", 2024, 4), ("Alpha", 2024, 2), ("Alpha", 2024, None)}
    loaded = CorpusChunkStore().vectors(_ids(stored), model=MODEL, dimension=384, within=within)
    assert {key for key in owners(set(loaded), stored) if key[1]} == dated


# --- ways to load and add passages ---


def _ids(stored: Stored) -> list[ChunkId]:
    return [ChunkId(each) for chunk_ids in stored.values() for each in chunk_ids]


def _loaded(stored: Stored, within: SearchBounds) -> set[UUID]:
    return {chunk.chunk_id for chunk in CorpusChunkStore().load(_ids(stored), within=within)}


def _around(stored: Stored, within: SearchBounds) -> set[UUID]:
    found = CorpusChunkStore().around([ChunkId(each[0]) for each in stored.values()], within=within)
    return {chunk.chunk_id for chunks in found.values() for chunk in chunks}


def _on_statements(stored: Stored, within: SearchBounds) -> set[UUID]:
    documents = [DocumentId(each) for each in Chunk.objects.values_list("document_id", flat=True).distinct()]
    found = CorpusChunkStore().on_statements(documents, [Statement.BALANCE_SHEET], within=within, most=100)
    return {chunk.chunk_id for chunk in found}


def _vectors(stored: Stored, within: SearchBounds) -> set[UUID]:
    return set(CorpusChunkStore().vectors(_ids(stored), model=MODEL, dimension=384, within=within))


@pytest.mark.parametrize("way", [_loaded, _around, _on_statements, _vectors])
def test_what_is_loaded_or_added_is_of_each_companys_own_periods(
    acme: Firm, stored: Stored, way: Callable[[Stored, SearchBounds], set[UUID]]
) -> None:
    assert owners(way(stored, narrowed(acme)), stored) == FOUND
    assert owners(way(stored, bounds(acme)), stored) == set(STATED)


def test_no_statement_is_added(
    acme: Firm, stored: Stored, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    within = narrowed(acme)
    for retriever in RETRIEVERS[:2]:
        with django_assert_num_queries(1):
            ranked(retriever, within)
    for way, queries in ((_loaded, 2), (_vectors, 1)):
        with django_assert_num_queries(queries):
            way(stored, within)


def test_many_companies_are_one_condition(acme: Firm, stored: Stored) -> None:
    others = (CompanyPeriods(company=f"Other {number:05}", periods=(NEWEST, BEFORE)) for number in range(30_000))
    many = tuple(sorted((*OWN, *others), key=lambda each: each.company))
    within = bounds(acme, filter=DocumentFilter(periods=(NEWEST, BEFORE), of_companies=many))
    assert owners(ranked(RETRIEVERS[0], within), stored) == FOUND
    assert owners(_vectors(stored, within), stored) == FOUND


def test_the_inventory_resolves_last_quarter_by_company(acme: Firm, stored: Stored) -> None:
    held = CorpusInventoryReader().read(bounds(acme)).entries
    analysis = analysed("What was the drawdown of last quarter?", *held)
    assert any("Q4 2024 for Alpha" in notice and "Q2 2024 for Beta" in notice for notice in analysis.notices)
