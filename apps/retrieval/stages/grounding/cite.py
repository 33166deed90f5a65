"""Turn an answer's quotes and ref_ids into citations that point to exact characters on a page."""

from __future__ import annotations

from apps.corpus.terms import terms
from apps.filings.text.numbers import read_numbers
from apps.retrieval.contracts import Citation, ContextBlock, GeneratedAnswer, Passage, Quote
from apps.retrieval.stages.figures.number_matching import match_number
from apps.retrieval.stages.ranking.quotable import quotable_pieces

_NUMBER_WEIGHT = 3.0


def cite(answer: GeneratedAnswer, context: ContextBlock, *, language: str) -> tuple[Citation, ...]:
    """Return one citation per quote. A cited passage without a quote gets the piece that supports the answer best.

    Args:    answer: with ref_ids that are in the context.
             context: what it was written from.
             language: of the answer.
    Returns: citations in the order of the answer's ref_ids, then of its quotes. Spans count characters of the page.
    """
    by_ref = {passage.ref_id: passage for passage in context.passages}
    citations: list[Citation] = []
    for ref_id in answer.ref_ids:
        if (passage := by_ref.get(ref_id)) is None:
            continue
        quotes = [quote for quote in answer.quotes if quote.ref_id == ref_id]
        citations.extend(_citation(passage, quote) for quote in quotes or [_best_quote(passage, answer, language)])
    return tuple(citations)


def _citation(passage: Passage, quote: Quote) -> Citation:
    chunk = passage.chunk
    return Citation(
        ref_id=passage.ref_id,
        chunk_id=chunk.chunk_id,
        document_id=chunk.document.document_id,
        document_title=chunk.document.title,
        version=chunk.document.version,
        kind=chunk.document.kind,
        page=chunk.page_start,
        section=chunk.section,
        quote=quote.text,
        columns=quote.columns,
        char_start=chunk.char_start + quote.start,
        char_end=chunk.char_start + quote.end,
        row=quote.row,
    )


def _best_quote(passage: Passage, answer: GeneratedAnswer, language: str) -> Quote:
    """Return the piece of a passage that shares the most numbers and terms with the answer; the first of equals."""
    wanted_terms = set(terms(answer.text, language))
    wanted_numbers = read_numbers(answer.text)
    best: tuple[float, Quote] | None = None
    for quote in quotable_pieces(passage):
        numbers = read_numbers(quote.text)
        score = _NUMBER_WEIGHT * sum(match_number(number, numbers) is not None for number in wanted_numbers)
        score += len(wanted_terms.intersection(terms(quote.text, language)))
        if best is None or score > best[0]:
            best = (score, quote)
    if best is not None:
        return best[1]
    first = passage.excerpts[0]
    return Quote(ref_id=passage.ref_id, text=first.text, start=first.start, end=first.end)
