from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from uuid import UUID

import pytest

from apps.corpus.extraction.statements import Statement
from apps.corpus.models import DocumentStatus
from apps.corpus.terms import statement_term, terms
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import (
    DocumentFilter,
    Period,
    Ranking,
    SearchBounds,
    SearchQuery,
    SparseHit,
    WeightedTerm,
)
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.retrieval.stored import bounds, store, weighted

pytestmark = pytest.mark.django_db
K1, B = 1.2, 0.75
VOCABULARY = [
    "fund",
    "risk",
    "drawdown",
    "equity",
    "bond",
    "limit",
    "custody",
    "margin",
    "swap",
    "yield",
    "report",
    "client",
    "policy",
    "asset",
    "cash",
    "net",
]


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        yield firm


def reference_bm25(query: tuple[WeightedTerm, ...], chunks: Mapping[UUID, str]) -> list[tuple[UUID, float]]:
    """BM25 as the formula reads, chunk by chunk; best first, ties by id."""
    counted = {chunk_id: Counter(terms(text, "en")) for chunk_id, text in chunks.items()}
    mean_length = sum(count.total() for count in counted.values()) / len(counted)
    scores: dict[UUID, float] = {}
    for term in query:
        df = sum(term.term in count for count in counted.values())
        idf = math.log(1 + (len(counted) - df + 0.5) / (df + 0.5))
        for chunk_id, count in counted.items():
            if tf := count[term.term]:
                gain = tf * (K1 + 1) / (tf + K1 * (1 - B + B * count.total() / mean_length))
                scores[chunk_id] = scores.get(chunk_id, 0.0) + term.weight * idf * gain
    return sorted(((chunk_id, round(score, 9)) for chunk_id, score in scores.items()), key=lambda p: (-p[1], p[0]))


def search(query: tuple[WeightedTerm, ...], within: SearchBounds, top_k: int = 1000) -> list[tuple[UUID, float]]:
    return listed(SparseRetriever(k1=K1, b=B).retrieve(SearchQuery(terms=query), within=within, top_k=top_k))


def listed(ranking: Ranking) -> list[tuple[UUID, float]]:
    return [(hit.chunk_id, hit.bm25_score) for hit in ranking.hits if isinstance(hit, SparseHit)]


def random_texts(generator: random.Random, count: int) -> list[str]:
    weights = [1 / (rank + 1) for rank in range(len(VOCABULARY))]
    return [" ".join(generator.choices(VOCABULARY, weights, k=generator.randint(3, 40))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(4))
def test_ranking_and_scores_equal_a_reference_implementation(acme: Firm, seed: int) -> None:
    generator = random.Random(seed)
    chunks: dict[UUID, str] = {}
    for _ in range(4):
        texts = random_texts(generator, 15)
        chunks.update(zip(store(acme.root, texts), texts, strict=True))
    query = tuple(
        WeightedTerm(term=term, weight=weight, source="question")
        for word, weight in zip(generator.sample(VOCABULARY, 4), (1.0, 1.0, 0.6, 0.6), strict=True)
        for term in terms(word, "en")
    )
    found, expected = search(query, bounds(acme)), reference_bm25(query, chunks)
    assert [chunk_id for chunk_id, _ in found] == [chunk_id for chunk_id, _ in expected]
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=2e-9)


def test_top_k_is_the_beginning_of_the_whole_ranking(acme: Firm) -> None:
    store(acme.root, random_texts(random.Random(9), 40))
    query = weighted("fund", "risk")
    assert search(query, bounds(acme), top_k=5) == search(query, bounds(acme))[:5]


def test_equal_scores_are_ordered_by_chunk_id_also_at_the_border(acme: Firm) -> None:
    ids = store(acme.root, ["custody of assets"] * 6)
    assert [chunk_id for chunk_id, _ in search(weighted("custodi"), bounds(acme), top_k=3)] == sorted(ids)[:3]


def test_other_scopes_change_no_score(acme: Firm) -> None:
    store(acme.scopes["fund:alpha"], ["custody of assets", "risk of swaps"])
    query = weighted("custodi", "risk")
    before = search(query, bounds(acme, "fund:alpha"))
    store(acme.scopes["fund:beta"], ["custody custody risk"] * 5)
    assert search(query, bounds(acme, "fund:alpha")) == before


def test_kinds_that_are_not_permitted_change_no_score(acme: Firm) -> None:
    store(acme.root, ["custody of assets", "risk of swaps"])
    before = search(weighted("custodi"), bounds(acme))
    store(acme.root, ["custody custody"] * 5, kind=FundHouse.RUN)
    assert search(weighted("custodi"), bounds(acme)) == before


@pytest.mark.parametrize("status", [DocumentStatus.SUPERSEDED, DocumentStatus.PROCESSING, DocumentStatus.FAILED])
def test_documents_that_are_not_live_do_not_count(acme: Firm, status: DocumentStatus) -> None:
    store(acme.root, ["custody of assets", "risk of swaps"])
    before = search(weighted("custodi"), bounds(acme))
    store(acme.root, ["custody custody"] * 5, status=status)
    assert search(weighted("custodi"), bounds(acme)) == before


def test_filter_narrows_and_changes_no_score(acme: Firm) -> None:
    kept = store(acme.root, ["custody of assets"], company="Northwind", fiscal_year=2024, fiscal_quarter=4)
    store(acme.root, ["custody of assets in custody"], company="Contoso", fiscal_year=2023, fiscal_quarter=4)
    everything = dict(search(weighted("custodi"), bounds(acme)))
    narrowed = DocumentFilter(companies=("Northwind",), periods=(Period(fiscal_year=2024, fiscal_quarter=4),))
    assert search(weighted("custodi"), bounds(acme, filter=narrowed)) == [(kept[0], everything[kept[0]])]


@pytest.mark.parametrize(
    ("period", "found"),
    [
        (Period(fiscal_year=2024), {"Q4 2024", "FY2024", "undated"}),
        (Period(fiscal_year=2024, fiscal_quarter=4), {"Q4 2024", "FY2024", "undated"}),
        (Period(fiscal_year=2024, fiscal_quarter=3), {"FY2024", "undated"}),
        (Period(fiscal_year=2023), {"Q4 2023", "undated"}),
    ],
)
def test_period_filter_leaves_out_what_states_another_period(acme: Firm, period: Period, found: set[str]) -> None:
    chunks = {
        store(acme.root, ["custody"], fiscal_year=year, fiscal_quarter=quarter)[0]: label
        for label, year, quarter in (
            ("Q4 2023", 2023, 4),
            ("Q4 2024", 2024, 4),
            ("FY2024", 2024, None),
            ("undated", None, None),
        )
    }
    hits = search(weighted("custodi"), bounds(acme, filter=DocumentFilter(periods=(period,))))
    assert {chunks[chunk_id] for chunk_id, _ in hits} == found


def test_jurisdiction_filter_leaves_out_what_states_others_alone(acme: Firm) -> None:
    chunks = {
        store(acme.root, ["custody"], jurisdictions=stated)[0]: label
        for label, stated in (("German", ("AT", "DE")), ("Irish", ("IE",)), ("unstated", ()))
    }
    hits = search(weighted("custodi"), bounds(acme, filter=DocumentFilter(jurisdictions=("DE", "EU"))))
    assert {chunks[chunk_id] for chunk_id, _ in hits} == {"German", "unstated"}


def test_scope_of_another_tenant_in_the_bounds_gives_nothing(acme: Firm) -> None:
    with open_scope(tenant=(other := make_firm("other")).id, reason="a test"):
        store(other.root, ["custody of assets"])
    forged = SearchBounds(
        tenant_id=acme.id, scope_ids=tuple(other.scope_ids(*other.scopes)), kinds=("reference_report",)
    )
    assert search(weighted("custodi"), forged) == []


def test_tenant_of_another_in_the_bounds_gives_nothing(acme: Firm) -> None:
    with open_scope(tenant=(other := make_firm("other")).id, reason="a test"):
        store(other.root, ["custody of assets"])
    assert search(weighted("custodi"), bounds(other)) == []


@pytest.mark.parametrize("query", [(), weighted("unheard")])
def test_nothing_asked_or_nothing_there(acme: Firm, query: tuple[WeightedTerm, ...]) -> None:
    store(acme.root, ["custody of assets"])
    assert search(query, bounds(acme)) == []


def test_no_permitted_kind_gives_nothing(acme: Firm) -> None:
    store(acme.root, ["custody of assets"])
    assert search(weighted("custodi"), bounds(acme, kinds=())) == []


def test_terms_are_data_not_sql(acme: Firm) -> None:
    store(acme.root, ["custody of assets"])
    assert search(weighted("custodi' OR true --", "%s", '"; DROP TABLE corpus_chunk; --'), bounds(acme)) == []


def test_required_terms_leave_in_only_what_bears_one_and_change_no_score(acme: Firm) -> None:
    ids = store(acme.root, ["custody of assets", "custody and risk", "risk of swaps"])
    query = weighted("custodi", "risk")
    whole = search(query, bounds(acme))
    required = SearchQuery(terms=query, required_terms=("risk", "unheard"))
    found = listed(SparseRetriever(k1=K1, b=B).retrieve(required, within=bounds(acme), top_k=10))
    assert found == [hit for hit in whole if hit[0] in ids[1:]]
    assert len(whole) == 3


def test_what_is_ranked_apart_in_one_pass_is_what_a_ranking_of_its_own_finds(acme: Firm) -> None:
    texts = [f"{'custody ' * (number % 5 + 1)}of risk {number}" for number in range(40)]
    cash_flows = {Statement.CASH_FLOW_STATEMENT: list(range(3, 40, 3))}
    store(acme.root, texts, statements=cash_flows)
    store(acme.root, ["custody"], kind=FundHouse.RUN, statements={Statement.CASH_FLOW_STATEMENT: [1]})
    (mark,) = (statement_term(each.value) for each in cash_flows)
    query = SearchQuery(terms=weighted("custodi", "risk", mark))
    retriever, within = SparseRetriever(k1=K1, b=B), bounds(acme, kinds=(FundHouse.REFERENCE_REPORT,))
    both = retriever.retrieve(replace(query, apart_terms=(mark,), apart_top_k=4), within=within, top_k=15)
    assert both.hits == retriever.retrieve(query, within=within, top_k=15).hits
    assert both.apart == retriever.retrieve(replace(query, required_terms=(mark,)), within=within, top_k=4).hits
    assert (len(both.hits), len(both.apart)) == (15, 4)
    assert retriever.retrieve(query, within=within, top_k=15).apart is None


def test_of_a_quarter_the_report_of_the_year_may_be_left_out(acme: Firm) -> None:
    quarter = Period(fiscal_year=2024, fiscal_quarter=4)
    (own,) = store(acme.root, ["custody"], fiscal_year=2024, fiscal_quarter=4)
    (annual,) = store(acme.root, ["custody"], fiscal_year=2024)
    store(acme.root, ["custody"], fiscal_year=2024, fiscal_quarter=3)
    for own_quarter_only, expected in ((False, {own, annual}), (True, {own})):
        chosen = DocumentFilter(periods=(quarter,), own_quarter_only=own_quarter_only)
        assert {chunk for chunk, _ in search(weighted("custodi"), bounds(acme, filter=chosen))} == expected
