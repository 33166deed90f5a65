"""A run's answer as Markdown, with its references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.research.runs.contracts import Cell, Result, Sentence, Source, Table

# Of Markdown, and of what its readers make a link of where none is marked: addresses, mail, and mathematics.
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|#~&$:@]|(?<=[wW]{3})\.)")


def as_markdown(result: Result, *, question: str = "") -> str:
    """Return the answer. What documents say is escaped: it formats nothing and links nowhere."""
    return "\n".join(_lines(result, question)).strip() + "\n"


def _lines(result: Result, question: str) -> Iterator[str]:
    if question:
        yield from (f"# {_plain(question)}", "")
    for section in result.sections:
        yield from (f"## {_plain(section.title)}", "")
        yield from (f"- {_sentence(each)}" for each in section.sentences)
        yield ""
    if result.table is not None:
        yield from ("## Figures", "", *_table(result.table), "")
    if result.gaps:
        yield from ("## Not found", "", *(f"- {_plain(each)}" for each in result.gaps), "")
    if result.notices:
        yield from ("## Notes", "", *(f"- {_plain(each)}" for each in result.notices), "")
    yield from (
        "## How sure this is",
        "",
        f"Confidence {result.confidence} of 100; stopped by: {result.stopped_by}.",
        "",
    )
    yield from (f"- {each.name} {each.value}: {_plain(each.reason)}" for each in result.scores)
    yield from ("", "## Sources", "")
    yield from (_source(each) for each in result.sources)
    if result.disclaimers:
        yield from ("", *(_plain(each) for each in result.disclaimers))


def _sentence(sentence: Sentence) -> str:
    doubt = "" if sentence.grounded else " (not wholly supported by its sources)"
    return f"{_plain(sentence.text)}{_marks(sentence.marks)}{doubt}"


def _table(table: Table) -> Iterator[str]:
    yield f"| | {' | '.join(_plain(each) for each in table.columns)} |"
    yield f"| --- |{' --- |' * len(table.columns)}"
    for row in table.rows:
        yield f"| {_plain(row.label)} | {' | '.join(_cell(each) for each in row.cells)} |"


def _cell(cell: Cell) -> str:
    return f"{_plain(cell.text)}{_marks(cell.marks)}"


def _marks(marks: tuple[str, ...]) -> str:
    return "".join(f" \\[{mark}\\]" for mark in marks)


def _source(source: Source) -> str:
    section = f", {_plain(source.section)}" if source.section else ""
    return (
        f"- \\[{source.mark}\\] {_plain(source.title)}, version {source.version}, page {source.page}{section}. "
        f"Confidence {source.confidence}, relevance {source.relevance}. “{_plain(source.quote)}” {source.url}"
    )


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
