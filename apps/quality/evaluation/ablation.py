"""Variants of the shipped default with one change each: the contribution of a stage is what is lost without it.

A new stage needs a line here if a setting switches it (SWITCHES, ADDITIONS); an implementation in one of the slots
needs none. An implementation that lacks its setting (a model) is left out, because it would be measured as the degraded
default. Rewriters are tried if the tenant's generation profile names a model; without one each would equal the default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.retrieval.changed_settings import RunSettings, Value
from apps.retrieval.contracts import (
    AskedFigures,
    ChunkId,
    DocumentFilter,
    DocumentId,
    FactCell,
    FloatVector,
    FoundLine,
    Ranking,
    SearchBounds,
    SearchQuery,
    StoredChunk,
)
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.optional import slots
from apps.retrieval.protocols import ChunkStore, Retriever
from apps.retrieval.stage_settings import NONE

_SHIPPED: Final = RunSettings()
Adjust = Callable[[PipelineDependencies], PipelineDependencies]


def _as_they_are(deps: PipelineDependencies) -> PipelineDependencies:
    return deps


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One change: settings by name, or, for what no setting controls, a change of the pipeline's dependencies."""

    name: str
    changes: Mapping[str, Value] = field(default_factory=dict)
    adjust: Adjust = _as_they_are


class _FindsNothing:
    """A stand-in for a retriever, under its name, that finds nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        return Ranking(name=self.name, hits=())


class _Unfiltered:
    """A retriever that ignores the question's sure filters. Scopes and kinds apply as always."""

    def __init__(self, retriever: Retriever) -> None:
        self.name = retriever.name
        self._retriever = retriever

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        return self._retriever.retrieve(query, within=_unfiltered(within), top_k=top_k)


class _LoadsUnfiltered:
    """A store of chunks that ignores the question's sure filters, as _Unfiltered does."""

    def __init__(self, chunks: ChunkStore) -> None:
        self._chunks = chunks

    def load(self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> tuple[StoredChunk, ...]:
        return self._chunks.load(chunk_ids, within=_unfiltered(within))

    def around(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[StoredChunk, ...]]:
        return self._chunks.around(chunk_ids, within=_unfiltered(within))

    def on_statements(
        self, document_ids: Sequence[DocumentId], statements: Sequence[Statement], *, within: SearchBounds, most: int
    ) -> tuple[StoredChunk, ...]:
        return self._chunks.on_statements(document_ids, statements, within=_unfiltered(within), most=most)

    def with_facts(
        self, document_ids: Sequence[DocumentId], asked: AskedFigures, *, within: SearchBounds, most: int
    ) -> tuple[tuple[StoredChunk, tuple[FoundLine, ...]], ...]:
        return self._chunks.with_facts(document_ids, asked, within=_unfiltered(within), most=most)

    def fact_cells(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[FactCell, ...]]:
        return self._chunks.fact_cells(chunk_ids, within=_unfiltered(within))

    def vectors(
        self, chunk_ids: Sequence[ChunkId], *, model: str, dimension: int, within: SearchBounds
    ) -> Mapping[ChunkId, FloatVector]:
        return self._chunks.vectors(chunk_ids, model=model, dimension=dimension, within=_unfiltered(within))


def _unfiltered(within: SearchBounds) -> SearchBounds:
    return replace(within, filter=DocumentFilter())


# Variants that no setting switches.
WITHOUT: Final = (
    Variant(
        name="dense only",
        adjust=lambda deps: replace(
            deps, sparse=_FindsNothing(deps.sparse.name), metadata=_FindsNothing(deps.metadata.name)
        ),
    ),
    Variant(
        name="BM25 only",
        adjust=lambda deps: replace(
            deps, dense=_FindsNothing(deps.dense.name), metadata=_FindsNothing(deps.metadata.name)
        ),
    ),
    Variant(
        name="without filters",
        adjust=lambda deps: replace(
            deps,
            dense=_Unfiltered(deps.dense),
            sparse=_Unfiltered(deps.sparse),
            metadata=_Unfiltered(deps.metadata),
            chunks=_LoadsUnfiltered(deps.chunks),
        ),
    ),
)
# Settings with the value that switches each off. A setting that is already off by default is left out.
SWITCHES: Final[tuple[tuple[str, str, Value], ...]] = (
    ("without the glossary's terms", "expansion_weight", 0.0),
    ("without the marks of financial statements", "statement_weight", 0.0),
    ("without a ranking of the statements' pages", "statement_top_k", 0),
    ("without reading the statements' lines", "line_documents", 0),
    ("without boost of likely filters", "likely_filter_boost", 0.0),
    ("without preference of the newest report", "prefer_newest", False),
    ("without one passage a page first", "page_by_page", False),
    ("without a ranking by metadata", "metadata_top_k", 0),
    ("without what stands around", "expand_top_k", 0),
)
# What is off or narrow by default, with the settings that change it. Left out if the first of the settings was changed.
ADDITIONS: Final[tuple[tuple[str, Mapping[str, Value]], ...]] = (
    ("with a ranking by metadata", {"metadata_top_k": 30}),
    ("with a ranking by metadata of half the weight", {"metadata_top_k": 30, "metadata_weight": 0.5}),
    ("with what stands around the first three passages", {"expand_top_k": 3, "expand_around": 2}),
    ("with what stands around every passage", {"expand_top_k": 100, "expand_around": 2}),
)
# The rules that end the list by its scores, with the reranker that can always run: both rules, and each alone. They are
# to be compared with that reranker's own line, which has the fixed cut.
_BY_KEYWORD: Final[Mapping[str, Value]] = {
    "reranker": "keyword",
    "rerank_enabled": True,
    "cut_adaptive_uncalibrated": True,
}
ADAPTIVE_CUTS: Final[tuple[tuple[str, Mapping[str, Value]], ...]] = (
    ("with reranker keyword and an adaptive cut", _BY_KEYWORD),
    ("with reranker keyword and a cut by share alone", {**_BY_KEYWORD, "cut_off_score_cliff": 1.0}),
    ("with reranker keyword and a cut at a cliff alone", {**_BY_KEYWORD, "cut_off_cumulative_probability": 1.0}),
)
# For each slot: its setting, its implementations, and what the policy must say for it to run.
_SLOTS: Final[tuple[tuple[str, Mapping[str, object], Mapping[str, Value]], ...]] = (
    ("rewriter", slots.REWRITERS, {}),
    ("diversifier", slots.DIVERSIFIERS, {"mmr_enabled": True}),
    ("reranker", slots.RERANKERS, {"rerank_enabled": True}),
    ("healer", slots.HEALERS, {"heal_rounds": 1}),
)


def variants(default: RunSettings, *, with_model: bool) -> tuple[Variant, ...]:
    """Return every variant of a default, in the order of the pipeline; none of them equals the default.

    Args: with_model: whether there is a model that writes. Rewriters do nothing without one.
    """
    return (
        *WITHOUT,
        *_switched(default),
        *_added(default, ADDITIONS),
        *_of_slots(default, with_model=with_model),
        *_added(default, ADAPTIVE_CUTS),
    )


def _switched(default: RunSettings) -> Iterator[Variant]:
    for name, setting, off in SWITCHES:
        if _value(default, setting) != off:
            yield Variant(name=name, changes={setting: off})


def _added(default: RunSettings, additions: Iterable[tuple[str, Mapping[str, Value]]]) -> Iterator[Variant]:
    for name, changes in additions:
        first = next(iter(changes))
        if _value(default, first) == _value(_SHIPPED, first):
            yield Variant(name=name, changes=changes)


def _of_slots(default: RunSettings, *, with_model: bool) -> Iterator[Variant]:
    for setting, installed, needed in _SLOTS:
        if installed is slots.REWRITERS and not with_model:
            continue
        chosen = str(_value(default, setting))
        # A slot is off if the policy says so, whatever it holds.
        on = chosen if chosen != NONE and all(_value(default, name) for name in needed) else NONE
        if on != NONE:
            yield Variant(name=f"without {setting} {on}", changes={setting: NONE})
        for other in sorted(installed):
            if other != on and not slots.lacks_setting(other):
                instead = f" instead of {on}" if on != NONE else ""
                yield Variant(name=f"with {setting} {other}{instead}", changes={**needed, setting: other})


def _value(settings: RunSettings, name: str) -> Value:
    found: Value = getattr(settings.policy, name) if hasattr(settings.policy, name) else getattr(settings.stages, name)
    return found
