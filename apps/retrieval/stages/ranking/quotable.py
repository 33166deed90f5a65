"""The pieces of a passage that may be quoted: whole sentences and rows, with their positions in the chunk."""

from __future__ import annotations

from collections.abc import Iterator

from apps.retrieval.contracts import Passage, Quote
from apps.retrieval.stages.ranking.units import split_units


def quotable_pieces(passage: Passage) -> Iterator[Quote]:
    """Yield the sentences and rows that a passage shows, in order.

    Column headings accompany the rows under them and are not pieces of their own. A sentence that was cut for the
    budget is quoted as far as it is shown.
    """
    text = passage.chunk.text
    units = split_units(text)
    headings = {unit.columns for unit in units if unit.columns}
    for excerpt in passage.excerpts:
        within = [unit for unit in units if excerpt.start <= unit.start and unit.end <= excerpt.end]
        if not within:
            yield Quote(ref_id=passage.ref_id, text=excerpt.text, start=excerpt.start, end=excerpt.end)
        for unit in within:
            if (unit.start, unit.end) not in headings:
                yield Quote(
                    ref_id=passage.ref_id,
                    text=text[unit.start : unit.end],
                    start=unit.start,
                    end=unit.end,
                    columns=_show_columns(passage, unit.columns),
                )


def _show_columns(passage: Passage, columns: tuple[int, int] | None) -> str:
    """Return the line of column headings if the passage shows it, else "": nothing outside the context is quoted."""
    if columns is None:
        return ""
    start, end = columns
    shown = any(excerpt.start <= start and end <= excerpt.end for excerpt in passage.excerpts)
    return passage.chunk.text[start:end] if shown else ""
