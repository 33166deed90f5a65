"""The subset of Markdown in which the templates are written: headings, paragraphs, lists and tables."""

from __future__ import annotations

from dataclasses import dataclass

PAGE_BREAK = "---"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    text: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of cells; the first row holds the headings."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBreak:
    """A page break: the text after it starts on a new page."""


Block = Heading | Paragraph | Table | PageBreak


def blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a template's text; the lines of a paragraph are joined."""
    found: list[Block] = []
    for part in _parts(text):
        first = part[0]
        if first == PAGE_BREAK:
            found.append(PageBreak())
        elif first.startswith("#"):
            marks, _, title = first.partition(" ")
            found.append(Heading(text=title, level=len(marks)))
        elif first.startswith("|"):
            rows = (tuple(cell.strip() for cell in line.strip("|").split("|")) for line in part)
            found.append(Table(rows=tuple(row for row in rows if not set("".join(row)) <= set("-: "))))
        else:
            found.append(Paragraph(text=" ".join(part)))
    return tuple(found)


def reflow(text: str) -> str:
    """Return the Markdown with one line per paragraph, as editors write it; headings, lists and tables stay as is."""
    return "\n\n".join("\n".join(_join(part)) for part in _parts(text)) + "\n"


def _join(part: list[str]) -> list[str]:
    if part[0].startswith(("#", "|", PAGE_BREAK)):
        return part
    lines: list[str] = []
    for line in part:
        if lines and not line.startswith("- "):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return lines


def _parts(text: str) -> list[list[str]]:
    """Split the text into runs of lines, at blank lines and around page breaks."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if line == PAGE_BREAK:
            parts += [[line], []]
        elif line.strip():
            parts[-1].append(line)
        else:
            parts.append([])
    return [part for part in parts if part]
