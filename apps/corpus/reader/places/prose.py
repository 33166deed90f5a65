"""Choose where the words of a sentence stand: those without a choice first, then the ones beside them."""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from apps.corpus.reader.places.sheet import Box, Run, Sheet

_CONTEXT: Final = 80
# Lines are close together and columns far apart: a step down weighs as much as so many to the side.
_STEP_DOWN: Final = 20


def prose_runs(sheet: Sheet, start: int, end: int) -> list[Run]:
    """Return the runs of a part of the text, settled where they were found: the whole part, or its words."""
    first, last = sheet.said.span(start, end)
    if first == last:
        return []
    whole = Run(start=first, end=last, places=sheet.drawn.places(sheet.said.text[first:last]))
    if whole.places:
        whole.place = by_context(sheet, whole)
        return [whole]
    runs = list(sheet.runs(start, end))
    _settle(sheet, [run for run in runs if run.places])
    return runs


def _settle(sheet: Sheet, runs: list[Run]) -> None:
    for run in runs:
        run.place = run.places[0] if len(run.places) == 1 else None
    if runs and all(run.place is None for run in runs):
        longest = max(runs, key=lambda run: run.length)
        longest.place = by_context(sheet, longest)
    for number, run in enumerate(runs):
        if run.place is None:
            settled = (each for each, other in enumerate(runs) if other.place is not None)
            beside = runs[min(settled, key=lambda each: abs(each - number))]
            run.place = _nearest(sheet, run, sheet.box_of_letter(beside.place or 0))


def _nearest(sheet: Sheet, run: Run, box: Box) -> int:
    def distance(place: int) -> int:
        other = sheet.box_of_letter(place)
        return _STEP_DOWN * abs(box.top - other.top) + abs(box.left - other.left)

    return min(run.places, key=distance)


def by_context(sheet: Sheet, run: Run) -> int:
    """Return the place with the most of the same letters around it; of equals, the one with as many like it before."""
    said, drawn = sheet.said, sheet.drawn
    if len(run.places) == 1:
        return run.places[0]
    alike = said.places(said.text[run.start : run.end])
    same = alike.index(run.start) if run.start in alike and len(alike) == len(run.places) else -1

    def likeness(number: int) -> tuple[int, bool]:
        place = run.places[number]
        end = place + run.length
        before = _common(said.text[: run.start][-_CONTEXT:][::-1], drawn.text[:place][-_CONTEXT:][::-1])
        after = _common(said.text[run.end : run.end + _CONTEXT], drawn.text[end : end + _CONTEXT])
        return before + after, number == same

    return run.places[max(range(len(run.places)), key=likeness)]


def _common(one: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
