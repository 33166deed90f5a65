from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import date
from uuid import UUID

import numpy as np
import pytest

from apps.corpus.extraction.statements import Statement
from apps.corpus.models import Chunk, Document, DocumentStatus
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import ChunkId, DocumentFilter, DocumentId, FloatVector
from apps.retrieval.errors import UnsupportedEmbeddingDimensionError
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.model_server import hashed_vector
from tests.retrieval.stored import MODEL, adopt, bounds, store

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        yield firm


def test_inventory_counts_live_documents_by_what_they_state(acme: Firm) -> None:
    for _ in range(2):
        store(acme.root, ["x"], company="Northwind", fiscal_year=2024, fiscal_quarter=4)
    store(acme.root, ["x"], company="Northwind", fiscal_year=2023, status=DocumentStatus.SUPERSEDED)
    (entry,) = CorpusInventoryReader().read(bounds(acme)).entries
    assert (entry.company, entry.fiscal_year, entry.fiscal_quarter, entry.documents) == ("Northwind", 2024, 4, 2)


def test_inventory_knows_from_when_to_when_they_were_published(acme: Firm) -> None:
    for day in (date(2024, 3, 1), None, date(2024, 5, 2)):
        store(acme.root, ["x"], company="Northwind", published_on=day)
    store(acme.root, ["x"], company="Contoso")
    contoso, northwind = CorpusInventoryReader().read(bounds(acme)).entries
    assert (northwind.published_first, northwind.published_last) == (date(2024, 3, 1), date(2024, 5, 2))
    assert (contoso.published_first, contoso.published_last) == (None, None)


def test_inventory_tells_documents_of_several_jurisdictions_apart(acme: Firm) -> None:
    for stated in ((), ("DE", "AT"), ("DE", "AT"), ("LU",)):
        store(acme.root, ["x"], jurisdictions=stated)
    entries = CorpusInventoryReader().read(bounds(acme)).entries
    assert {entry.jurisdictions: entry.documents for entry in entries} == {(): 1, ("DE", "AT"): 2, ("LU",): 1}


def test_inventory_keeps_to_scopes_and_kinds(acme: Firm) -> None:
    store(acme.scopes["fund:alpha"], ["x"], company="Alpha")
    store(acme.scopes["fund:beta"], ["x"], company="Beta")
    store(acme.scopes["fund:alpha"], ["x"], company="Secret", kind=FundHouse.RUN)
    inventory = CorpusInventoryReader().read(bounds(acme, "fund:alpha"))
    assert [entry.company for entry in inventory.entries] == ["Alpha"]


def test_inventory_is_not_narrowed_by_the_filter(acme: Firm) -> None:
    store(acme.root, ["x"], company="Northwind")
    narrowed = bounds(acme, filter=DocumentFilter(companies=("Contoso",)))
    assert len(CorpusInventoryReader().read(narrowed).entries) == 1


def test_chunks_come_with_the_facts_of_their_document(acme: Firm) -> None:
    (chunk_id,) = store(acme.root, ["custody"], title="Q4 report", company="Northwind", fiscal_year=2024)
    (chunk,) = CorpusChunkStore().load([ChunkId(chunk_id)], within=bounds(acme))
    assert (chunk.text, chunk.page_start, chunk.document.title, chunk.document.fiscal_year) == (
        "custody",
        1,
        "Q4 report",
        2024,
    )


def test_chunks_come_with_the_jurisdictions_of_their_document(acme: Firm) -> None:
    (chunk_id,) = store(acme.root, ["custody"], jurisdictions=("DE", "EU"))
    (chunk,) = CorpusChunkStore().load([ChunkId(chunk_id)], within=bounds(acme))
    assert chunk.document.jurisdictions == ("DE", "EU")


def test_chunks_outside_the_bounds_are_not_loaded(acme: Firm) -> None:
    wanted = [
        *store(acme.scopes["fund:beta"], ["x"]),
        *store(acme.scopes["fund:alpha"], ["x"], kind=FundHouse.RUN),
        *store(acme.scopes["fund:alpha"], ["x"], status=DocumentStatus.SUPERSEDED),
    ]
    assert CorpusChunkStore().load([ChunkId(each) for each in wanted], within=bounds(acme, "fund:alpha")) == ()


def test_no_ids_no_chunks(acme: Firm) -> None:
    assert CorpusChunkStore().load([], within=bounds(acme)) == ()


# --- passages of statements ---


BALANCE, INCOME = Statement.BALANCE_SHEET, Statement.INCOME_STATEMENT


def document_of(chunk_id: UUID) -> DocumentId:
    return DocumentId(Chunk.objects.get(id=chunk_id).document_id)


def printed(
    firm: Firm,
    documents: Iterable[DocumentId],
    *scopes: str,
    wanted: Iterable[Statement] = (BALANCE, INCOME),
    most: int = 10,
) -> list[tuple[str, tuple[Statement, ...]]]:
    found = CorpusChunkStore().on_statements(list(documents), list(wanted), within=bounds(firm, *scopes), most=most)
    return [(chunk.text, chunk.statements) for chunk in found]


def test_passages_of_statements_come_by_document_and_number_with_what_they_print(acme: Firm) -> None:
    first = store(acme.root, ["cover", "assets", "sales"], statements={BALANCE: [2, 3], INCOME: [3]})
    second = store(acme.root, ["more assets", "notes"], statements={BALANCE: [1]})
    documents = [document_of(second[0]), document_of(first[0])]
    assert printed(acme, documents) == [
        ("more assets", (BALANCE,)),
        ("assets", (BALANCE,)),
        ("sales", (BALANCE, INCOME)),
    ]
    assert printed(acme, documents, wanted=[INCOME]) == [("sales", (INCOME,))]
    assert [text for text, _ in printed(acme, documents, most=2)] == ["more assets", "assets"]
    assert printed(acme, documents[:1], wanted=[INCOME]) == []


def test_passages_of_statements_keep_to_scopes_kinds_and_live_documents(acme: Firm) -> None:
    marks = {BALANCE: [1]}
    visible = store(acme.scopes["fund:alpha"], ["visible"], statements=marks)
    hidden = [
        *store(acme.scopes["fund:beta"], ["beta"], statements=marks),
        *store(acme.scopes["fund:alpha"], ["run"], kind=FundHouse.RUN, statements=marks),
        *store(acme.scopes["fund:alpha"], ["old"], status=DocumentStatus.SUPERSEDED, statements=marks),
    ]
    documents = [document_of(each) for each in (*hidden, *visible)]
    assert printed(acme, documents, "fund:alpha") == [("visible", (BALANCE,))]


def test_passages_of_statements_of_another_tenant_are_not_there(acme: Firm) -> None:
    bolt = make_firm("bolt")
    with open_scope(tenant=bolt.id, reason="a test"):
        (theirs,) = store(bolt.root, ["theirs"], statements={BALANCE: [1]})
        document = document_of(theirs)
        assert len(printed(bolt, [document])) == 1
    with open_scope(tenant=acme.id, reason="a test"):
        # The database holds the wall: even bounds that name the other tenant and its scopes bring nothing.
        assert CorpusChunkStore().on_statements([document], [BALANCE], within=bounds(bolt), most=10) == ()
        assert printed(acme, [document]) == []


# --- stored vectors ---


def vectors(firm: Firm, chunk_ids: Iterable[UUID], *scopes: str, model: str = MODEL) -> Mapping[ChunkId, FloatVector]:
    wanted = [ChunkId(each) for each in chunk_ids]
    return CorpusChunkStore().vectors(wanted, model=model, dimension=384, within=bounds(firm, *scopes))


def test_vectors_are_the_stored_ones_at_unit_length_in_one_query(
    acme: Firm, django_assert_num_queries: Callable[[int], AbstractContextManager[object]]
) -> None:
    chunk_ids = store(acme.root, ["custody of the assets", "drawdown"])
    with django_assert_num_queries(1):
        found = vectors(acme, chunk_ids)
    for chunk_id, text in zip(chunk_ids, ("custody of the assets", "drawdown"), strict=True):
        assert np.allclose(found[ChunkId(chunk_id)], hashed_vector(text, 384), atol=1e-3)
        assert float(np.linalg.norm(found[ChunkId(chunk_id)])) == pytest.approx(1.0, abs=1e-5)


def test_vectors_keep_to_scopes_kinds_and_live_documents(acme: Firm) -> None:
    (own,) = store(acme.scopes["fund:alpha"], ["x"])
    others = [
        *store(acme.scopes["fund:beta"], ["x"]),
        *store(acme.scopes["fund:alpha"], ["x"], kind=FundHouse.RUN),
        *store(acme.scopes["fund:alpha"], ["x"], status=DocumentStatus.SUPERSEDED),
    ]
    assert set(vectors(acme, [own, *others], "fund:alpha")) == {own}
    assert Document.objects.count() == 4


def test_vectors_of_another_tenant_are_not_found(acme: Firm) -> None:
    with open_scope(tenant=(other := make_firm("other")).id, reason="a test"):
        theirs = store(other.root, ["x"])
    assert vectors(acme, theirs) == {}


def test_vectors_of_another_model_are_never_compared(acme: Firm) -> None:
    assert vectors(acme, store(acme.root, ["x"]), model="an earlier model") == {}


def test_vectors_of_no_known_length_are_refused(acme: Firm) -> None:
    with pytest.raises(UnsupportedEmbeddingDimensionError):
        CorpusChunkStore().vectors([], model=MODEL, dimension=7, within=bounds(acme))


# --- what stands around ---


def around(firm: Firm, chunk_ids: Iterable[UUID], *scopes: str) -> dict[UUID, list[str]]:
    found = CorpusChunkStore().around([ChunkId(each) for each in chunk_ids], within=bounds(firm, *scopes))
    return {chunk_id: [chunk.text for chunk in chunks] for chunk_id, chunks in found.items()}


def test_around_a_passage_stand_the_others_of_its_parent_as_they_are_read(acme: Firm) -> None:
    first, second, third, alone = store(acme.root, ["one", "two", "three", "four"])
    adopt([first, second, third])
    assert around(acme, [third, first, alone]) == {third: ["one", "two"], first: ["two", "three"]}


def test_around_nothing_stands_nothing(acme: Firm) -> None:
    assert around(acme, []) == {}


def test_what_stands_around_keeps_to_scopes_kinds_and_live_documents(acme: Firm) -> None:
    families = [
        store(acme.scopes["fund:alpha"], ["own", "its neighbour"]),
        store(acme.scopes["fund:beta"], ["x", "y"]),
        store(acme.scopes["fund:alpha"], ["x", "y"], kind=FundHouse.RUN),
        store(acme.scopes["fund:alpha"], ["x", "y"], status=DocumentStatus.SUPERSEDED),
    ]
    for family in families:
        adopt(family)
    own = families[0][0]
    assert around(acme, [family[0] for family in families], "fund:alpha") == {own: ["its neighbour"]}
