from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from apps.corpus.models import DocumentStatus
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import DenseHit, DocumentFilter, SearchBounds, SearchQuery
from apps.retrieval.errors import UnsupportedEmbeddingDimensionError
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.model_server import hashed_vector
from tests.retrieval.stored import MODEL, bounds, store

pytestmark = pytest.mark.django_db
TEXTS = ["custody of client assets", "drawdown of the fund", "custody", "limits of risk", "the fund and its risk"]


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        yield firm


def search(text: str, within: SearchBounds, *, top_k: int = 30, model: str = MODEL) -> list[tuple[UUID, float]]:
    query = SearchQuery(terms=(), vector=hashed_vector(text, 384), embedding_model=model)
    ranking = DenseRetriever().retrieve(query, within=within, top_k=top_k)
    return [(hit.chunk_id, hit.cosine_similarity) for hit in ranking.hits if isinstance(hit, DenseHit)]


def test_ranking_is_exact_cosine(acme: Firm) -> None:
    ids = store(acme.root, TEXTS)
    question = hashed_vector("custody of assets", 384)
    expected = {
        chunk_id: float(np.dot(question, hashed_vector(text, 384))) for chunk_id, text in zip(ids, TEXTS, strict=True)
    }
    found = search("custody of assets", bounds(acme))
    assert [chunk_id for chunk_id, _ in found] == sorted(ids, key=lambda each: -expected[each])
    # Half precision: three decimal digits.
    assert dict(found) == pytest.approx(expected, abs=2e-3)


def test_top_k(acme: Firm) -> None:
    store(acme.root, TEXTS)
    assert search("fund", bounds(acme), top_k=2) == search("fund", bounds(acme))[:2]


def test_equal_similarities_are_ordered_by_chunk_id(acme: Firm) -> None:
    ids = store(acme.root, ["custody"] * 4)
    assert [chunk_id for chunk_id, _ in search("custody", bounds(acme), top_k=2)] == sorted(ids)[:2]


def test_vectors_of_another_model_are_not_compared(acme: Firm) -> None:
    store(acme.root, TEXTS)
    assert search("fund", bounds(acme), model="another") == []


def test_other_scopes_and_kinds_are_out_of_reach(acme: Firm) -> None:
    wanted = store(acme.scopes["fund:alpha"], ["custody"])
    store(acme.scopes["fund:beta"], ["custody"])
    store(acme.scopes["fund:alpha"], ["custody"], kind=FundHouse.RUN)
    assert [chunk_id for chunk_id, _ in search("custody", bounds(acme, "fund:alpha"))] == wanted


def test_superseded_documents_are_not_found(acme: Firm) -> None:
    store(acme.root, ["custody"], status=DocumentStatus.SUPERSEDED)
    assert search("custody", bounds(acme)) == []


def test_filter_narrows(acme: Firm) -> None:
    wanted = store(acme.root, ["custody"], company="Northwind")
    store(acme.root, ["custody"], company="Contoso")
    found = search("custody", bounds(acme, filter=DocumentFilter(companies=("Northwind",))))
    assert [chunk_id for chunk_id, _ in found] == wanted


def test_scope_of_another_tenant_in_the_bounds_gives_nothing(acme: Firm) -> None:
    with open_scope(tenant=(other := make_firm("other")).id, reason="a test"):
        store(other.root, ["custody"])
    assert search("custody", bounds(other)) == []


def coverage(within: SearchBounds, *, model: str = MODEL) -> tuple[int, int]:
    """How many documents are in reach, and how many of them lack vectors."""
    query = SearchQuery(terms=(), vector=hashed_vector("custody", 384), embedding_model=model)
    found = DenseRetriever().retrieve(query, within=within, top_k=1).coverage
    assert found is not None
    assert found.model == model
    return found.documents, found.without_vectors


def test_documents_without_vectors_of_the_model_are_counted(acme: Firm) -> None:
    store(acme.root, ["custody", "limits"])
    store(acme.root, ["custody"], model="another")
    assert coverage(bounds(acme)) == (2, 1)


def test_they_are_counted_where_nothing_is_found(acme: Firm) -> None:
    store(acme.root, TEXTS)
    assert coverage(bounds(acme), model="another") == (1, 1)


@pytest.mark.parametrize(
    "unseen", [{"status": DocumentStatus.SUPERSEDED}, {"texts": []}, {"kind": FundHouse.RUN}, {"company": "Contoso"}]
)
def test_only_what_could_be_found_is_counted(acme: Firm, unseen: dict[str, Any]) -> None:
    store(acme.root, **{"texts": ["custody"], "model": "another", **unseen})
    assert coverage(bounds(acme, filter=DocumentFilter(companies=("Northwind",)))) == (0, 0)


def test_no_vector_no_hits(acme: Firm) -> None:
    store(acme.root, ["custody"])
    assert DenseRetriever().retrieve(SearchQuery(terms=()), within=bounds(acme), top_k=3).hits == ()


def test_length_without_a_table_is_an_error(acme: Firm) -> None:
    query = SearchQuery(terms=(), vector=np.ones(7, dtype=np.float32), embedding_model=MODEL)
    with pytest.raises(UnsupportedEmbeddingDimensionError, match=r"for 7 dimensions\. Supported: 384, 768, 1536"):
        DenseRetriever().retrieve(query, within=bounds(acme), top_k=3)
