"""Both rankings, their fusion, and what became of each passage, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from apps.corpus.registry import name_of
from apps.retrieval.admin.ask_fates import FOUND, Fate
from apps.retrieval.admin.ask_figures import ordinal
from apps.retrieval.admin.ask_links import passage_url
from apps.retrieval.contracts import ChunkId, DenseHit, FusedHit, Ranking, SparseHit
from apps.retrieval.selectors.passages import PassagePlace
from apps.retrieval.trace import CandidateLine, CandidateList, FusedRanking, Stage, Trace
from apps.tenants.admin.charts import Stretch, draw_stretch

_RANKING_TITLES = (
    (Stage.DENSE, "By meaning"),
    (Stage.SPARSE, "By words"),
    (Stage.STATEMENTS, "Financial statements"),
    (Stage.METADATA, "Titles and headings"),
)
_GONE = "A passage that is no longer there"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLine:
    """A passage by name. url is empty where it can't be opened any more."""

    title: str
    place: str
    kind: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    rank: int
    passage: PassageLine
    score: str
    score_bar: Stretch
    fused: str
    fate: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingView:
    """One retriever's ranking; score_name as in the trace."""

    title: str
    score_name: str
    rows: tuple[RankedRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedRow:
    """ranks are those in each ranking, with its title, in the view's order; None where it is not in it."""

    rank: int
    passage: PassageLine
    rrf_score: str
    ranks: tuple[tuple[str, int | None], ...]
    boost: str
    fate: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionView:
    rankings: tuple[str, ...]
    rows: tuple[FusedRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the tables look passages up in: their places, their fates, their ranks and boosts."""

    places: Mapping[ChunkId, PassagePlace]
    fates: Mapping[str, Fate]
    fused_ranks: Mapping[ChunkId, int]
    candidates: Mapping[ChunkId, CandidateLine]
    kind_names: Mapping[str, str]

    def fate(self, chunk_id: ChunkId) -> Fate:
        return self.fates.get(str(chunk_id), FOUND)

    def passage(self, chunk_id: ChunkId) -> PassageLine:
        place = self.places.get(chunk_id)
        if place is None:
            return PassageLine(title=_GONE, place="", kind="", url="")
        return PassageLine(
            title=place.document_title,
            place=f"page {place.page}" + (f", {place.section}" if place.section else ""),
            kind=name_of(place.kind, self.kind_names),
            url=passage_url(place),
        )


def hit_ids(trace: Trace) -> frozenset[ChunkId]:
    """Every passage that any ranking names, and those that were added around one."""
    found = frozenset(hit.chunk_id for ranking in trace.outputs(Ranking) for hit in ranking.hits)
    return found | {line.chunk_id for line in added_lines(trace)}


def added_lines(trace: Trace) -> tuple[CandidateLine, ...]:
    """What was added around a passage that was found."""
    record = trace.record(Stage.EXPAND)
    lines = record.output.candidates if record and isinstance(record.output, CandidateList) else ()
    return tuple(line for line in lines if line.around is not None)


def found_in(
    trace: Trace,
    *,
    places: Mapping[ChunkId, PassagePlace],
    fates: Mapping[str, Fate],
    names: Mapping[str, str] | None = None,
) -> Found:
    """Return what the tables look passages up in. names: the firm's names of kinds, by key."""
    fused = [record.output for record in trace.stages if isinstance(record.output, FusedRanking)]
    boosted = trace.record(Stage.BOOST)
    lines = boosted.output.candidates if boosted and isinstance(boosted.output, CandidateList) else ()
    return Found(
        places=places,
        fates=fates,
        # A later search (for what is missing) adds to the first list, and never renumbers it.
        fused_ranks={hit.chunk_id: rank for each in reversed(fused) for rank, hit in enumerate(each.hits, start=1)},
        candidates={line.chunk_id: line for line in lines},
        kind_names=names or {},
    )


def ranking_title(name: str) -> str:
    """In plain words; the ranking of a further wording has its number after the retriever's name, and that of a search
    for what was missing the number of its round.
    """
    for stage, title in _RANKING_TITLES:
        if name.startswith(stage.value):
            return title + name.removeprefix(stage.value).replace(" heal ", ", for what is missing, round ")
    return name


def ranking_view(ranking: Ranking, stage: Stage, found: Found) -> RankingView:
    """Args: stage: dense or sparse, whichever made the ranking."""
    dense = stage is Stage.DENSE
    scores = [_score(hit) for hit in ranking.hits]
    best = max(scores, default=0.0)
    return RankingView(
        title=ranking_title(ranking.name),
        score_name="cosine_similarity" if dense else "bm25_score",
        rows=tuple(
            RankedRow(
                rank=rank,
                passage=found.passage(hit.chunk_id),
                score=f"{score:.3f}",
                score_bar=draw_stretch(score, best, label=f"{score:.3f}"),
                fused=ordinal(found.fused_ranks[hit.chunk_id]) if hit.chunk_id in found.fused_ranks else "",
                fate=found.fate(hit.chunk_id),
            )
            for rank, (hit, score) in enumerate(zip(ranking.hits, scores, strict=True), start=1)
        ),
    )


def fusion_view(fused: FusedRanking, found: Found) -> FusionView:
    names = ranking_names(fused.hits)
    return FusionView(
        rankings=tuple(ranking_title(name) for name in names),
        rows=tuple(
            FusedRow(
                rank=rank,
                passage=found.passage(hit.chunk_id),
                rrf_score=f"{hit.rrf_score:.5f}",
                ranks=tuple((ranking_title(name), rank_in(hit, name)) for name in names),
                boost=_boost(found.candidates.get(hit.chunk_id)),
                fate=found.fate(hit.chunk_id),
            )
            for rank, hit in enumerate(fused.hits, start=1)
        ),
    )


def ranking_names(hits: Sequence[FusedHit]) -> tuple[str, ...]:
    """The rankings that were fused, by name."""
    return tuple(sorted({each.ranking for hit in hits for each in hit.ranks}))


def rank_in(hit: FusedHit, ranking: str) -> int | None:
    return next((each.rank for each in hit.ranks if each.ranking == ranking), None)


def _boost(line: CandidateLine | None) -> str:
    return f"+{line.boost:.0%}: {', '.join(line.boost_reasons)}" if line and line.boost else ""


def _score(hit: DenseHit | SparseHit) -> float:
    return hit.cosine_similarity if isinstance(hit, DenseHit) else hit.bm25_score
