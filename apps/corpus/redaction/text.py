"""Remove spans from a page's text. Pure: from a text and spans to the new text and a mapping of positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

# The mark is the same for a letter and for a paragraph, so that it reveals nothing about the removed text.
MARK = "[redacted]"
_AROUND_CHARS = 160


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """text[start:end], not empty."""

    start: int
    end: int

    def touches(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, repr=False)
class Redacted:
    """A text without the spans.

    removed: what was taken out of the original, in order, apart; line ends and empty lines never are.
    marks: where the mark stands for each of them in the new text.
    """

    text: str
    removed: tuple[Span, ...]
    marks: tuple[Span, ...]

    def place_of(self, position: int) -> int:
        """Return the new position of an original position; within a removed span, the beginning of its mark."""
        before = bisect_right(self.removed, position, key=lambda span: span.start) - 1
        if before < 0:
            return position
        removed, mark = self.removed[before], self.marks[before]
        return mark.start if position < removed.end else mark.end + position - removed.end

    def span_of(self, span: Span) -> Span:
        """Return the new span of an original span, which includes every mark that it touches as a whole."""
        start, end = self.place_of(span.start), self.place_of(span.end)
        inside = next((mark for removed, mark in self._pairs() if removed.start < span.end < removed.end), None)
        return Span(start, inside.end if inside else end)

    def _pairs(self) -> Iterable[tuple[Span, Span]]:
        return zip(self.removed, self.marks, strict=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Preview:
    """A stretch of a page before and after, for whoever decides. removed and marks: within before and after."""

    before: str
    after: str
    removed: tuple[Span, ...]
    marks: tuple[Span, ...]


class Passage(Protocol):
    """What a chunk says of where it stands: characters of its first page and of its last."""

    page_start: int
    page_end: int
    char_start: int
    char_end: int


AnyPassage = TypeVar("AnyPassage", bound=Passage)


def redact(text: str, spans: Iterable[Span]) -> Redacted:
    """Put the mark in place of each span.

    Spans that overlap or touch are one. A line's end within a span stays: it is the border between two blocks of the
    page, and a span over it gets a mark on each of its lines.

    Raises: ValueError: a span is empty or not within the text.
    """
    removed = [line for span in _merged(text, spans) for line in _lines(text, span)]
    parts: list[str] = []
    marks: list[Span] = []
    done = length = 0
    for span in removed:
        parts += [text[done : span.start], MARK]
        length += span.start - done
        marks.append(Span(length, length + len(MARK)))
        length += len(MARK)
        done = span.end
    return Redacted("".join([*parts, text[done:]]), tuple(removed), tuple(marks))


def touched(passages: Iterable[AnyPassage], *, page: int, spans: Sequence[Span]) -> list[AnyPassage]:
    """Return the passages that overlap the spans of one page."""
    return [passage for passage in passages if any(_on_page(passage, page).touches(span) for span in spans)]


def previews(text: str, spans: Iterable[Span], *, around: int = _AROUND_CHARS) -> list[Preview]:
    """What the page will read like, stretch by stretch: each span with what stands around it, near ones together.

    Args: around: characters on either side, less where a word would be cut.
    """
    whole = redact(text, spans)
    stretches: list[list[int]] = []
    for removed in whole.removed:
        start, end = _begin(text, removed, around), _end(text, removed, around)
        if stretches and start <= stretches[-1][1]:
            stretches[-1][1] = end
        else:
            stretches.append([start, end])
    return [_preview(text, whole, Span(start, end)) for start, end in stretches]


def _preview(text: str, whole: Redacted, stretch: Span) -> Preview:
    removed = tuple(Span(s.start - stretch.start, s.end - stretch.start) for s in whole.removed if s.touches(stretch))
    before = text[stretch.start : stretch.end]
    own = redact(before, removed)
    return Preview(before=before, after=own.text, removed=removed, marks=own.marks)


def _merged(text: str, spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans):
        if not 0 <= span.start < span.end <= len(text):
            raise ValueError("a span to redact is empty or not within the text")
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _lines(text: str, span: Span) -> Iterable[Span]:
    start = span.start
    for line in text[span.start : span.end].split("\n"):
        if line.strip():
            yield Span(start, start + len(line))
        start += len(line) + 1


def _on_page(passage: Passage, page: int) -> Span:
    """What of a page a passage covers; nothing where it is on others."""
    if not passage.page_start <= page <= passage.page_end:
        return Span(0, 0)
    start = passage.char_start if page == passage.page_start else 0
    return Span(start, passage.char_end if page == passage.page_end else 2**31)


def _begin(text: str, span: Span, around: int) -> int:
    start = span.start - around
    if start <= 0:
        return 0
    blank = text.find(" ", start, span.start)
    return start if blank < 0 else blank + 1


def _end(text: str, span: Span, around: int) -> int:
    end = span.end + around
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", span.end, end)
    return end if blank < 0 else blank
