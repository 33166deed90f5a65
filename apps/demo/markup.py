"""The small Markdown that the templates are written in: headings, paragraphs, lists and tables."""

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
    """What follows starts on a new page."""


Block = Heading | Paragraph | Table | PageBreak


def blocks(text: str) -> tuple[Block, ...]:
    """Read a template's text, block by block; a paragraph's lines are joined."""
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


def reflowed(text: str) -> str:
    """The same Markdown with one line a paragraph, as editors write it; headings, lists and tables keep their lines."""
    return "\n\n".join("\n".join(_joined(part)) for part in _parts(text)) + "\n"


def _joined(part: list[str]) -> list[str]:
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
    """Runs of lines: split at blank lines, and around page breaks."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        if line == PAGE_BREAK:
            parts += [[line], []]
        elif line.strip():
            parts[-1].append(line)
        else:
            parts.append([])
    return [part for part in parts if part]
