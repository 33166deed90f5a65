"""Pack units into chunks of even size that begin and end where the text does."""

from __future__ import annotations

from collections.abc import Sequence

from apps.corpus.chunking.units import Unit
from apps.corpus.extraction.contracts import BlockKind

_HEADING_FROM = 0.4  # of the budget: from here on a heading begins a new chunk
_BLOCK_FROM = 0.85  # of the even share: from here on a new block does
_TINY = 0.15  # of the budget


def pack(units: Sequence[Unit], *, budget: int) -> list[list[Unit]]:
    """Cut the units of one page and item into runs of at most `budget` tokens.

    Args:    units: in reading order, each within the budget.
             budget: tokens, > 0.
    Returns: runs that together are all of the units, in order. No run ends with a heading while it could go on.
    """
    total = sum(unit.tokens for unit in units)
    share = total / max(-(-total // budget), 1)
    runs: list[list[Unit]] = [[]]
    size = 0
    for unit in units:
        run = runs[-1]
        if run and _closes(run, size, unit, budget=budget, share=share):
            carried = _trailing_leads(run)
            if carried and len(carried) < len(run) and sum(map(_tokens, carried)) + unit.tokens <= budget:
                del run[len(run) - len(carried) :]
            else:
                carried = []
            runs.append(carried)
            size = sum(map(_tokens, carried))
        runs[-1].append(unit)
        size += unit.tokens
    return _without_tiny([run for run in runs if run], budget)


def _closes(run: Sequence[Unit], size: int, unit: Unit, *, budget: int, share: float) -> bool:
    if size + unit.tokens > budget:
        return True
    if unit.kind is BlockKind.HEADING and not run[-1].leads:
        return size >= _HEADING_FROM * budget
    return unit.begins_block and not run[-1].leads and size >= _BLOCK_FROM * share and size + unit.tokens > 1.1 * share


def _trailing_leads(run: Sequence[Unit]) -> list[Unit]:
    start = len(run)
    while start and run[start - 1].leads:
        start -= 1
    return list(run[start:])


def _without_tiny(runs: list[list[Unit]], budget: int) -> list[list[Unit]]:
    """Join a tiny run to a neighbour, or even it out with the one before."""
    position = 0
    while position < len(runs) and len(runs) > 1:
        size = sum(map(_tokens, runs[position]))
        if size >= _TINY * budget:
            position += 1
            continue
        before = sum(map(_tokens, runs[position - 1])) if position else budget
        after = sum(map(_tokens, runs[position + 1])) if position + 1 < len(runs) else budget
        if before + size <= budget:
            runs[position - 1].extend(runs.pop(position))
        elif after + size <= budget:
            runs[position + 1][:0] = runs.pop(position)
        else:
            if position:
                _even_out(runs[position - 1], runs[position])
            position += 1
    return runs


def _even_out(before: list[Unit], run: list[Unit]) -> None:
    """Move units from the end of one run to the beginning of the next until both are about as long."""
    size, other = sum(map(_tokens, run)), sum(map(_tokens, before))
    while len(before) > 1 and size + before[-1].tokens <= other - before[-1].tokens:
        unit = before.pop()
        run.insert(0, unit)
        size += unit.tokens
        other -= unit.tokens


def _tokens(unit: Unit) -> int:
    return unit.tokens
