"""Search for what the question is about, and return fused candidates with their text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from apps.corpus.providers.errors import ProviderError
from apps.corpus.terms import counted_otherwise, is_statement_term, terms
from apps.retrieval.contracts import (
    Candidate,
    DenseHit,
    QueryAnalysis,
    Ranking,
    SearchBounds,
    SearchQuery,
    SparseHit,
    TermCoverage,
    VectorCoverage,
    WeightedTerm,
)
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.errors import GenerationError
from apps.retrieval.protocols import Retriever, Rewriter
from apps.retrieval.recorder import OpenStage, TraceRecorder
from apps.retrieval.stages.ranking.fuse import fuse
from apps.retrieval.trace import EmbeddedQuery, FusedRanking, Rewritten, Stage, StageStatus

NOTHING_CHOSEN = "Nothing is chosen here: passed on unchanged."
NO_METADATA = "Switched off: titles and headings are ranked only together with the text."
_NO_MODEL = (
    "{name} needs a model, and the tenant's generation profile names none: only the question itself was searched."
)
_SEARCHED_ALONE = "{problem} Only the question itself was searched."
VECTORS_MISSING = "retrieval.vectors_missing"
_VECTORS_MISSING = (
    "{without} of {documents} documents in reach have no vectors of the model {model}, so their passages were "
    "searched only by words. Corpus, Jobs shows the progress of their embedding; start failed jobs again there."
)
TERMS_OUTDATED = "retrieval.terms_outdated"
_TERMS_OUTDATED = (
    "{outdated} of {documents} documents in reach were indexed by an earlier release, which split what the "
    "question names (a section, a rule, a share class, a date), so a search by words may miss them. An operator "
    "can reindex them with manage.py corpus reindex."
)


Hits = tuple[DenseHit | SparseHit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One wording with which the retrievers search: the question itself first, then a rewriter's variants.

    by_meaning, by_words: whether the wording is searched by its vector and by its terms. A passage that a model
        invented has no words to search for, and the question that it replaces is not embedded.
    counted_otherwise: see SearchQuery.
    """

    text: str
    terms: tuple[WeightedTerm, ...]
    by_meaning: bool = True
    by_words: bool = True
    counted_otherwise: bool = False

    def query(self) -> SearchQuery:
        """Return the search query of this wording, without a vector."""
        return SearchQuery(terms=self.terms, counted_otherwise=self.counted_otherwise)


def rewrite(recorder: TraceRecorder, analysis: QueryAnalysis, deps: PipelineDependencies) -> tuple[Wording, ...]:
    """Return the question, followed by further wordings of it if a rewriter is configured."""
    with recorder.stage(Stage.REWRITE, count_in=1) as stage:
        question = Wording(
            text=analysis.search_text,
            terms=analysis.terms,
            counted_otherwise=counted_otherwise(analysis.search_text, analysis.language),
        )
        wordings: tuple[Wording, ...] = (question,)
        if deps.slots.rewriter is None:
            stage.status = StageStatus.NOT_CONFIGURED
            stage.notes.append(NOTHING_CHOSEN)
        else:
            wordings = _reword(stage, question, analysis, deps.slots.rewriter)
        stage.count_out = len(wordings)
        return wordings


def _reword(stage: OpenStage, question: Wording, analysis: QueryAnalysis, rewriter: Rewriter) -> tuple[Wording, ...]:
    """Return the question followed by the rewriter's texts.

    If the rewriter wrote nothing useful, return the question only and record why.
    """
    try:
        rewriting = rewriter.rewrite(analysis)
    except GenerationError as error:
        stage.degrade(code=error.code, message=_SEARCHED_ALONE.format(problem=error.detail))
        return (question,)
    if rewriting is None:
        stage.status = StageStatus.SKIPPED
        stage.notes.append(_NO_MODEL.format(name=rewriter.name))
        return (question,)
    for number, reason in enumerate(rewriting.left_out, start=1):
        stage.exclude(f"text {number} of {rewriter.name}", reason)
    stage.output = Rewritten(rewriter=rewriter.name, rewriting=rewriting)
    stage.notes.extend(f"{rewriter.name}: {text}" for text in rewriting.texts)
    if not rewriting.texts:
        stage.notes.append(f"{rewriter.name} had nothing to add.")
        return (question,)
    if rewriting.meaning_only:
        made_up = (Wording(text=text, terms=(), by_words=False) for text in rewriting.texts)
        return (replace(question, by_meaning=False), *made_up)
    return (question, *(wording_of(text, analysis.language, rewriter.name) for text in rewriting.texts))


def embed(recorder: TraceRecorder, wordings: Sequence[Wording], deps: PipelineDependencies) -> tuple[SearchQuery, ...]:
    """Embed each wording that is searched by meaning, and return one query per wording, in their order.

    If the provider fails, the search goes on by terms only, and the answer says so.
    """
    embedded = sum(wording.by_meaning for wording in wordings)
    with recorder.stage(Stage.EMBED, count_in=embedded) as stage:
        try:
            queries = tuple(
                replace(
                    wording.query(),
                    vector=deps.embedder.embed_query(wording.text),
                    embedding_model=deps.embedder.model,
                )
                if wording.by_meaning
                else wording.query()
                for wording in wordings
            )
            stage.output = EmbeddedQuery(
                provider=deps.embedder.name,
                model=deps.embedder.model,
                region=deps.embedder.region,
                dimension=deps.embedder.dimension,
                texts=embedded,
            )
            stage.count_out = embedded
        except ProviderError as error:
            stage.degrade(code=error.code, message=error.detail)
            stage.count_out = 0
            return tuple(wording.query() for wording in wordings)
        return queries


def retrieve(
    recorder: TraceRecorder,
    wordings: Sequence[Wording],
    queries: Sequence[SearchQuery],
    bounds: SearchBounds,
    deps: PipelineDependencies,
    *,
    told_apart_by: str = "",
) -> tuple[Ranking, ...]:
    """Return dense and sparse rankings of every wording, and statement and metadata rankings of the question itself.

    Compliance gate 2: the database enforces scopes and kinds.

    Args: queries: one per wording, in their order.
          told_apart_by: suffix of the rankings' names in a further search.

    The searches run one after the other, because they all run in the one transaction that carries the scope token, and
    therefore on one connection.
    """
    rankings: list[Ranking] = []
    marks = tuple(term.term for term in queries[0].terms if is_statement_term(term.term))
    top_of_statements = deps.settings.statement_top_k
    # For quarters, the statements are searched separately: see _statements.
    in_one_pass = bool(top_of_statements) and not bounds.filter.of_quarters
    first = replace(queries[0], apart_terms=marks if in_one_pass else (), apart_top_k=top_of_statements)
    queries = (first, *queries[1:])
    apart: Hits | None = None
    for position, (wording, query) in enumerate(zip(wordings, queries, strict=True), start=1):
        suffix = told_apart_by if position == 1 else f" {position}{told_apart_by}"
        for stage_name, retriever, top_k, wanted in (
            (Stage.DENSE, deps.dense, deps.policy.dense_top_k, wording.by_meaning),
            (Stage.SPARSE, deps.sparse, deps.policy.sparse_top_k, wording.by_words),
        ):
            if not wanted:
                continue
            with recorder.stage(stage_name) as stage:
                if stage_name is Stage.DENSE and query.vector is None:
                    stage.status = StageStatus.SKIPPED
                    stage.notes.append("The question has no vector; see stage embed.")
                    continue
                found = _retrieve(retriever, query, bounds, top_k, suffix)
                kept = tuple(hit for hit in found.hits if not _too_far(hit, deps.policy.dense_minimum_similarity))
                for hit in found.hits:
                    if hit not in kept:
                        stage.exclude(hit.chunk_id, "Its cosine similarity is below the policy's minimum.")
                apart = found.apart if found.apart is not None else apart
                ranking = replace(found, hits=kept, apart=None)
                stage.count_in, stage.count_out, stage.output = found.considered, len(kept), ranking
                rankings.append(ranking)
                _note_coverage(stage, ranking)
    if top_of_statements:
        rankings.extend(_statements(recorder, replace(first, apart_terms=marks), bounds, deps, apart, told_apart_by))
    rankings.extend(_metadata(recorder, queries[0], bounds, deps, told_apart_by))
    return tuple(rankings)


def _statements(
    recorder: TraceRecorder,
    query: SearchQuery,
    bounds: SearchBounds,
    deps: PipelineDependencies,
    apart: Hits | None,
    suffix: str,
) -> Iterator[Ranking]:
    """Rank the pages of the statements from which the question's figures are read, separately from other passages.

    Rows of a statement are short and their words occur everywhere, so that by words alone a discussion of a figure
    comes before the statement in which it is printed. A statement of a year does not give a quarter: if the question
    asks for quarters, only statements in reports of the quarter are ranked.

    Args: apart: the separate ranking that the search by words made in the same pass; None if its retriever made none.
    """
    with recorder.stage(Stage.STATEMENTS) as stage:
        if not query.apart_terms:
            stage.status = StageStatus.SKIPPED
            stage.notes.append("The question asks for no figure of a financial statement.")
            return
        if apart is None:
            alone = replace(query, required_terms=query.apart_terms, apart_terms=(), counted_otherwise=False)
            strict = replace(bounds, filter=replace(bounds.filter, own_quarter_only=bounds.filter.of_quarters))
            apart = deps.sparse.retrieve(alone, within=strict, top_k=query.apart_top_k).hits
        else:
            stage.notes.append("Ranked in the same pass as the words.")
        ranking = Ranking(name=Stage.STATEMENTS.value + suffix, hits=apart)
        stage.count_out, stage.output = len(ranking.hits), ranking
        yield ranking


def _metadata(
    recorder: TraceRecorder, query: SearchQuery, bounds: SearchBounds, deps: PipelineDependencies, suffix: str
) -> Iterator[Ranking]:
    """Rank passages only by what describes them: title, headings, company, period, kind.

    A heading says in a few words what its section is about, and these words hardly count in a text of a thousand
    characters.
    """
    with recorder.stage(Stage.METADATA) as stage:
        if not deps.settings.metadata_top_k:
            stage.status = StageStatus.SKIPPED
            stage.notes.append(NO_METADATA)
            return
        found = deps.metadata.retrieve(query, within=bounds, top_k=deps.settings.metadata_top_k)
        weight = deps.settings.metadata_weight
        ranking = replace(found, name=found.name + suffix, weight=weight)
        stage.notes.append(f"It weighs {weight:g} in the fusion, where every other ranking weighs 1.")
        stage.count_in, stage.count_out, stage.output = found.considered, len(ranking.hits), ranking
        yield ranking


def fuse_and_load(
    recorder: TraceRecorder, rankings: Sequence[Ranking], bounds: SearchBounds, deps: PipelineDependencies
) -> tuple[Candidate, ...]:
    """Fuse the rankings, and fetch the text of the hits within the same bounds."""
    with recorder.stage(Stage.FUSE, count_in=sum(len(ranking.hits) for ranking in rankings)) as stage:
        hits = fuse(rankings, k=deps.policy.rrf_k)
        stage.output = FusedRanking(hits=hits)
        stage.notes.append(f"Reciprocal rank fusion, 1 / ({deps.policy.rrf_k} + rank), of {len(rankings)} rankings.")
        chunks = {chunk.chunk_id: chunk for chunk in deps.chunks.load([hit.chunk_id for hit in hits], within=bounds)}
        for hit in hits:
            if hit.chunk_id not in chunks:
                stage.exclude(hit.chunk_id, "It is no longer there.")
        candidates = tuple(Candidate(chunk=chunks[hit.chunk_id], hit=hit) for hit in hits if hit.chunk_id in chunks)
        stage.count_out = len(candidates)
        return candidates


def wording_of(text: str, language: str, source: str) -> Wording:
    """Return a sub-query or variant in the form in which the retrievers take it."""
    found = tuple(WeightedTerm(term=term, weight=1.0, source=source) for term in dict.fromkeys(terms(text, language)))
    return Wording(text=text, terms=found, counted_otherwise=counted_otherwise(text, language))


def _retrieve(retriever: Retriever, query: SearchQuery, bounds: SearchBounds, top_k: int, suffix: str) -> Ranking:
    ranking = retriever.retrieve(query, within=bounds, top_k=top_k)
    return replace(ranking, name=ranking.name + suffix)


def _note_coverage(stage: OpenStage, ranking: Ranking) -> None:
    """Record what the search cannot find. A search that can find nothing must not look like one that found nothing."""
    match ranking.coverage:
        case VectorCoverage(model=model, documents=documents, without_vectors=without) if without:
            message = _VECTORS_MISSING.format(without=without, documents=documents, model=model)
            stage.degrade(code=VECTORS_MISSING, message=message)
        case TermCoverage(documents=documents, outdated=outdated) if outdated:
            message = _TERMS_OUTDATED.format(outdated=outdated, documents=documents)
            stage.degrade(code=TERMS_OUTDATED, message=message)


def _too_far(hit: object, minimum_similarity: float) -> bool:
    return isinstance(hit, DenseHit) and hit.cosine_similarity < minimum_similarity
