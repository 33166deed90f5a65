"""Check the quotations of an answer that claims nothing beside them."""

from __future__ import annotations

from apps.retrieval.contracts import (
    ContextBlock,
    Finding,
    FindingType,
    GroundingReport,
    GroundingStatus,
    Passage,
    Quote,
)

_GROUNDED = "Every quotation stands in its passage, character by character."
_NOT = "A quotation does not stand in its passage."


def check_quotations(quotes: tuple[Quote, ...], context: ContextBlock) -> GroundingReport:
    """Compare each quote with the characters of its passage, and the cells of a row with the row's text."""
    passages = {passage.ref_id: passage for passage in context.passages}
    findings = tuple(_finding(quote, passages.get(quote.ref_id)) for quote in quotes)
    stands = bool(findings) and all(finding.supported for finding in findings)
    return GroundingReport(
        status=GroundingStatus.GROUNDED if stands else GroundingStatus.UNGROUNDED,
        findings=findings,
        reason=_GROUNDED if stands else _NOT,
    )


def _finding(quote: Quote, passage: Passage | None) -> Finding:
    stands = passage is not None and passage.chunk.text[quote.start : quote.end] == quote.text
    if stands and quote.row is not None:
        stands = all(cell.value in quote.text for cell in quote.row.cells) and quote.row.label in quote.text
    return Finding(
        type=FindingType.QUOTE,
        value=quote.text,
        supported=stands,
        ref_id=quote.ref_id if stands else "",
        note="stands so in the passage" if stands else "does not stand so in the passage",
    )
