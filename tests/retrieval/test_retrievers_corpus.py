from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest

from apps.corpus.kinds import Kind
from apps.corpus.models import DocumentStatus
from apps.retrieval.contracts import ChunkId, DocumentFilter
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.tenants.context import open_scope
from tests.factories import Firm, make_firm
from tests.retrieval.stored import bounds, store

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


def test_inventory_keeps_to_scopes_and_kinds(acme: Firm) -> None:
    store(acme.scopes["fund:alpha"], ["x"], company="Alpha")
    store(acme.scopes["fund:beta"], ["x"], company="Beta")
    store(acme.scopes["fund:alpha"], ["x"], company="Secret", kind=Kind.RUN)
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


def test_chunks_outside_the_bounds_are_not_loaded(acme: Firm) -> None:
    wanted = [
        *store(acme.scopes["fund:beta"], ["x"]),
        *store(acme.scopes["fund:alpha"], ["x"], kind=Kind.RUN),
        *store(acme.scopes["fund:alpha"], ["x"], status=DocumentStatus.SUPERSEDED),
    ]
    assert CorpusChunkStore().load([ChunkId(each) for each in wanted], within=bounds(acme, "fund:alpha")) == ()


def test_no_ids_no_chunks(acme: Firm) -> None:
    assert CorpusChunkStore().load([], within=bounds(acme)) == ()
