"""Say of citations which structured record they quote, and which of its fields."""

from __future__ import annotations

from dataclasses import replace

from apps.corpus.extraction.contracts import MediaType
from apps.corpus.extraction.record_pages import pointers_at
from apps.corpus.models import Document
from apps.corpus.services.records.identity import Lineage, record_lineage
from apps.retrieval.contracts import Answer, Citation, CitedRecord


def with_cited_records(answer: Answer) -> Answer:
    """Return the answer, each of whose citations of a record names it, within the open scope.

    Costs: one query if anything is cited, and one for each cited document that was made of a record.
    """
    cited = {citation.document_id for citation in answer.citations}
    if not cited:
        return answer
    documents = Document.objects.filter(id__in=cited, media_type=MediaType.RECORD)
    lineages = {document.id: lineage for document in documents if (lineage := record_lineage(document))}
    if not lineages:
        return answer
    return replace(
        answer, citations=tuple(_named(citation, lineages.get(citation.document_id)) for citation in answer.citations)
    )


def _named(citation: Citation, lineage: Lineage | None) -> Citation:
    if lineage is None:
        return citation
    record = lineage.record
    found = pointers_at(lineage.places, page=citation.page, start=citation.char_start, end=citation.char_end)
    return replace(
        citation,
        record=CitedRecord(
            source=record.source, external_id=record.external_id, type=record.type.value, pointers=found
        ),
    )
