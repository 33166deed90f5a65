"""Filters that come with a question, in the SQL of each ranking, and of each way to load what stands there."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid4

import pytest

from apps.corpus.extraction.statements import Statement
from apps.corpus.kinds import Kind
from apps.corpus.models import Chunk
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import (
    NO_FILTERS,
    ChunkId,
    DocumentId,
    GivenFilters,
    Period,
    SearchBounds,
    SearchQuery,
)
from apps.retrieval.optional.metadata import MetadataRetriever
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.tenants.context import open_scope
from apps.tenants.models import Scope
from tests.factories import Firm, make_firm
from tests.model_server import hashed_vector
from tests.retrieval.stored import MODEL, adopt, bounds, store, weighted

pytestmark = pytest.mark.django_db

KINDS: Final = (FundHouse.RUN, FundHouse.REFERENCE_REPORT)
STATEMENT: Final = next(iter(Statement))
QUERY: Final = SearchQuery(
    terms=weighted("custodi", "fund"), vector=hashed_vector("custody fund", 384), embedding_model=MODEL
)


class Held(NamedTuple):
    document: DocumentId
    chunks: tuple[ChunkId, ...]
    kind: str
    company: str
    year: int | None
    quarter: int | None


@pytest.fixture
def acme() -> Iterator[Firm]:
    firm = make_firm("acme")
    with open_scope(tenant=firm.id, reason="a test"):
        yield firm


@pytest.fixture
def held(acme: Firm) -> list[Held]:
    """Every company with every period in two kinds, and one kind that is not permitted; all in the same words."""
    found = []
    for number, (kind, company, (year, quarter)) in enumerate(
        (kind, company, period)
        for kind in (*KINDS, FundHouse.METHODOLOGY)
        for company in ("Alpha", "Beta", "")
        for period in ((2023, None), (2024, 3), (2024, 4), (None, None))
    ):
        scope = (acme.root, acme.scopes["fund:alpha"], acme.scopes["fund:beta"])[number % 3]
        found.append(_stored(scope, kind, company, year, quarter, number))
    return found


def _stored(scope: Scope, kind: Kind, company: str, year: int | None, quarter: int | None, number: int) -> Held:
    texts = [f"custody of the fund {number}", f"the fund and its custody, part two of {number}"]
    ids = store(
        scope,
        texts,
        kind=kind,
        title="The fund's custody",
        company=company,
        fiscal_year=year,
        fiscal_quarter=quarter,
        statements={STATEMENT: [1]},
    )
    adopt(ids)
    document = Chunk.objects.get(id=ids[0]).document_id
    return Held(DocumentId(document), tuple(map(ChunkId, ids)), kind.value, company, year, quarter)


def meets(each: Held, given: GivenFilters) -> bool:
    return (
        (given.documents is None or each.document in given.documents)
        and (given.companies is None or each.company in given.companies)
        and (given.kinds is None or each.kind in given.kinds)
        and (
            given.periods is None
            or any(
                each.year == period.fiscal_year and period.fiscal_quarter in (0, each.quarter)
                for period in given.periods
            )
        )
    )


def given_at_random(chosen: random.Random, held: Sequence[Held]) -> GivenFilters:
    choices: dict[str, list[Any]] = {
        "documents": [*(each.document for each in held), DocumentId(uuid4())],
        "companies": ["Alpha", "Beta", "Nobody", ""],
        "kinds": [kind.value for kind in (*KINDS, FundHouse.METHODOLOGY)],
        "periods": [
            Period(fiscal_year=2023),
            Period(fiscal_year=2024),
            Period(fiscal_year=2024, fiscal_quarter=4),
            Period(fiscal_year=2023, fiscal_quarter=4),
        ],
    }
    picked = {
        name: tuple(chosen.sample(values, chosen.randint(0, min(len(values), 12))))
        for name, values in choices.items()
        if chosen.random() < 0.5
    }
    return replace(NO_FILTERS, **picked)


def ranked(within: SearchBounds) -> dict[str, list[UUID]]:
    """The passages of each ranking, in its order."""
    retrievers = (DenseRetriever(), SparseRetriever(k1=1.2, b=0.75), MetadataRetriever(k1=1.2, b=0.75))
    found = {each.name: each.retrieve(QUERY, within=within, top_k=500) for each in retrievers}
    statements = replace(QUERY, apart_terms=weighted_terms(), apart_top_k=500)
    apart = SparseRetriever(k1=1.2, b=0.75).retrieve(statements, within=within, top_k=500).apart or ()
    return {**{name: [hit.chunk_id for hit in each.hits] for name, each in found.items()}, "statements": ids(apart)}


def ids(hits: Sequence[Any]) -> list[UUID]:
    return [hit.chunk_id for hit in hits]


def weighted_terms() -> tuple[str, ...]:
    return tuple(each.term for each in QUERY.terms)


def test_each_ranking_is_the_one_without_filters_but_for_what_does_not_meet_them(acme: Firm, held: list[Held]) -> None:
    """In the same order, for filters at random: they say what may be found, and not what counts as a rare word."""
    within = bounds(acme, kinds=KINDS)
    without, owner = ranked(within), {chunk: each for each in held for chunk in each.chunks}
    assert all(set(found) == {c for e in held if e.kind in KINDS for c in e.chunks} for found in without.values())
    chosen = random.Random("given")
    for _ in range(25):
        given = given_at_random(chosen, held)
        narrowed = ranked(replace(within, given=given))
        for name, found in without.items():
            wanted = [chunk for chunk in found if meets(owner[ChunkId(chunk)], given)]
            # By what stands over it, a word's rarity is taken over what is left: all of these bear the same words.
            assert (sorted if name == "metadata" else list)(narrowed[name]) == (
                sorted(wanted) if name == "metadata" else wanted
            ), (name, given)


def test_nothing_is_loaded_or_added_that_does_not_meet_them(acme: Firm, held: list[Held]) -> None:
    """Each way by itself, asked for all there is: it does not rest on a ranking having been narrowed."""
    chunks, documents = [c for each in held for c in each.chunks], [each.document for each in held]
    firsts = [each.chunks[0] for each in held]
    loader, chosen = CorpusChunkStore(), random.Random("loaded")
    for given in (NO_FILTERS, *(given_at_random(chosen, held) for _ in range(15))):
        within = replace(bounds(acme, kinds=KINDS), given=given)
        left = {each.document for each in held if each.kind in KINDS and meets(each, given)}
        assert {each.document.document_id for each in loader.load(chunks, within=within)} == left
        on_statements = loader.on_statements(documents, [STATEMENT], within=within, most=1000)
        assert {each.document.document_id for each in on_statements} == left
        around = loader.around(firsts, within=within)
        assert {each.document.document_id for others in around.values() for each in others} == left
        vectors = loader.vectors(chunks, model=MODEL, dimension=384, within=within)
        assert vectors.keys() == {c for each in held if each.document in left for c in each.chunks}
        inventory = CorpusInventoryReader().read(within)
        assert sum(entry.documents for entry in inventory.entries) == len(left)


def test_what_is_held_of_them_is_of_the_scopes_and_kinds_alone(acme: Firm, held: list[Held]) -> None:
    within = bounds(acme, "fund:alpha", kinds=KINDS)
    everything = tuple(each.document for each in held)
    found = CorpusInventoryReader().held(
        GivenFilters(documents=everything, companies=("ALPHA", "nobody", "Beta"), kinds=("run",)), within
    )
    own = {each.document for number, each in enumerate(held) if number % 3 == 1 and each.kind in KINDS}
    assert set(found.documents or ()) == own
    assert found.companies == ("Alpha", "Beta")
    assert found.kinds == ("run",)


def test_without_any_nothing_is_asked_of_the_database(acme: Firm, held: list[Held]) -> None:
    assert CorpusInventoryReader().held(NO_FILTERS, bounds(acme, kinds=KINDS)) == NO_FILTERS
