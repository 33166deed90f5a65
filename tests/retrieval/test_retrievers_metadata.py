from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from apps.corpus.kinds import DocumentType
from apps.corpus.models import Chunk, Document, DocumentStatus
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.retrieval.contracts import DocumentFilter, Ranking, SearchBounds, SearchQuery
from apps.retrieval.optional.metadata import MetadataRetriever
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.retrieval.stored import bounds, store, weighted

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        yield firm


def headed(chunk_id: UUID, section: str, sec_item: str = "") -> None:
    Chunk.objects.filter(id=chunk_id).update(section=section, sec_item=sec_item)


def ranked(within: SearchBounds, *words: str, top_k: int = 10) -> Ranking:
    return MetadataRetriever(k1=1.2, b=0.75).retrieve(SearchQuery(terms=weighted(*words)), within=within, top_k=top_k)


def found(within: SearchBounds, *words: str, top_k: int = 10) -> list[UUID]:
    return [hit.chunk_id for hit in ranked(within, *words, top_k=top_k).hits]


def test_a_passage_is_found_by_its_heading_and_not_by_its_text(acme: Firm) -> None:
    first, second = store(acme.root, ["drawdown drawdown drawdown", "apples"])
    headed(second, "Risk : Drawdown of the year")
    assert found(bounds(acme), "drawdown") == [second]
    assert first not in found(bounds(acme), "drawdown", "appl")


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("northwind", {"company": "Northwind"}),
        ("outlook", {"title": "Outlook for the market"}),
        ("fy2018", {"fiscal_year": 2018}),
        ("press", {"document_type": DocumentType.NEWS_ARTICLE, "title": "In the press"}),
        ("transcript", {"document_type": DocumentType.EARNINGS_TRANSCRIPT}),
    ],
)
def test_a_passage_is_found_by_what_its_document_states(acme: Firm, word: str, told: dict[str, object]) -> None:
    store(acme.root, ["other"], title="Else")
    (wanted,) = store(acme.root, ["x"], **{"title": "A paper", **told})  # type: ignore[arg-type]
    assert found(bounds(acme), word) == [wanted]


def test_a_passage_is_found_by_the_name_of_its_kind(acme: Firm) -> None:
    store(acme.root, ["x"])
    (wanted,) = store(acme.root, ["x"], kind=FundHouse.METHODOLOGY)
    assert found(bounds(acme, kinds=tuple(FUND_HOUSE)), "methodolog") == [wanted]


def test_the_heading_that_says_more_of_it_comes_first(acme: Firm) -> None:
    first, second, third = store(acme.root, ["a", "b", "c"])
    headed(first, "Risk of the market")
    headed(second, "Market risk : Liquidity risk")
    headed(third, "Outlook")
    assert found(bounds(acme), "liquid", "risk") == [second, first]


def test_passages_under_one_heading_share_a_rank_and_come_in_the_order_of_their_ids(acme: Firm) -> None:
    chunks = store(acme.root, ["a", "b", "c"])
    for each in chunks:
        headed(each, "Liquidity")
    ranking = ranked(bounds(acme), "liquid")
    assert ranking.ranks_shared
    assert [hit.chunk_id for hit in ranking.hits] == sorted(chunks)
    assert (len({getattr(hit, "bm25_score", None) for hit in ranking.hits}), ranking.considered) == (1, 3)


def test_no_more_are_ranked_than_asked_for(acme: Firm) -> None:
    chunks = store(acme.root, ["a"] * 5, title="Liquidity")
    assert found(bounds(acme), "liquid", top_k=2) == sorted(chunks)[:2]


def test_what_nothing_names_is_not_ranked(acme: Firm) -> None:
    store(acme.root, ["drawdown"])
    assert found(bounds(acme), "drawdown") == []
    assert found(bounds(acme)) == []
    assert found(bounds(acme, kinds=()), "report") == []


def test_ranking_keeps_to_scopes_kinds_live_documents_and_the_filter(acme: Firm) -> None:
    (own,) = store(acme.scopes["fund:alpha"], ["x"], title="Liquidity", company="Northwind")
    store(acme.scopes["fund:beta"], ["x"], title="Liquidity")
    store(acme.scopes["fund:alpha"], ["x"], title="Liquidity", kind=FundHouse.RUN)
    store(acme.scopes["fund:alpha"], ["x"], title="Liquidity", status=DocumentStatus.SUPERSEDED)
    store(acme.scopes["fund:alpha"], ["x"], title="Liquidity", company="Contoso")
    within = bounds(acme, "fund:alpha", filter=DocumentFilter(companies=("Northwind",)))
    assert found(within, "liquid") == [own]
    assert Document.objects.count() == 5


def test_a_question_as_of_a_date_is_ranked_among_what_was_current_then(acme: Firm) -> None:
    now = timezone.now()
    (old,) = store(acme.root, ["x"], title="Liquidity", status=DocumentStatus.SUPERSEDED)
    (new,) = store(acme.root, ["x"], title="Liquidity")
    times = {old: (now - timedelta(days=9), now - timedelta(days=5)), new: (now - timedelta(days=5), None)}
    for chunk_id, (valid_from, valid_to) in times.items():
        Document.objects.filter(chunks__id=chunk_id).update(valid_from=valid_from, valid_to=valid_to)
    within = bounds(acme)
    then = SearchBounds(
        tenant_id=within.tenant_id, scope_ids=within.scope_ids, kinds=within.kinds, as_of=now - timedelta(days=7)
    )
    assert (found(then, "liquid"), found(within, "liquid")) == ([old], [new])


def test_it_takes_one_query(
    acme: Firm, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    store(acme.root, ["x"], title="Liquidity")
    with django_assert_num_queries(1):
        assert len(found(bounds(acme), "liquid")) == 1
