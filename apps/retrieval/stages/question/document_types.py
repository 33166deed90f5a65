"""Read which type of document a question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.corpus.kinds import DocumentType
from apps.filings.text.mentions import Mention, blank_mentions, mentions_of
from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, MetadataFilter

# Form numbers give sure filters. Words give likely ones: an "annual report" may be a 10-K or a fund's report, and
# "policy" may also be the subject of the question.
_WORDINGS: tuple[tuple[DocumentType, Certainty, tuple[str, ...]], ...] = (
    (DocumentType.FORM_10K, Certainty.SURE, ("10-K", "10K", "form 10-K", "10-Ks")),
    (DocumentType.FORM_10Q, Certainty.SURE, ("10-Q", "10Q", "form 10-Q", "10-Qs")),
    (DocumentType.FORM_8K, Certainty.SURE, ("8-K", "8K", "form 8-K", "8-Ks")),
    (DocumentType.EARNINGS_RELEASE, Certainty.SURE, ("earnings release", "earnings press release", "results release")),
    (
        DocumentType.EARNINGS_TRANSCRIPT,
        Certainty.SURE,
        ("earnings call", "earnings transcript", "earnings call transcript"),
    ),
    (DocumentType.FORM_10K, Certainty.LIKELY, ("annual report", "annual filing")),
    (DocumentType.FORM_10Q, Certainty.LIKELY, ("quarterly filing",)),
    (DocumentType.REPORT, Certainty.LIKELY, ("annual report", "quarterly report", "fund report", "monthly report")),
    (DocumentType.EARNINGS_RELEASE, Certainty.LIKELY, ("press release",)),
    (DocumentType.NEWS_ARTICLE, Certainty.LIKELY, ("news", "news article", "press article", "press coverage")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTypeReading:
    filters: tuple[MetadataFilter, ...]
    rest: str


def read_document_types(text: str, entries: Sequence[InventoryEntry]) -> DocumentTypeReading:
    """Find the document types that the question names.

    Args:    text: the question, one line.
             entries: what is held; a likely type that no document has gives no filter.
    Returns: at most one sure and one likely filter. Sure wording is removed from `rest`, because the filter already
             covers it.
    """
    held = {entry.document_type for entry in entries}
    found: dict[Certainty, dict[str, str]] = {Certainty.SURE: {}, Certainty.LIKELY: {}}
    spans: list[Mention] = []
    for document_type, certainty, wordings in _WORDINGS:
        for wording in wordings:
            mentions = mentions_of(wording, text)
            if not mentions or (certainty is Certainty.LIKELY and document_type.value not in held):
                continue
            found[certainty].setdefault(document_type.value, f"“{mentions[0].text}”")
            if certainty is Certainty.SURE:
                spans.extend(mentions)
    if found[Certainty.SURE]:
        found[Certainty.LIKELY] = {}
    filters = tuple(
        MetadataFilter(
            field=FilterField.DOCUMENT_TYPE,
            values=tuple(wordings_found),
            certainty=certainty,
            reason="The question says " + " and ".join(dict.fromkeys(wordings_found.values())) + ".",
        )
        for certainty, wordings_found in found.items()
        if wordings_found
    )
    return DocumentTypeReading(filters=filters, rest=blank_mentions(text, spans))
