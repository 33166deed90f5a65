"""Run the same searches on both sides, query by query, and compare what they took.

The application's own classes run on either side, inside the same open scope, so that statements and parameters are the
same to the letter. Time is taken around each statement's execution, rows fetched; opening the scope is timed apart.
"""

from __future__ import annotations

import gc
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connections, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from numpy.typing import NDArray

from apps.retrieval.contracts import ChunkId, SearchQuery, WeightedTerm
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Role
from tests.benchmarks.wall_databases import BYPASSING_ROLE, WALLED_ROLE, connect
from tests.benchmarks.wall_tenants import DIMENSION, EMBEDDING_MODEL, MadeUpTenant, term

STATEMENTS = ("dense", "sparse", "chunks")
OPENING = "opening"
WITH_OPENING = "all, opening"
TOP_K = 30
_QUERY_TERMS = 6
# Odd: so that each query runs first on the one side and first on the other by turns.
_QUERIES = 41
_RESAMPLES = 1_000
_FEWEST_REPETITIONS = 10


class Side:
    """One role's connection to one database, and the time that its statements took."""

    def __init__(self, database: str, role: str) -> None:
        self.connection: DatabaseWrapper = connect(database, role)
        self.seconds = 0.0
        self.statements: list[tuple[Any, Any]] = []
        self.connection.execute_wrappers.append(self._timed)

    def _timed(self, execute: Any, statement: Any, parameters: Any, many: bool, context: Any) -> Any:
        started = time.perf_counter()
        result = execute(statement, parameters, many, context)
        self.seconds += time.perf_counter() - started
        self.statements.append((statement, parameters))
        return result

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this the connection that the application uses."""
        before = connections["default"]
        connections["default"] = self.connection
        try:
            yield
        finally:
            connections["default"] = before


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One database under measurement.

    samples: seconds by what was run, one a repetition; walled and bypassed are paired.
    """

    chunks: int
    others: int
    statistics: str
    tenant: MadeUpTenant
    walled: Side
    bypassed: Side
    samples: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    differences: list[str] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)

    def pairs(self, name: str) -> NDArray[np.float64]:
        """(n, 2) float64: seconds with and without the wall."""
        if name == "all":
            return np.sum([self.samples[each] for each in STATEMENTS], axis=0)
        if name == WITH_OPENING:
            return self.pairs("all") + np.array(self.samples[OPENING])
        return np.array(self.samples[name])


@contextmanager
def opened_cell(
    database: str, *, chunks: int, others: int, tenant: MadeUpTenant, statistics: str = "kept"
) -> Iterator[Cell]:
    walled, bypassed = Side(database, WALLED_ROLE), Side(database, BYPASSING_ROLE)
    try:
        yield Cell(chunks=chunks, others=others, statistics=statistics, tenant=tenant, walled=walled, bypassed=bypassed)
    finally:
        walled.connection.close()
        bypassed.connection.close()


def measure(cells: Sequence[Cell], *, repetitions: int, warm_up: int, limit_s: float) -> None:
    """Run every search in every cell on both sides, in turns, so that whatever the machine does befalls all alike.

    Args: limit_s: begin no further repetition after so many seconds, once there are a few.
    """
    queries = [_query(seed) for seed in range(_QUERIES)]
    started = time.perf_counter()
    for place in range(-warm_up, repetitions):
        if place >= _FEWEST_REPETITIONS and time.perf_counter() - started > limit_s:
            break
        query = queries[place % len(queries)]
        for cell in cells:
            gc.disable()
            try:
                timings = _search_both(cell, query, walled_first=place % 2 == 0)
            finally:
                gc.enable()
            if place >= 0:
                for name, pair in timings.items():
                    cell.samples[name].append(pair)


def _search_both(cell: Cell, query: SearchQuery, *, walled_first: bool) -> dict[str, tuple[float, float]]:
    """Seconds by what was run: (with the wall, without it)."""
    walled, bypassed = cell.walled, cell.bypassed
    timings: dict[str, tuple[float, float]] = {}
    scopes, transactions = ExitStack(), ExitStack()
    with walled.current():
        opening = _timed(scopes, open_scope(tenant=cell.tenant.tenant_id, principal=principal(cell.tenant)))
    with bypassed.current():
        beginning = _timed(transactions, transaction.atomic())
    found: dict[str, list[UUID]] = {}
    for number, name in enumerate(STATEMENTS):
        wanted = tuple(ChunkId(each) for each in dict.fromkeys(found.get("dense", []) + found.get("sparse", [])))
        order = (walled, bypassed) if walled_first == (number % 2 == 0) else (bypassed, walled)
        results = {side: _search(side, name, query, cell.tenant, wanted[:TOP_K]) for side in order}
        found[name] = results[walled][1]
        if found[name] != results[bypassed][1]:
            cell.differences.append(name)
        cell.hits.append(len(found[name]))
        timings[name] = (results[walled][0], results[bypassed][0])
    with walled.current():
        opening += _closed(scopes)
    with bypassed.current():
        beginning += _closed(transactions)
    timings[OPENING] = (opening, beginning)
    return timings


def _search(
    side: Side, name: str, query: SearchQuery, tenant: MadeUpTenant, wanted: tuple[ChunkId, ...]
) -> tuple[float, list[UUID]]:
    """Seconds in the database, and the chunk ids found."""
    side.statements.clear()
    side.seconds = 0.0
    with side.current():
        match name:
            case "dense":
                ids = [hit.chunk_id for hit in DenseRetriever().retrieve(query, within=tenant.bounds, top_k=TOP_K).hits]
            case "sparse":
                sparse = SparseRetriever(k1=1.2, b=0.75)
                ids = [hit.chunk_id for hit in sparse.retrieve(query, within=tenant.bounds, top_k=TOP_K).hits]
            case _:
                ids = [chunk.chunk_id for chunk in CorpusChunkStore().load(wanted, within=tenant.bounds)]
    return side.seconds, list(ids)


def _timed(stack: ExitStack, manager: AbstractContextManager[Any]) -> float:
    started = time.perf_counter()
    stack.enter_context(manager)
    return time.perf_counter() - started


def _closed(stack: ExitStack) -> float:
    started = time.perf_counter()
    stack.close()
    return time.perf_counter() - started


def _query(seed: int) -> SearchQuery:
    """A random direction, and terms from the frequent to the rare: their ranks are spread evenly in the logarithm."""
    rng = np.random.default_rng([20_250, seed])
    vector = rng.standard_normal(DIMENSION).astype(np.float32)
    ranks = np.unique(np.exp(rng.uniform(np.log(20), np.log(4_000), _QUERY_TERMS)).astype(int))
    return SearchQuery(
        terms=tuple(WeightedTerm(term=term(int(rank)), weight=1.0, source="question") for rank in ranks),
        vector=vector / np.linalg.norm(vector),
        embedding_model=EMBEDDING_MODEL,
    )


def statements_of(cell: Cell, name: str) -> list[tuple[Any, Any]]:
    """Statements and parameters of one search, as the application sends them."""
    captured: list[tuple[Any, Any]] = []
    with cell.walled.current(), open_scope(tenant=cell.tenant.tenant_id, principal=principal(cell.tenant)):
        query, wanted = _query(0), tuple[ChunkId, ...]()
        if name == "chunks":
            wanted = tuple(ChunkId(each) for each in _search(cell.walled, "dense", query, cell.tenant, ())[1])
        _search(cell.walled, name, query, cell.tenant, wanted)
        captured += cell.walled.statements
    return captured


def principal(tenant: MadeUpTenant) -> Principal:
    return Principal(
        kind=PrincipalKind.API_KEY,
        id=tenant.tenant_id,
        label="benchmark",
        tenant_id=tenant.tenant_id,
        scope_ids=frozenset(tenant.scope_ids),
        roles=frozenset({Role.ANALYST}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A ratio with its 95 % interval, by bootstrap."""

    value: float
    low: float
    high: float


def median_ratio(pairs: NDArray[np.float64]) -> Ratio:
    """The first column's median over the second's; repetitions are drawn again as the pairs that they are."""
    drawn = pairs[_draws(len(pairs))]
    medians = np.median(drawn, axis=1)
    value = np.median(pairs[:, 0]) / np.median(pairs[:, 1])
    return _ratio(value, medians[:, 0] / medians[:, 1])


def p95_ratio(upper: NDArray[np.float64], lower: NDArray[np.float64]) -> Ratio:
    """p95 of the one over p95 of the other; (n,) each, of the same repetitions."""
    places = _draws(len(upper))
    resampled = np.percentile(upper[places], 95, axis=1) / np.percentile(lower[places], 95, axis=1)
    return _ratio(np.percentile(upper, 95) / np.percentile(lower, 95), resampled)


def _draws(size: int) -> NDArray[np.int64]:
    return np.random.default_rng(7).integers(0, size, (_RESAMPLES, size))


def _ratio(value: np.floating[Any], resampled: NDArray[np.float64]) -> Ratio:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return Ratio(value=float(value), low=float(low), high=float(high))
