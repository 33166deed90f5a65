"""Cut a document into child chunks to search by and parent chunks to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from apps.corpus.chunking.context import ContextWriter
from apps.corpus.chunking.contracts import ChunkDraft, DocumentFacts
from apps.corpus.chunking.outline import BlockPosition, outline
from apps.corpus.chunking.packing import pack
from apps.corpus.chunking.units import Unit, page_units, split_long
from apps.corpus.extraction.contracts import BlockKind, ExtractedDocument, Page
from apps.corpus.extraction.statements import recognise_statements
from apps.corpus.tokens import TokenCounter

_SPECIAL_TOKENS = 2  # what the model puts around each input
_HEADER_SHARE = 4  # the header takes at most a quarter of a child
_PARENT_CLOSES_FROM = 0.5  # of the parent's budget: from here on a new section begins a new parent


@dataclass(slots=True)
class _Child:
    page: Page
    units: Sequence[Unit]

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end

    @property
    def place(self) -> BlockPosition:
        """Where its text stands: below the headings that it begins with."""
        return next((unit for unit in self.units if unit.kind is not BlockKind.HEADING), self.units[-1]).place

    @property
    def tokens(self) -> int:
        return sum(unit.tokens for unit in self.units)

    @property
    def context(self) -> str:
        """What its table's rows share; rows of two tables share nothing that one line could say."""
        contexts = {unit.context for unit in self.units if unit.context}
        return self.units[0].header_context or (contexts.pop() if len(contexts) == 1 else "")


def chunk_document(
    document: ExtractedDocument,
    *,
    facts: DocumentFacts,
    count_tokens: TokenCounter,
    child_tokens: int = 256,
    parent_tokens: int = 1024,
) -> tuple[ChunkDraft, ...]:
    """Cut a document into chunks.

    A child lies on one page and in one SEC item, ends between sentences or rows, and fits the embedding model with
    its header: header + text <= child_tokens - 2. A parent holds the children that follow each other in one item.

    Args:    count_tokens: n texts to n counts without special tokens; text cut at white space must count the same.
             child_tokens: at least 32. parent_tokens: at least child_tokens.
    Returns: children in reading order, then parents in reading order. Each character of each block is in one child.
    """
    if child_tokens < 32 or parent_tokens < child_tokens:
        raise ValueError("child_tokens must be 32 or more, parent_tokens no less than child_tokens")
    header_budget = child_tokens // _HEADER_SHARE
    writer = ContextWriter(
        facts,
        count_tokens=count_tokens,
        budget_tokens=header_budget,
        statements=recognise_statements(document.pages),
        language=document.language,
    )
    text_budget = child_tokens - _SPECIAL_TOKENS - header_budget
    pages = _counted_pages(document.pages, text_budget=text_budget, count_tokens=count_tokens)
    writer.learn(
        [
            part
            for _, units in pages
            for unit in units
            for part in (*unit.place.headings, unit.context, unit.header_context)
        ]
    )
    writer.learn([f"page {page.number}" for page, _ in pages])
    children = list(_children(pages, writer, room=child_tokens - _SPECIAL_TOKENS))
    return _numbered(children, writer, parent_tokens=parent_tokens)


def _counted_pages(
    pages: Sequence[Page], *, text_budget: int, count_tokens: TokenCounter
) -> list[tuple[Page, list[Unit]]]:
    """Units of every page, counted in one call and cut where they are over the budget."""
    placed = [(page, page_units(page, places)) for page, places in outline(pages)]
    counts = iter(count_tokens([page.text[unit.start : unit.end] for page, units in placed for unit in units]))
    counted: list[tuple[Page, list[Unit]]] = []
    for page, units in placed:
        fitting: list[Unit] = []
        for unit in units:
            unit.tokens = next(counts)
            if unit.tokens > text_budget:
                fitting.extend(split_long(unit, page.text, limit=text_budget, count_tokens=count_tokens))
            else:
                fitting.append(unit)
        counted.append((page, fitting))
    return counted


def _children(pages: Sequence[tuple[Page, list[Unit]]], writer: ContextWriter, *, room: int) -> Iterator[_Child]:
    for page, units in pages:
        for _, group in groupby(units, key=lambda unit: unit.place.sec_item):
            run = list(group)
            # The room that the longest header on this page leaves: a header may be shorter, never longer.
            longest = writer.most_tokens(
                places={unit.place for unit in run},
                table_contexts={text for unit in run for text in (unit.context, unit.header_context)},
                page=page.number,
            )
            for packed in pack(run, budget=room - longest):
                yield _Child(page, packed)


def _numbered(children: Sequence[_Child], writer: ContextWriter, *, parent_tokens: int) -> tuple[ChunkDraft, ...]:
    drafts: list[ChunkDraft] = []
    parents: list[ChunkDraft] = []
    for group in _parent_groups(children, parent_tokens):
        is_alone = len(group) == 1
        parent_number = len(children) + len(parents) + 1
        for child in group:
            draft = _draft([child], writer, number=len(drafts) + 1)
            drafts.append(replace(draft, parent_number=None if is_alone else parent_number))
        if not is_alone:
            parents.append(replace(_draft(group, writer, number=parent_number), is_parent=True))
    return (*drafts, *parents)


def _parent_groups(children: Sequence[_Child], parent_tokens: int) -> Iterator[list[_Child]]:
    group: list[_Child] = []
    size = 0
    for child in children:
        if group:
            other_item = child.place.sec_item != group[-1].place.sec_item
            other_section = child.place.headings[:1] != group[-1].place.headings[:1]
            if (
                other_item
                or size + child.tokens > parent_tokens
                or (other_section and size >= _PARENT_CLOSES_FROM * parent_tokens)
            ):
                yield group
                group, size = [], 0
        group.append(child)
        size += child.tokens
    if group:
        yield group


def _draft(group: Sequence[_Child], writer: ContextWriter, *, number: int) -> ChunkDraft:
    first, last = group[0], group[-1]
    context = first.context if len(group) == 1 else ""
    header, header_tokens = writer.header(
        first.place, table_context=context, first_page=first.page.number, last_page=last.page.number
    )
    return ChunkDraft(
        number=number,
        parent_number=None,
        is_parent=False,
        text=_text(group),
        context_header=header,
        page_start=first.page.number,
        page_end=last.page.number,
        char_start=first.start,
        char_end=last.end,
        sec_item=first.place.sec_item,
        section=first.place.section,
        token_count=header_tokens + sum(child.tokens for child in group),
        statements=writer.statements(first.page.number),
    )


def _text(group: Sequence[_Child]) -> str:
    """The verbatim text from the first child to the last; pages are joined by a line break."""
    parts: list[str] = []
    for _, on_page in groupby(group, key=lambda child: child.page.number):
        run = list(on_page)
        parts.append(run[0].page.text[run[0].start : run[-1].end])
    return "\n".join(parts)
