"""Write a structured record as text, the same bytes on every machine, and say which field each part of it shows.

Headings are paths into the record, so that a citation's section names the field. Everything is shown: a field that is
empty says so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.contracts import BlockKind, Limits, Page
from apps.corpus.extraction.pages import BlockDraft, logical_pages
from apps.corpus.extraction.record_file import Path, RecordFile, RecordType, pointer
from apps.corpus.extraction.tables import SEPARATOR

# What a person looks for first of each type, in this order. All other fields follow by their names.
_FIRST: Final[Mapping[RecordType, tuple[str, ...]]] = {
    RecordType.WORKFLOW_OUTPUT: ("workflow", "run", "status", "started_at", "finished_at", "summary", "conclusion"),
    RecordType.EDIT_PATTERN: ("pattern", "section", "before", "after", "reason", "count"),
    RecordType.SCHEDULE: ("name", "frequency", "time_zone", "starts_on", "ends_on", "entries"),
    RecordType.DATA_PROFILE: ("dataset", "file", "rows", "columns"),
    RecordType.COMPLIANCE_CONFIGURATION: ("name", "version", "effective_from", "rules", "limits"),
}
# By which people call one of several things.
_CALLED: Final = ("name", "title", "id", "rule", "date")
_PAGE_CHARACTERS: Final = Limits().logical_page_characters
_LONG_VALUE: Final = 400  # characters: longer text is paragraphs of its own
_LONG_LINE: Final = 600
_LONGEST_PIECE: Final = 1_200  # with a name still well below a page, so that no block is cut between pages
_LONGEST_PATH: Final = 85  # what the section of a passage keeps of a heading
_HEADING_LEVEL: Final = 3  # below the title, which is the outer heading of every passage
_PLAIN_KEY: Final = re.compile(r"[^\s.\[\]\"]+(?: [^\s.\[\]\"]+)*\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """Characters of a page that show a field of the record. Pages count from 1, characters from 0."""

    page: int
    start: int
    end: int
    pointer: str


@dataclass(frozen=True, slots=True)
class _Shown:
    """A block, and which of its characters show what."""

    draft: BlockDraft
    spans: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a line: what it says, and the field that it shows."""

    text: str
    path: Path


def record_pages(record: RecordFile, *, page_characters: int = _PAGE_CHARACTERS) -> Iterator[Page]:
    """Return the pages of a record."""
    return logical_pages((shown.draft for shown in _shown(record)), page_characters=page_characters)


def record_places(record: RecordFile) -> tuple[Place, ...]:
    """Return which characters of which page show which field, in their order."""
    shown = list(_shown(record))
    blocks = [
        (page.number, block)
        for page in logical_pages((each.draft for each in shown), page_characters=_PAGE_CHARACTERS)
        for block in page.blocks
    ]
    return tuple(
        Place(number, block.char_start + start, block.char_start + end, field)
        for (number, block), each in zip(blocks, shown, strict=True)
        for start, end, field in each.spans
    )


def record_headings(record: RecordFile) -> frozenset[str]:
    """Return the lines of the text that head others."""
    return frozenset(shown.draft.text for shown in _shown(record) if shown.draft.kind is BlockKind.HEADING)


def pointers_at(places: Sequence[Place], *, page: int, start: int, end: int) -> tuple[str, ...]:
    """Return the JSON pointers of the fields that these characters show; of nested fields, the innermost alone."""
    found = [each.pointer for each in places if each.page == page and each.start < end and start < each.end]
    return tuple(
        each
        for each in dict.fromkeys(found)
        if not any(other != each and other.startswith(f"{each}/") for other in found)
    )


def _shown(record: RecordFile) -> Iterator[_Shown]:
    # A title may be nothing but characters that are not shown.
    yield _block(BlockKind.HEADING, [_Part(one_line(record.title) or record.type.label, ())], level=1)
    said = f"{record.type.label} {record.external_id} of {record.source}."
    yield _block(BlockKind.PARAGRAPH, [_Part(one_line(said), ())])
    first = [key for key in _FIRST[record.type] if key in record.body]
    rest = [key for key in _ordered(record.body) if key not in first]
    yield from _fields({key: record.body[key] for key in (*first, *rest)}, ())


def _ordered(value: Mapping[str, object]) -> list[str]:
    """Return an object's keys: what it is called, then the others by their names, whatever order they came in."""
    called = [key for key in _CALLED if key in value]
    return [*called, *sorted(value.keys() - set(called))]


def _fields(body: Mapping[str, object], path: Path) -> Iterator[_Shown]:
    """Return an object's own values, then what is nested in it: each value stands under the heading of its object."""
    nested: list[tuple[str, object]] = []
    for key, value in body.items():
        if _is_nested(value):
            nested.append((key, value))
        else:
            yield from _value(_named(key), value, (*path, key))
    for key, value in nested:
        yield from _nested(value, (*path, key))


def _nested(value: object, path: Path) -> Iterator[_Shown]:
    yield _block(BlockKind.HEADING, [_Part(_heading(path), path)], level=_HEADING_LEVEL)
    if isinstance(value, Mapping):
        yield from _fields({key: value[key] for key in _ordered(value)}, path)
        return
    for place, each in enumerate(value if isinstance(value, list) else ()):
        inside = (*path, place)
        row = _row(each, inside)
        if row is not None:
            yield _block(BlockKind.RECORD, row, separator=SEPARATOR)
        elif _is_nested(each):
            yield from _nested(each, inside)
        else:
            yield from _value(_name_of(inside), each, inside)


def _row(value: object, path: Path) -> list[_Part] | None:
    """Return a flat object of a list as one line, if it is short enough to be read as one."""
    if (
        not isinstance(value, Mapping)
        or not value
        or any(isinstance(each, list | Mapping) and each for each in value.values())
    ):
        return None
    parts = [
        _Part(_name_of(path), path),
        *(_Part(f"{_named(key)}: {_line(value[key])}", (*path, key)) for key in _ordered(value)),
    ]
    is_short = sum(len(part.text) + len(SEPARATOR) for part in parts) <= _LONG_LINE
    return parts if is_short and not any("\n" in each for each in value.values() if isinstance(each, str)) else None


def _value(name: str, value: object, path: Path) -> Iterator[_Shown]:
    """Return a value with its name: on one line if it is short, else as paragraphs."""
    if isinstance(value, list) and value:
        items = [_Part(_line(each), (*path, place)) for place, each in enumerate(value)]
        if sum(len(part.text) + 2 for part in items) <= _LONG_VALUE:
            yield _block(BlockKind.RECORD, items, before=f"{name}: ", separator=", ")
            return
        for place, each in enumerate(value):
            yield from _value(f"{name}[{place}]", each, (*path, place))
        return
    lines = value.splitlines() if type(value) is str else []
    pieces = [piece for line in lines for piece in _pieces(one_line(line))]
    if len(pieces) <= 1 and len(_line(value)) <= _LONG_VALUE:
        yield _block(BlockKind.RECORD, [_Part(f"{name}: {_line(value)}", path)])
        return
    for place, piece in enumerate(pieces):
        yield _block(BlockKind.PARAGRAPH, [_Part(piece if place else f"{name}: {piece}", path)])


def _block(kind: BlockKind, parts: Sequence[_Part], *, level: int = 0, before: str = "", separator: str = "") -> _Shown:
    spans: list[tuple[int, int, str]] = []
    at = len(before)
    for part in parts:
        # The name in front of a list belongs to its first item: every character of a field's line is the field's.
        spans.append((0 if not spans else at, at + len(part.text), pointer(part.path)))
        at += len(part.text) + len(separator)
    text = before + separator.join(part.text for part in parts)
    return _Shown(BlockDraft(kind, text, level=level), tuple(spans))


def _is_nested(value: object) -> bool:
    """Whether a value has values with names of their own, and so a heading; a list of plain values has none."""
    if isinstance(value, list):
        return any(isinstance(each, Mapping | list) and each for each in value)
    return isinstance(value, Mapping) and bool(value)


def _line(value: object) -> str:
    """Return a value that is not nested on one line."""
    if isinstance(value, str):
        return one_line(value) or '""'
    if isinstance(value, list) and value:
        return ", ".join(map(_line, value))
    return (
        {None: "null", True: "true", False: "false"}[value]
        if value is None or isinstance(value, bool)
        else ("[]" if isinstance(value, list) else "{}")
    )


def _pieces(text: str) -> Iterator[str]:
    while len(text) > _LONGEST_PIECE:
        cut = text.rfind(" ", _LONGEST_PIECE // 2, _LONGEST_PIECE)
        cut = cut if cut > 0 else _LONGEST_PIECE
        yield text[:cut].rstrip()
        text = text[cut:].lstrip()
    if text:
        yield text


def _name_of(path: Path) -> str:
    """Return a path as people write it: findings[0].evidence, and limits["a.b"] where a name would be taken apart."""
    name = ""
    for part in path:
        if isinstance(part, int):
            name += f"[{part}]"
        else:
            shown = _named(part)
            name += shown if shown.startswith("[") or not name else f".{shown}"
    return name


def _named(key: str) -> str:
    shown = one_line(key)
    return shown if _PLAIN_KEY.match(shown) else f"[{json.dumps(shown, ensure_ascii=False)}]"


def _heading(path: Path) -> str:
    name = _name_of(path)
    return name if len(name) <= _LONGEST_PATH else f"\u2026{name[1 - _LONGEST_PATH :]}"
