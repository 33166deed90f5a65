"""Write the header line that says where a chunk comes from; it is embedded and indexed with the chunk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from apps.corpus.chunking.contracts import DocumentFacts
from apps.corpus.chunking.outline import BlockPosition
from apps.corpus.extraction.statements import Statement
from apps.corpus.tokens import TokenCounter

SEPARATOR = " \u00b7 "
_MAX_TITLE_CHARACTERS = 80


class ContextWriter:
    """A writer of the context headers of one document within a budget of tokens."""

    def __init__(
        self,
        facts: DocumentFacts,
        *,
        count_tokens: TokenCounter,
        budget_tokens: int,
        statements: Mapping[int, tuple[Statement, ...]] | None = None,
        language: str = "en",
    ) -> None:
        self._fixed = _fixed_parts(facts)
        self._count = count_tokens
        self._budget = budget_tokens
        self._known: dict[str, int] = {}
        self._statements = statements or {}
        self._language = language

    def statements(self, page: int) -> tuple[Statement, ...]:
        """Return the financial statements that a page prints."""
        return self._statements.get(page, ())

    def learn(self, parts: Sequence[str]) -> None:
        """Count many parts in one call; parts that were not announced are counted when they come up."""
        unknown = sorted({part for part in parts if part and part not in self._known})
        self._known.update(zip(unknown, self._count(unknown), strict=True))

    def header(self, place: BlockPosition, *, table_context: str, first_page: int, last_page: int) -> tuple[str, int]:
        """The header and its tokens. Over the budget it loses, in this order: the table's context, the headings from
        the outer one, the statements' names, and the document's parts from the last.

        Returns: a line like "3M · 10-K · FY2018 · Item 8 · Cash flow statement · Consolidated Statement of Cash Flows ·
                 page 60": the usual name beside the heading's own words, since a question may use either.
        """
        pages = f"page {first_page}" if first_page == last_page else f"pages {first_page}-{last_page}"
        item = f"Item {place.sec_item}" if place.sec_item else ""
        headings = [_without_item(heading, place.sec_item) for heading in place.headings]
        statements = self._names_beside(headings, first_page)
        parts = [*self._fixed, item, statements, *headings, table_context, pages]
        droppable = [len(parts) - 2, *range(len(self._fixed) + 2, len(parts) - 2), len(self._fixed) + 1]
        droppable.extend(range(len(self._fixed) - 1, -1, -1))
        kept = [part for part in parts if part]
        tokens = self._tokens(kept)
        for position in droppable:
            if tokens <= self._budget:
                break
            parts[position] = ""
            kept = [part for part in parts if part]
            tokens = self._tokens(kept)
        return SEPARATOR.join(kept), tokens

    def most_tokens(self, *, places: Iterable[BlockPosition], table_contexts: Iterable[str], page: int) -> int:
        """An upper bound for the tokens of any header with one of these places and contexts."""
        plain = max(self.header(place, table_context="", first_page=page, last_page=page)[1] for place in places)
        context = max((self._tokens([text, SEPARATOR.strip()]) for text in table_contexts if text), default=0)
        return max(plain, min(plain + context, self._budget))

    def _names_beside(self, headings: Sequence[str], page: int) -> str:
        said = " ".join(headings).lower()
        names = (statement.label(self._language) for statement in self.statements(page))
        return ", ".join(name for name in names if name.lower() not in said)

    def _tokens(self, parts: Sequence[str]) -> int:
        self.learn([*parts, SEPARATOR.strip()])
        return sum(self._known[part] for part in parts) + self._known[SEPARATOR.strip()] * max(len(parts) - 1, 0)


def _fixed_parts(facts: DocumentFacts) -> list[str]:
    """Company, type and period; the title where they do not say it all."""
    parts = [facts.company, facts.document_type, facts.period]
    title = facts.title[:_MAX_TITLE_CHARACTERS].strip()
    if title and not all(parts):
        parts.insert(0 if not facts.company else 1, title)
    seen: list[str] = []
    for part in (" ".join(part.split()) for part in parts):
        if part and part not in seen:
            seen.append(part)
    return seen


def _without_item(heading: str, sec_item: str) -> str:
    """ "Item 7A. Quantitative ..." under Item 7A is "Quantitative ..."."""
    if not sec_item or not heading.lower().startswith("item"):
        return heading
    rest = heading[4:].lstrip("sS \u00a0")
    if rest.upper().startswith(sec_item):
        return rest[len(sec_item) :].lstrip(" .:\u2013\u2014-)")
    return heading
