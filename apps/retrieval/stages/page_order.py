"""Put the best passage of each page before the further ones of any page.

A page is what a reader is sent to. Three passages of one page among the first five show one place where five could be
shown, and pages of long tables, whose rows repeat the same words, would take the whole list.
"""

from __future__ import annotations

from collections.abc import Sequence

from apps.retrieval.contracts import Candidate


def page_by_page(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Order candidates page by page.

    Args:    candidates: best first.
    Returns: the same candidates: first those that are the best of the page they begin on, then the others; each part in
             the order that it had.
    """
    first: list[Candidate] = []
    further: list[Candidate] = []
    seen: set[tuple[str, int]] = set()
    for candidate in candidates:
        page = (str(candidate.chunk.document.document_id), candidate.chunk.page_start)
        (further if page in seen else first).append(candidate)
        seen.add(page)
    return (*first, *further)
