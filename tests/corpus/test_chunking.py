"""Chunks: verbatim slices that cover everything once, within budget, in order, inside one page and one item."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.chunking import ChunkDraft, DocumentFacts, chunk_document
from apps.corpus.chunking.sentences import sentence_spans
from apps.corpus.extraction import BlockKind, ExtractedDocument, MediaType
from apps.corpus.extraction.pages import BlockDraft, build_page
from apps.corpus.tokens import wordpiece_counter

FACTS = DocumentFacts(title="3M 2018 10k", company="3M", period="FY2018", document_type="10-K")
SENTENCE = "The committee reviewed the liquidity of the fund and found that no limit had been exceeded. "


def words(texts: Sequence[str]) -> list[int]:
    """A counter for which each word is a token."""
    return [len(text.split()) for text in texts]


def document(*pages: Sequence[BlockDraft]) -> ExtractedDocument:
    return ExtractedDocument(
        pages=tuple(build_page(number, drafts) for number, drafts in enumerate(pages, start=1)),
        media_type=MediaType.PDF,
        language="en",
        title=None,
        warnings=(),
    )


def heading(text: str, level: int = 2) -> BlockDraft:
    return BlockDraft(BlockKind.HEADING, text, level=level)


def paragraph(text: str) -> BlockDraft:
    return BlockDraft(BlockKind.PARAGRAPH, text.strip())


def row(text: str, context: str = "") -> BlockDraft:
    return BlockDraft(BlockKind.TABLE_ROW, text, context=context)


def cut(source: ExtractedDocument, *, child_tokens: int = 64, parent_tokens: int = 256) -> tuple[ChunkDraft, ...]:
    return chunk_document(
        source, facts=FACTS, count_tokens=words, child_tokens=child_tokens, parent_tokens=parent_tokens
    )


def children(chunks: Sequence[ChunkDraft]) -> list[ChunkDraft]:
    return [chunk for chunk in chunks if not chunk.is_parent]


def test_header_names_document_item_section_and_page() -> None:
    pages = [
        [
            heading("Item 8. Financial Statements", 1),
            heading("Consolidated Statement of Cash Flows"),
            row("Fees | 2018: 1"),
        ]
    ]
    assert cut(document(*pages), child_tokens=128)[0].context_header == (
        "3M \u00b7 10-K \u00b7 FY2018 \u00b7 Item 8 \u00b7 Consolidated Statement of Cash Flows \u00b7 page 1"
    )


def test_section_is_that_of_the_text_below_leading_headings() -> None:
    pages = [[heading("Note 5. Taxes"), heading("Deferred taxes", 3), paragraph(SENTENCE)]]
    assert cut(document(*pages))[0].section == "Note 5. Taxes \u203a Deferred taxes"


def test_header_drops_what_is_not_known() -> None:
    chunks = chunk_document(
        document([paragraph("Text.")]), facts=DocumentFacts(title="Alpha policy"), count_tokens=words
    )
    assert chunks[0].context_header == "Alpha policy \u00b7 page 1"


def test_header_names_what_a_tables_rows_share() -> None:
    pages = [[heading("Fees"), row("Fees | 2018: 1", "(Millions)"), row("Costs | 2018: 2", "(Millions)")]]
    assert "(Millions)" in cut(document(*pages))[0].context_header


def test_header_names_the_group_of_a_chunk_that_begins_inside_it() -> None:
    rows = [row(f"Row {number} of the table has a label | 2018: {number}") for number in range(20)]
    chunks = cut(document([BlockDraft(BlockKind.TABLE_GROUP, "Investing activities"), *rows]))
    assert all("Investing activities" in chunk.context_header + chunk.text for chunk in children(chunks))


def test_long_header_keeps_company_and_page() -> None:
    chunks = cut(document([heading("word " * 17), paragraph("Text.")]), child_tokens=40)
    assert chunks[0].context_header.startswith("3M")
    assert chunks[0].context_header.endswith("page 1")


def test_child_does_not_cross_a_page() -> None:
    chunks = children(cut(document([paragraph("One.")], [paragraph("Two.")])))
    assert [(chunk.text, chunk.page_start, chunk.page_end) for chunk in chunks] == [("One.", 1, 1), ("Two.", 2, 2)]


def test_child_does_not_cross_an_item() -> None:
    pages = [
        [
            heading("Item 3. Legal Proceedings", 1),
            paragraph(SENTENCE),
            heading("Item 4. Mine Safety", 1),
            paragraph(SENTENCE),
        ]
    ]
    assert [chunk.sec_item for chunk in children(cut(document(*pages), child_tokens=256))] == ["3", "4"]


def test_parent_spans_pages() -> None:
    chunks = cut(document([paragraph("One.")], [paragraph("Two.")]))
    assert [(c.text, c.page_start, c.page_end) for c in chunks if c.is_parent] == [("One.\nTwo.", 1, 2)]


def test_parent_does_not_cross_an_item() -> None:
    pages = [
        [heading("Item 3. Legal Proceedings", 1), paragraph(SENTENCE)],
        [paragraph(SENTENCE)],
        [heading("Item 4. Mine Safety", 1), paragraph(SENTENCE)],
        [paragraph(SENTENCE)],
    ]
    assert [c.sec_item for c in cut(document(*pages)) if c.is_parent] == ["3", "4"]


def test_child_alone_has_no_parent() -> None:
    assert [chunk.parent_number for chunk in cut(document([paragraph("One.")]))] == [None]


def test_children_name_their_parent() -> None:
    chunks = cut(document([paragraph(SENTENCE * 12)]))
    parents = {chunk.number for chunk in chunks if chunk.is_parent}
    assert {chunk.parent_number for chunk in children(chunks)} <= parents


def test_numbers_run_through_children_then_parents() -> None:
    chunks = cut(document([paragraph(SENTENCE * 30)]))
    assert [chunk.number for chunk in chunks] == list(range(1, len(chunks) + 1))
    assert [chunk.is_parent for chunk in chunks] == sorted(chunk.is_parent for chunk in chunks)


def test_chunks_end_with_sentences() -> None:
    chunks = children(cut(document([paragraph(SENTENCE * 20)])))
    assert all(chunk.text.endswith("exceeded.") for chunk in chunks)


def test_row_is_not_divided() -> None:
    rows = [row(f"Row {number} | 2018: {number} | 2017: {number + 1}") for number in range(60)]
    lines = [line for chunk in children(cut(document(rows))) for line in chunk.text.split("\n")]
    assert lines == [draft.text for draft in rows]


def test_heading_goes_with_what_it_heads() -> None:
    blocks = [block for number in range(12) for block in (heading(f"Heading {number}"), paragraph(SENTENCE * 2))]
    assert not any(chunk.text.split("\n")[-1].startswith("Heading") for chunk in children(cut(document(blocks))))


def test_tiny_rest_is_not_left_alone() -> None:
    chunks = children(cut(document([paragraph(SENTENCE * 7 + "The end.")])))
    assert min(chunk.token_count for chunk in chunks) > 16


def test_row_over_the_budget_is_divided_between_cells() -> None:
    text = "Label | " + " | ".join(f"column {number}: {number},577" for number in range(80))
    chunks = children(cut(document([row(text)])))
    assert all(chunk.text.split(" | ")[0].startswith(("Label", "column")) for chunk in chunks)


def test_endless_word_is_divided_anywhere() -> None:
    def characters(texts: Sequence[str]) -> list[int]:
        return [len(text.replace(" ", "")) for text in texts]

    chunks = chunk_document(
        document([paragraph("x" * 500)]), facts=DocumentFacts(), count_tokens=characters, child_tokens=64
    )
    assert "".join(chunk.text for chunk in children(chunks)) == "x" * 500


def test_table_of_contents_begins_no_item() -> None:
    contents = [row(f"Item {number}. Something | {number + 3}") for number in (1, 2, 3, 4)]
    assert {chunk.sec_item for chunk in cut(document(contents))} == {""}


def test_bare_item_headings_of_a_contents_page_begin_no_item() -> None:
    contents = [heading(f"Item {number}. Something", 1) for number in (1, 2, 3, 4)]
    assert {chunk.sec_item for chunk in cut(document(contents))} == {""}


def test_item_goes_on_over_pages() -> None:
    pages = [[heading("Item 7A. Market Risk", 1), paragraph(SENTENCE)], [paragraph(SENTENCE)]]
    assert [chunk.sec_item for chunk in children(cut(document(*pages)))] == ["7A", "7A"]


def test_reference_to_a_later_item_is_passed_over() -> None:
    names = ("Item 7. Discussion", "Item 8. Statements", "Item 7A. Market Risk")
    pages = [[heading(name, 1), paragraph(SENTENCE)] for name in names]
    assert [chunk.sec_item for chunk in children(cut(document(*pages)))] == ["7", "7", "7A"]


def test_items_of_an_8k_are_recognised() -> None:
    pages = [[heading("Item 2.02 Results of Operations", 1), paragraph(SENTENCE)]]
    assert cut(document(*pages))[0].sec_item == "2.02"


def test_statement_ends_with_its_page() -> None:
    pages = [[heading("Consolidated Balance Sheets"), row("Cash | 2018: 1")], [paragraph(SENTENCE)]]
    assert [chunk.section for chunk in children(cut(document(*pages)))] == ["Consolidated Balance Sheets", ""]


def test_inner_heading_stands_under_the_outer_one() -> None:
    pages = [[heading("Note 5. Taxes"), paragraph(SENTENCE), heading("Deferred taxes", 3), paragraph(SENTENCE * 4)]]
    assert children(cut(document(*pages)))[-1].section == "Note 5. Taxes \u203a Deferred taxes"


def test_too_small_budgets_are_refused() -> None:
    with pytest.raises(ValueError, match="child_tokens"):
        cut(document([paragraph("Text.")]), child_tokens=8)


def test_no_pages_give_no_chunks() -> None:
    assert cut(document()) == ()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("Apple Inc. Reported more. Then less.", ["Apple Inc. Reported more.", "Then less."]),
        ("The U.S. Government paid. It was late.", ["The U.S. Government paid.", "It was late."]),
        ("Growth was 3.5 percent. Costs fell.", ["Growth was 3.5 percent.", "Costs fell."]),
        ("See Note 7. The rest follows.", ["See Note 7.", "The rest follows."]),
        ("1. Notes come first. Then text.", ["1. Notes come first.", "Then text."]),
        ("J. Smith left. A. Jones came.", ["J. Smith left.", "A. Jones came."]),
        ("Is it? Yes! \u201cGood.\u201d He left.", ["Is it?", "Yes!", "\u201cGood.\u201d", "He left."]),
        ("ends in 2018. 2019 was better.", ["ends in 2018.", "2019 was better."]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


KINDS = st.sampled_from(
    [BlockKind.PARAGRAPH] * 4
    + [BlockKind.TABLE_ROW] * 3
    + [BlockKind.HEADING, BlockKind.LIST_ITEM, BlockKind.TABLE_GROUP]
)
TEXTS = st.one_of(
    st.lists(
        st.sampled_from(
            ["alpha", "beta,", "1,577", "end.", "Item", "7.", "|", "(gamma)", "x" * 40, "\u20ac5", "Größe"]
        ),
        min_size=1,
        max_size=60,
    ).map(" ".join),
    st.integers(1, 15).map(lambda times: (SENTENCE * times).strip()),
    st.sampled_from(["Item 1. Business", "Item 7A. Market Risk", "Note 3", "\u4e2d\u6587\u5b57" * 30, "a" * 300]),
)
BLOCKS = st.builds(lambda kind, text: BlockDraft(kind, text, level=2 if kind is BlockKind.HEADING else 0), KINDS, TEXTS)
DOCUMENTS = st.lists(st.lists(BLOCKS, max_size=14), max_size=4).map(lambda pages: document(*pages))


def check(source: ExtractedDocument, chunks: Sequence[ChunkDraft], *, child_tokens: int) -> None:
    found = children(chunks)
    by_number = {page.number: page for page in source.pages}
    place = [(chunk.page_start, chunk.char_start, chunk.char_end) for chunk in found]
    assert place == sorted(place), "in reading order"
    assert all(a[0] < b[0] or a[2] <= b[1] for a, b in pairwise(place)), "no overlap"
    for chunk in found:
        assert chunk.text == by_number[chunk.page_start].text[chunk.char_start : chunk.char_end], "verbatim"
        assert chunk.page_start == chunk.page_end
        assert chunk.text == chunk.text.strip() != ""
    for page in source.pages:
        covered = "".join(chunk.text for chunk in found if chunk.page_start == page.number)
        assert "".join(covered.split()) == "".join(page.text.split()), "complete"
    assert all(chunk.token_count <= child_tokens - 2 for chunk in found), "within budget"


@pytest.mark.slow
@given(source=DOCUMENTS, child_tokens=st.integers(32, 96))
@settings(max_examples=150, deadline=None)
def test_children_cover_every_page_once_in_order_and_within_budget(
    source: ExtractedDocument, child_tokens: int
) -> None:
    check(source, cut(source, child_tokens=child_tokens), child_tokens=child_tokens)


@pytest.mark.parametrize("row", ["| " + "alpha " * 60, "alpha || " * 30, "| | | " * 40, "alpha | " * 40 + "|"])
def test_a_long_row_with_empty_cells_is_cut_without_loss(row: str) -> None:
    source = document([BlockDraft(BlockKind.TABLE_ROW, row.strip())])
    check(source, cut(source, child_tokens=40), child_tokens=40)


@pytest.mark.slow
@given(source=DOCUMENTS)
@settings(max_examples=60, deadline=None)
def test_the_model_never_has_to_cut(source: ExtractedDocument) -> None:
    count = wordpiece_counter()
    chunks = chunk_document(source, facts=FACTS, count_tokens=count, child_tokens=96, parent_tokens=256)
    check(source, chunks, child_tokens=96)
    inputs = count([f"{chunk.context_header}\n{chunk.text}" for chunk in children(chunks)])
    assert inputs == [chunk.token_count for chunk in children(chunks)]


@pytest.mark.slow
@given(source=DOCUMENTS)
@settings(max_examples=60, deadline=None)
def test_parents_hold_their_children_whole(source: ExtractedDocument) -> None:
    chunks = cut(source)
    for parent in (chunk for chunk in chunks if chunk.is_parent):
        own = [chunk for chunk in chunks if chunk.parent_number == parent.number]
        assert len(own) > 1
        assert all(chunk.text in parent.text and chunk.sec_item == parent.sec_item for chunk in own)
        assert (parent.page_start, parent.char_start) == (own[0].page_start, own[0].char_start)
        assert (parent.page_end, parent.char_end) == (own[-1].page_end, own[-1].char_end)
