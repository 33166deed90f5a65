"""Say what a replay cannot restore as it was then, and why a passage is no longer found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from uuid import UUID

from apps.audit.models import Event
from apps.corpus.models import Chunk, Document
from apps.corpus.removed import removed_since
from apps.corpus.services.ingest.events import REINDEXED
from apps.corpus.terms import TERMS_VERSION
from apps.retrieval.replay.contracts import Hit, Recorded
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import EmbeddedQuery, Trace

# These hold for every replay, so the page states them once and not among the findings.
ALWAYS = (
    "The run ends where the answer would be written: what a model would write today proves nothing about that time.",
    "What a document states about itself (company, period) is what it states today.",
)


def limits_of(recorded: Recorded, trace: Trace) -> tuple[str, ...]:
    """Return one sentence for each thing that is known to differ from then. Costs: ten queries at most."""
    found: list[str] = []
    embedded = trace.output(EmbeddedQuery)
    model = embedded.model if embedded else ""
    if recorded.embedding_model and model and recorded.embedding_model != model:
        found.append(
            f"The question was embedded by {recorded.embedding_model} then and by {model} now: the ranks by meaning, "
            "and how sure the intent is, can't be compared."
        )
    elif not recorded.embedding_model and model:
        found.append(
            f"At that time no model embedded the question, so it was searched only by words; now {model} embedded it."
        )
    if recorded.terms_version != TERMS_VERSION:
        found.append(
            f"The question was cut into terms by analysis {recorded.terms_version} then and by {TERMS_VERSION} now: "
            "ranks by words can differ."
        )
    found.extend(_compare_settings(recorded))
    if recorded.degraded:
        found.append(f"Parts that failed at that time are not left out now: {', '.join(recorded.degraded)}.")
    found.extend(f"Now: {each.message}" for each in trace.degradations)
    hits = recorded.decided.hits
    if hits is None:
        found.append("The recorded passages were removed from the log, so what was found can't be compared.")
    else:
        wanted = {hit.document_id for hit in hits}
        gone = len(wanted) - Document.objects.filter(id__in=wanted).count()
        if gone:
            found.append(
                f"{gone} of the {len(wanted)} documents that were found then {'is' if gone == 1 else 'are'} no "
                "longer in the corpus."
            )
    reindexed = _since(recorded, REINDEXED)
    if reindexed:
        found.append(
            f"{reindexed} document{'s were' if reindexed > 1 else ' was'} reindexed since, with a newer analysis "
            "of terms: ranks by words can differ."
        )
    # The log is the only source for a document that was not found then and has been removed since.
    removed = len(removed_since(recorded.at, recorded.scope_ids))
    if removed:
        found.append(
            f"{removed} document{'s were' if removed > 1 else ' was'} removed from these scopes since. Versions "
            "of them that were current at that time are missing here, and no longer count towards how rare a word "
            "is: ranks can differ."
        )
    if recorded.decided.context_sha256 is None:
        found.append("What was recorded of the answer was removed from the log, so the contexts can't be compared.")
    return tuple(found)


def _compare_settings(recorded: Recorded) -> Iterator[str]:
    if recorded.stage_settings is None:
        yield "The settings of the stages were not recorded at that time: they ran with the present ones."
        return
    known = {each.name for each in fields(StageSettings)}
    others = sorted(known ^ recorded.stage_settings.keys())
    if others:
        yield (
            "These settings of the stages exist either only in the release of that time or only in the present one: "
            f"{', '.join(others)}."
        )


def _since(recorded: Recorded, action: str) -> int:
    """Count the log's events of this action in the question's scopes since the question was asked."""
    events = Event.objects.filter(
        action=action, occurred_at__gt=recorded.at, scope_ids__overlap=list(recorded.scope_ids)
    )
    return events.count()


def reasons(hits: tuple[Hit, ...]) -> Callable[[Hit], str]:
    """Return a function that says why a recorded passage is not found now. Costs: two queries in total."""
    documents: set[UUID] = set(
        Document.objects.filter(id__in={hit.document_id for hit in hits}).values_list("id", flat=True)
    )
    chunks: set[UUID] = set(Chunk.objects.filter(id__in={hit.chunk_id for hit in hits}).values_list("id", flat=True))

    def why(hit: Hit) -> str:
        if hit.document_id not in documents:
            return "Its document was removed since."
        if hit.chunk_id not in chunks:
            return "Its document was split into passages again since; this one no longer exists."
        if hit.rankings == {"dense"}:
            return "It still exists. It was found only by its vector, which no longer ranks it among the first."
        return "It still exists, but no longer ranks among the first."

    return why
