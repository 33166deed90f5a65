"""Plain text and Markdown, line by line, as streams of block drafts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from apps.corpus.extraction.cleaning import clean, one_line
from apps.corpus.extraction.contracts import BlockKind
from apps.corpus.extraction.headings import heading_level, is_title_case, item_of
from apps.corpus.extraction.numerals import is_amount, is_period
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.tables import SEPARATOR, plain_row

_BULLET = re.compile(r"^\s{0,12}(?:[-*+•\u2013]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?=\S)")
_RULED = re.compile(r"^\s*[-=*_~#]{3,}\s*$")
_ATX = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)\s*$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_CELL_BREAK = re.compile(r"(?<!\\)\|")
# Bounded repeats: unbounded ones take quadratic time on a file made of opening brackets.
_LINK = re.compile(r"!?\[([^\]\[]{0,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"]{0,300}\")?\)")
_EMPHASIS = re.compile(r"(?<![\w*_])(\*{1,3}|_{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?![\w*_])")
_INLINE_TAG = re.compile(r"</?(?:br|b|i|em|strong|sub|sup|span|u|code|p|div)\b[^<>]{0,200}>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_HEADING_MAX = 100
_WRAPPED_LINE = 50  # characters: shorter lines are taken to end where they end
_MAX_MARKUP_LINE = 2_000  # characters: a longer line is text, whatever it begins with
_GAP = re.compile(r"\t+|\s{2,}")


def text_drafts(text: str) -> Iterator[BlockDraft]:
    """Blank lines divide paragraphs; wrapped lines are joined; titles, bullets and spaced tables are recognised."""
    lines = clean(text).split("\n")
    ends_early = min(_WRAPPED_LINE, max((len(line) for line in lines[:400]), default=0) * 0.6)
    group: list[str] = []
    names: list[str] = []
    for line in [*lines, ""]:
        stripped = line.strip()
        cells = _GAP.split(stripped) if len(stripped) < _MAX_MARKUP_LINE else []
        row = _spaced_row(cells, names)
        if row is not None or not stripped or _RULED.match(stripped[:200]):
            yield from _paragraph(group)
            group = []
            if row is not None:
                yield row
                names = cells if row.kind is BlockKind.TABLE_HEADER else names
        elif group and (_BULLET.match(line) or len(group[-1]) < ends_early):
            yield from _paragraph(group)
            group = [stripped]
        else:
            group.append(stripped)


def _spaced_row(cells: Sequence[str], names: Sequence[str]) -> BlockDraft | None:
    """A line whose cells are set apart by tabs or several spaces, if it has numbers or heads some."""
    if len(cells) < 2:
        return None
    cells = [one_line(cell) for cell in cells]
    if all(is_period(cell) for cell in cells[1:]):
        return BlockDraft(BlockKind.TABLE_HEADER, SEPARATOR.join(cells))
    if not any(is_amount(cell) for cell in cells[1:]):
        return None
    fitting = ["", *names] if len(names) == len(cells) - 1 else names if len(names) == len(cells) else []
    return BlockDraft(BlockKind.TABLE_ROW, plain_row(fitting, cells, label_first=True))


def _paragraph(lines: list[str]) -> Iterator[BlockDraft]:
    if not lines:
        return
    text = one_line(" ".join(lines))
    if not text:
        return
    if _BULLET.match(lines[0]):
        yield BlockDraft(BlockKind.LIST_ITEM, text)
    elif len(lines) == 1 and len(text) < _HEADING_MAX and (is_title_case(text) or item_of(text) or _is_capitals(text)):
        yield BlockDraft(BlockKind.HEADING, text, level=heading_level(text))
    else:
        yield BlockDraft(BlockKind.PARAGRAPH, text)


def _is_capitals(text: str) -> bool:
    return text.isupper() and len(text) > 3 and not text.endswith((".", ","))


class MarkdownReading:
    """Walks a Markdown file: headings, lists, fenced code, tables, paragraphs."""

    def __init__(self, text: str) -> None:
        self._lines = _COMMENT.sub("", clean(text)).split("\n")
        self._at = 0
        self.title: str | None = None

    def drafts(self) -> Iterator[BlockDraft]:
        """Block drafts in order; `title` is the first heading once that has passed."""
        if self._lines and self._lines[0].strip() == "---":
            self._skip_front_matter()
        group: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            special = self._special(line, group)
            if special is None:
                if group and (not line.strip() or _BULLET.match(line)):
                    yield from self._flow(group)
                    group = []
                if line.strip():
                    group.append(line)
                self._at += 1
                continue
            if group:
                yield from self._flow(group)
                group = []
            yield from special
        if group:
            yield from self._flow(group)

    def _special(self, line: str, group: list[str]) -> Iterator[BlockDraft] | None:
        """The drafts of what begins at this line, if it is more than running text."""
        if len(line) > _MAX_MARKUP_LINE:
            return None
        if _FENCE.match(line):
            return self._code(line)
        following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else ""
        following = following if len(following) <= _MAX_MARKUP_LINE else ""
        heading = _ATX.match(line)
        if heading:
            return self._heading(heading.group(2), len(heading.group(1)), lines=1)
        if not group and line.strip() and _SETEXT.match(following) and not _BULLET.match(line):
            return self._heading(line, 1 if following.strip()[0] == "=" else 2, lines=2)
        if "|" in line and "|" in following and _TABLE_RULE.match(following):
            return self._table()
        if _RULED.match(line):
            self._at += 1
            return iter(())
        return None

    def _heading(self, text: str, level: int, *, lines: int) -> Iterator[BlockDraft]:
        self._at += lines
        text = inline_text(text)
        if text:
            if self.title is None:
                self.title = text
            yield BlockDraft(BlockKind.HEADING, text, level=level)

    def _code(self, opening: str) -> Iterator[BlockDraft]:
        match = _FENCE.match(opening)
        fence = match.group(1) if match else "```"
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip().startswith(fence):
                return
            if line.strip():
                yield BlockDraft(BlockKind.CODE, line.rstrip())

    def _table(self) -> Iterator[BlockDraft]:
        names = _table_cells(self._lines[self._at])
        header = SEPARATOR.join(name for name in names if name)
        if header:
            yield BlockDraft(BlockKind.TABLE_HEADER, header)
        self._at += 2
        while self._at < len(self._lines) and "|" in self._lines[self._at] and self._lines[self._at].strip():
            text = plain_row(names, _table_cells(self._lines[self._at]), label_first=True)
            self._at += 1
            if text:
                yield BlockDraft(BlockKind.TABLE_ROW, text)

    def _skip_front_matter(self) -> None:
        for position in range(1, min(len(self._lines), 200)):
            if self._lines[position].strip() in ("---", "..."):
                self._at = position + 1
                return

    def _flow(self, group: list[str]) -> Iterator[BlockDraft]:
        kind = BlockKind.LIST_ITEM if _BULLET.match(group[0]) else BlockKind.PARAGRAPH
        text = inline_text(" ".join(line.strip().lstrip(">").strip() for line in group))
        if text:
            yield BlockDraft(kind, text)


def inline_text(text: str) -> str:
    """Markdown's inline marks taken off: emphasis, code ticks, links (their words stay), tags, escapes."""
    text = _LINK.sub(r"\1", _INLINE_TAG.sub(" ", text))
    text = _EMPHASIS.sub(r"\2", text).replace("`", "")
    return one_line(re.sub(r"\\([\\`*_{}\[\]()#+.!|>~-])", r"\1", text))


def _table_cells(line: str) -> list[str]:
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [inline_text(cell) for cell in _CELL_BREAK.split(line)]
