"""Split a passage into the pieces that may be quoted on their own: sentences of prose and rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.chunking.sentences import sentence_spans
from apps.retrieval.contracts import StoredChunk

_NUMBER: Final = re.compile(r"[($€£-]*\d[\d,.]*\)?%?")
_LETTER: Final = re.compile(r"[^\W\d_]")
_YEAR: Final = re.compile(r"\b(?:19|20)\d{2}\b")
_CELL: Final = re.compile(r"[($€£+\-\u2212]*\d[\d,.]*[)%]*|[\u2014\u2013\-$€£%)(]+|\)%")
_NAMED_CELL: Final = re.compile(r"\|[^|:\n]{1,80}:\s")
_EMPTY_CELLS: Final = frozenset("\u2014\u2013-")
_ONE_NUMBER_ROW_LONGEST_WORDS: Final = 7
_HEADING_LONGEST_CHARS: Final = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One sentence or row: `text[start:end]`, without blanks at its ends.

    columns: the span of the line of column headings above a row, or None.
    """

    start: int
    end: int
    is_row: bool
    columns: tuple[int, int] | None = None


def split_units(text: str) -> tuple[Unit, ...]:
    """Split a text at sentences and table rows.

    A line counts as a row if it holds a number or a cell border and no running prose. Lines of prose are joined until a
    sentence ends. A row's label that was broken over two lines is kept together with its numbers.

    Args:    text: a chunk's text, lines separated by line feeds.
    Returns: units in the order of the text; they do not overlap, and only blanks lie between them.
    """
    units: list[Unit] = []
    columns: tuple[int, int] | None = None
    for block in _blocks(text):
        if block.is_row:
            if _is_column_heading(text[block.start : block.end]):
                columns = (block.start, block.end)
                units.append(block)
            else:
                # A row that names its own columns needs no heading.
                named = _NAMED_CELL.search(text, block.start, block.end) is not None
                units.append(Unit(start=block.start, end=block.end, is_row=True, columns=None if named else columns))
            continue
        sentences = tuple(_sentences(text, block))
        if len(sentences) > 1 or text[sentences[-1].start : sentences[-1].end].endswith("."):
            columns = None
        units.extend(sentences)
    return tuple(units)


def _blocks(text: str) -> Iterator[Unit]:
    """Yield rows and runs of prose lines. A heading is a block of its own."""
    start: int | None = None
    end = 0
    for line_start, line_end in _lines(text):
        line = text[line_start:line_end]
        if _is_row(line):
            if start is not None and not _LETTER.search(line) and _ends_like_a_label(text[start:end]):
                label_start = text.rfind("\n", start, end) + 1 or start
                label_start = max(label_start, start)
                if label_start > start:
                    yield _strip(text, start, label_start, is_row=False)
                yield _strip(text, label_start, line_end, is_row=True)
                start = None
                continue
            if start is not None:
                yield _strip(text, start, end, is_row=False)
                start = None
            yield _strip(text, line_start, line_end, is_row=True)
            continue
        if not line.strip():
            if start is not None:
                yield _strip(text, start, end, is_row=False)
                start = None
            continue
        if start is not None and _is_heading(text[start:end]) and line.lstrip()[:1].isupper():
            yield _strip(text, start, end, is_row=False)
            start = None
        start = line_start if start is None else start
        end = line_end
    if start is not None:
        yield _strip(text, start, end, is_row=False)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for line in text.split("\n"):
        yield position, position + len(line)
        position += len(line) + 1


def _is_row(line: str) -> bool:
    """Return whether a line has cell borders, or ends in a run of numbers after a label.

    A line of prose may end after one number, so a line with a single number is a row only if it is short.
    """
    if "|" in line or "\t" in line:
        return True
    tokens = line.split()
    cells = 0
    for token in reversed(tokens):
        if _LETTER.search(token) or not _CELL.fullmatch(token):
            break
        cells += any(character.isdigit() for character in token) or token in _EMPTY_CELLS
    if not cells or not any(character.isdigit() for character in line) or tokens[-1].endswith("."):
        return False
    return cells >= 2 or len(tokens) <= _ONE_NUMBER_ROW_LONGEST_WORDS


def _is_column_heading(row: str) -> bool:
    """Return whether a row holds years (or month names with years) and hardly anything else."""
    years = _YEAR.findall(row)
    others = [number for number in _NUMBER.findall(row) if not _YEAR.fullmatch(number.strip("(),."))]
    large = [number for number in others if len(number.strip("(),.$%")) > 2]
    return bool(years) and not large and len(row) <= 160


def _is_heading(text: str) -> bool:
    stripped = text.strip()
    return (
        "\n" not in stripped
        and len(stripped) <= _HEADING_LONGEST_CHARS
        and not stripped.endswith((".", ",", ";", ":", "-"))
    )


def _ends_like_a_label(text: str) -> bool:
    last = text.rsplit("\n", 1)[-1].strip()
    return bool(last) and len(last) <= 120 and not last.endswith((".", "!", "?"))


def _sentences(text: str, block: Unit) -> Iterator[Unit]:
    for start, end in sentence_spans(text[block.start : block.end]):
        yield _strip(text, block.start + start, block.start + end, is_row=False)


def _strip(text: str, start: int, end: int, *, is_row: bool) -> Unit:
    piece = text[start:end]
    return Unit(
        start=start + len(piece) - len(piece.lstrip()),
        end=end - (len(piece) - len(piece.rstrip())),
        is_row=is_row,
    )


def surroundings_of(chunk: StoredChunk, units: Sequence[Unit]) -> str:
    """Return the words above every piece of a chunk: document, context header, section, and headings in the chunk."""
    headings = [
        chunk.text[unit.start : unit.end]
        for unit in units
        if not unit.is_row and unit.end - unit.start <= _HEADING_LONGEST_CHARS
    ]
    titles = [heading for heading in headings if not heading.endswith((".", "!", "?"))]
    return "\n".join((chunk.document.title, chunk.document.company, chunk.context_header, chunk.section, *titles))
