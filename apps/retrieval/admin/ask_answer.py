"""The answer as the Ask page shows it: lines with numbered marks, and a card for each citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.registry import name_of
from apps.retrieval.admin.ask_figures import counted
from apps.retrieval.admin.ask_links import citation_url
from apps.retrieval.contracts import Answer, Citation, ContextBlock, Passage

_REF_MARK: Final = re.compile(r"\s?\[([^\[\]\n]*\|p\d+\|c\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a line. number is that of the citation that stands there instead of a reference, else None."""

    text: str
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCard:
    """A citation, and the passage that it is from, cut where the quote begins and ends."""

    number: int
    citation: Citation
    kind: str
    url: str
    before: str
    quote: str
    after: str
    trimmed: bool
    with_passage: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerView:
    lines: tuple[tuple[Part, ...], ...]
    cards: tuple[CitationCard, ...]

    @property
    def cited(self) -> str:
        """2 quotes from 1 document; nothing, for a refusal."""
        documents = {card.citation.document_id for card in self.cards}
        if not documents:
            return "nothing"
        return f"{counted(len(self.cards), 'quote')} from {counted(len(documents), 'document')}"


def answer_view(
    answer: Answer, context: ContextBlock | None, *, own_url: str = "", names: Mapping[str, str] | None = None
) -> AnswerView:
    """Number the citations in their order and put the numbers where the answer names their passages.

    Args: context: where the passages of the citations are; None shows the quotes alone.
          own_url: the answer's own page.
          names: the firm's names of kinds, by key.
    """
    passages = {passage.ref_id: passage for passage in context.passages} if context else {}
    return AnswerView(
        lines=tuple(tuple(_parts(line, answer.citations)) for line in answer.text.splitlines() if line.strip()),
        cards=tuple(
            _card(
                number,
                citation,
                passages.get(citation.ref_id),
                citation_url(citation, answer.citations, answer=own_url),
                name_of(citation.kind, names or {}),
            )
            for number, citation in enumerate(answer.citations, start=1)
        ),
    )


def plain_answer(answer: Answer) -> str:
    """Return its text without the marks, with what must stand under it."""
    return "\n\n".join((_REF_MARK.sub("", answer.text), *(each.text for each in answer.disclaimers)))


def _parts(line: str, citations: Sequence[Citation]) -> Iterator[Part]:
    end = 0
    for mark in _REF_MARK.finditer(line):
        if mark.start() > end:
            yield Part(text=line[end : mark.start()])
        end = mark.end()
        number = _number_of(mark.group(1), line, citations)
        # A mark without a citation stays as it was written: it says that something is wrong with it.
        yield Part(text=mark.group(1) if number else mark.group(0), number=number)
    if end < len(line):
        yield Part(text=line[end:])


def _number_of(ref_id: str, line: str, citations: Sequence[Citation]) -> int | None:
    """The citation of that passage whose quote stands in the line, or else the first one of the passage."""
    of_passage = [(number, each) for number, each in enumerate(citations, start=1) if each.ref_id == ref_id]
    quoted = [number for number, each in of_passage if each.quote and each.quote in line]
    return next(iter(quoted or [number for number, _ in of_passage]), None)


def _card(number: int, citation: Citation, passage: Passage | None, url: str, kind: str) -> CitationCard:
    before, quote, after = "", citation.quote, ""
    if passage is not None:
        text = passage.chunk.text
        start = citation.char_start - passage.chunk.char_start
        end = citation.char_end - passage.chunk.char_start
        before, quote, after = text[:start], text[start:end], text[end:]
    return CitationCard(
        number=number,
        citation=citation,
        kind=kind,
        url=url,
        before=before,
        quote=quote,
        after=after,
        trimmed=passage is not None and passage.trimmed,
        with_passage=passage is not None,
    )
