"""What is added around a passage, and what is found by its metadata, comes through the same wall as all that is found:
asked for by the ids of others, it brings nothing of theirs, whatever bounds are handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from apps.corpus.kinds import Kind
from apps.corpus.models import Chunk
from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_place
from apps.intents.fund_house import FUND_HOUSE, FundHouse
from apps.retrieval.contracts import ChunkId, SearchBounds, SearchQuery
from apps.retrieval.optional.metadata import MetadataRetriever
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from tests.isolation.harness import rolled_back
from tests.isolation.world import World
from tests.retrieval.stored import adopt, store, weighted

LOOT = "cormorantneighbour"
KIND = FundHouse.REFERENCE_REPORT


@pytest.fixture
def family(world: World) -> Iterator[dict[str, list[UUID]]]:
    """By place, the passages of a document there: one, and its neighbour."""
    made: dict[str, list[UUID]] = {}
    with rolled_back():
        for slug, scope in (("acme", "fund:alpha"), ("acme", "fund:beta"), ("bolt", "fund:alpha")):
            firm = world.firm(slug)
            with open_scope(tenant=firm.id, reason="a test"):
                chunk_ids = store(firm.scopes[scope], ["one", LOOT], title=f"Paper {LOOT}", kind=KIND)
                adopt(chunk_ids)
            made[f"{slug} {scope}"] = chunk_ids
        yield made


def bounds_of(world: World, slug: str, scope: str, *kinds: Kind) -> SearchBounds:
    return SearchBounds(
        tenant_id=world.firm(slug).id, scope_ids=(ScopeId(world.scope_id(slug, scope)),), kinds=kinds or (KIND,)
    )


def around(chunk_id: UUID, within: SearchBounds) -> Any:
    return [
        chunk.text
        for chunks in CorpusChunkStore().around([ChunkId(chunk_id)], within=within).values()
        for chunk in chunks
    ]


def by_metadata(within: SearchBounds) -> list[UUID]:
    query = SearchQuery(terms=weighted(LOOT))
    return [hit.chunk_id for hit in MetadataRetriever(k1=1.2, b=0.75).retrieve(query, within=within, top_k=9).hits]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["acme fund:beta", "bolt fund:alpha"])
def test_nothing_is_added_from_another_scope_or_tenant_even_within_its_own_bounds(
    world: World, family: dict[str, list[UUID]], place: str
) -> None:
    """ann holds fund:alpha of Acme alone. The bounds are what the pipeline would never hand in."""
    slug, scope = place.split()
    theirs = family[place]
    theirs_bounds = bounds_of(world, slug, scope)
    with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        assert around(theirs[0], theirs_bounds) == []
        assert by_metadata(theirs_bounds) == []
        assert around(family["acme fund:alpha"][0], bounds_of(world, "acme", "fund:alpha")) == [LOOT]
    with open_scope(tenant=world.firm(slug).id, reason="a test"):
        assert around(theirs[0], theirs_bounds) == [LOOT]
        assert set(by_metadata(theirs_bounds)) == set(theirs)
        assert around(theirs[0], replace(theirs_bounds, scope_ids=())) == []


def test_nothing_is_added_of_a_kind_that_the_intent_may_not_reach(world: World, family: dict[str, list[UUID]]) -> None:
    chunk_id = family["acme fund:alpha"][0]
    with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        for permitted in ((FundHouse.RUN,), tuple(kind for kind in FUND_HOUSE if kind != KIND)):
            within = bounds_of(world, "acme", "fund:alpha", *permitted)
            assert around(chunk_id, within) == []
            assert not set(by_metadata(within)) & set(family["acme fund:alpha"])


def test_nothing_is_added_of_a_document_that_is_restricted_whoever_asks(
    world: World, family: dict[str, list[UUID]]
) -> None:
    chunk_id = family["acme fund:alpha"][0]
    dan, within = world.people["dan"], bounds_of(world, "acme", "fund:alpha")
    assert dan.id is not None
    with open_scope(tenant=world.acme.id, principal=dan):
        document_id = Chunk.objects.get(id=chunk_id).document_id
        assert around(chunk_id, within) == [LOOT]
        hold_place(
            matter="Cormorant",
            ground="A claim",
            owner_id=dan.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=[Target(type=TargetType.DOCUMENT, id=document_id)],
        )
        assert Chunk.objects.filter(id=chunk_id).exists()
        assert (around(chunk_id, within), by_metadata(within)) == ([], [])
