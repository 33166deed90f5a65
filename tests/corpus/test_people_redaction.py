"""Redaction of a page's text: what is removed, what stays, and where everything stands afterwards."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.extraction import BlockKind, ExtractionError, MediaType, extract
from apps.corpus.extraction.pages import BlockDraft, build_page
from apps.corpus.extraction.rendition import RENDITION_BEGINS, PageDraft, write_rendition
from apps.corpus.redaction.pages import pages_of_lines, redacted_pages
from apps.corpus.redaction.text import MARK, Span, previews, redact, touched

_TEXTS = st.text(alphabet="ab c\n\u00e4\U0001f600", min_size=1, max_size=60)


@st.composite
def _texts_and_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(_TEXTS)
    position = st.integers(0, len(text))
    edges = draw(st.lists(st.tuples(position, position), max_size=6))
    return text, [Span(min(pair), max(pair)) for pair in edges if pair[0] != pair[1]]


def test_a_span_is_replaced_by_a_mark_that_does_not_tell_its_length() -> None:
    assert redact("Mr Doe wrote.", [Span(3, 6)]).text == "Mr [redacted] wrote."
    assert redact("Mr Doe-Smithson wrote.", [Span(3, 15)]).text == "Mr [redacted] wrote."


def test_spans_that_overlap_or_touch_get_one_mark() -> None:
    assert redact("John Doe wrote.", [Span(5, 8), Span(0, 5), Span(2, 6)]).text == "[redacted] wrote."


def test_a_line_break_within_a_span_stays_since_blocks_end_there() -> None:
    assert redact("to Meier-\nSchmidt now", [Span(3, 17)]).text == "to [redacted]\n[redacted] now"


@pytest.mark.parametrize("span", [Span(2, 2), Span(-1, 3), Span(4, 99)])
def test_a_span_that_is_not_in_the_text_is_refused(span: Span) -> None:
    with pytest.raises(ValueError, match="span"):
        redact("John Doe", [span])


@given(_texts_and_spans())
def test_every_span_is_removed_and_nothing_else(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    result = redact(text, spans)
    covered = {position for span in spans for position in range(span.start, span.end)}
    removed = {position for span in result.removed for position in range(span.start, span.end)}
    assert removed <= covered
    assert not "".join(text[position] for position in covered - removed).strip()
    # Without the marks, what is left is the rest of the original.
    rest, done = "", 0
    for mark in result.marks:
        assert result.text[mark.start : mark.end] == MARK
        rest, done = rest + result.text[done : mark.start], mark.end
    assert rest + result.text[done:] == "".join(text[at] for at in range(len(text)) if at not in removed)


@given(_texts_and_spans())
def test_what_stays_is_found_at_its_new_place(drawn: tuple[str, list[Span]]) -> None:
    text, spans = drawn
    result = redact(text, spans)
    removed = {position for span in result.removed for position in range(span.start, span.end)}
    for position, character in enumerate(text):
        if position not in removed:
            assert result.text[result.place_of(position)] == character
    whole = result.span_of(Span(0, len(text)))
    assert (whole.start, whole.end) == (0, len(result.text))


@given(_texts_and_spans(), st.integers(1, 20))
def test_previews_show_each_removal_once_as_it_will_be(drawn: tuple[str, list[Span]], around: int) -> None:
    text, spans = drawn
    result, shown = redact(text, spans), previews(text, spans, around=around)
    assert sum(len(each.removed) for each in shown) == len(result.removed)
    for each in shown:
        assert each.before in text
        assert each.after in result.text
        assert all(each.after[mark.start : mark.end] == MARK for mark in each.marks)


@dataclass
class _Chunk:
    page_start: int
    page_end: int
    char_start: int
    char_end: int


def test_the_passages_that_hold_something_of_a_span_are_told() -> None:
    first, second, over = _Chunk(1, 1, 0, 10), _Chunk(1, 1, 10, 20), _Chunk(1, 3, 15, 5)
    chunks = [first, second, over]
    assert touched(chunks, page=1, spans=[Span(8, 10)]) == [first]
    assert touched(chunks, page=1, spans=[Span(9, 16)]) == [first, second, over]
    assert touched(chunks, page=2, spans=[Span(0, 1)]) == [over]
    assert touched(chunks, page=3, spans=[Span(5, 9)]) == []
    assert touched(chunks, page=4, spans=[Span(0, 9)]) == []


# --- a document's pages, and the file that stands in for the original ---

_BLOCKS = st.lists(
    st.builds(
        BlockDraft,
        st.sampled_from(BlockKind),
        st.text(alphabet="ab\\\tn ä", min_size=1, max_size=20).filter(str.strip),
        level=st.integers(0, 6),
        context=st.text(alphabet="ab\\t\n", max_size=8),
    ),
    max_size=5,
)


@pytest.mark.slow
@given(st.lists(_BLOCKS, min_size=1, max_size=4))
def test_a_rendition_is_read_as_the_pages_that_it_was_written_from(pages: list[list[BlockDraft]]) -> None:
    pages[0].append(BlockDraft(BlockKind.PARAGRAPH, "there is text"))
    drafts = [PageDraft(number=3 * at, blocks=tuple(blocks), extracted=at != 2) for at, blocks in enumerate(pages, 1)]
    read = extract(write_rendition(drafts, note="Made of version 1."), filename="a.txt")
    assert read.media_type is MediaType.RENDITION
    assert list(read.pages) == [build_page(each.number, each.blocks, extracted=each.extracted) for each in drafts]
    assert [warning.code for warning in read.warnings] == ["passages_removed"]


@pytest.mark.parametrize(
    "lines",
    [
        "note\nparagraph\t0\ttext\t",
        "note\npage\t2\tread\npage\t1\tread",
        "note\npage\tx",
        "note\npage\t1\tread\nodd\t0\ta\t",
    ],
)
def test_a_rendition_that_is_not_whole_is_refused(lines: str) -> None:
    with pytest.raises(ExtractionError, match="damaged"):
        extract(RENDITION_BEGINS + lines.encode(), filename="a.txt")


def test_blocks_keep_their_kind_and_lose_what_is_removed() -> None:
    page = build_page(
        4,
        [
            BlockDraft(BlockKind.HEADING, "Letter to John Doe", level=2),
            BlockDraft(BlockKind.TABLE_ROW, "John Doe | 7", context="Clients of John Doe"),
            BlockDraft(BlockKind.PARAGRAPH, "John Doe"),
        ],
    )
    spans = [Span(at, at + 8) for at in range(len(page.text)) if page.text.startswith("John Doe", at)]
    (redacted,) = redacted_pages([page], {4: spans})
    assert [(each.kind, each.level, each.text, each.context) for each in redacted.blocks] == [
        (BlockKind.HEADING, 2, "Letter to [redacted]", ""),
        (BlockKind.TABLE_ROW, 0, "[redacted] | 7", "Clients of [redacted]"),
        (BlockKind.PARAGRAPH, 0, "[redacted]", ""),
    ]


def test_a_stored_text_becomes_paragraphs_line_by_line() -> None:
    (page,) = pages_of_lines([(2, "First.\n\nJohn Doe.", True)])
    assert [page.text[block.char_start : block.char_end] for block in page.blocks] == ["First.", "John Doe."]
    (redacted,) = redacted_pages([page], {2: [Span(8, 16)]})
    assert [block.text for block in redacted.blocks] == ["First.", "[redacted]."]
