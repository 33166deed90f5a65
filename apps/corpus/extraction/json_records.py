"""JSON and JSON Lines: every value is written with its path, numbers exactly as they stand in the file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from apps.corpus.extraction.cleaning import lost_characters, one_line
from apps.corpus.extraction.contracts import BlockKind, ExtractionWarning, Limits, WarningCode, characters_lost
from apps.corpus.extraction.errors import CorruptFileError, TooComplexError
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.tables import SEPARATOR

_LONG_VALUE = 400  # characters: longer text is a paragraph of its own
_SAMPLE_LINES = 20
_TITLE_KEYS = ("title", "name", "heading", "label")


class JsonReading:
    """One JSON file being read: its records as drafts, and the broken lines of JSON Lines as warnings."""

    def __init__(self, text: str, *, filename: str, limits: Limits) -> None:
        self._text = text
        self._filename = filename
        self._limits = limits
        self._values = 0
        self._repeated: list[str] = []  # of the value that was parsed last
        self._lost = 0
        self.warnings: list[ExtractionWarning] = []
        self.title: str | None = None

    def drafts(self) -> Iterator[BlockDraft]:
        """One draft a record; an object's own values one a line.

        Raises: CorruptFileError: neither the whole nor any line of it is JSON; TooComplexError: too deep or too long.
        """
        yield from self._drafts()
        if self._lost:
            self.warnings.append(characters_lost(self._lost))

    def _drafts(self) -> Iterator[BlockDraft]:
        try:
            value = self._parse(self._text)
        except json.JSONDecodeError as error:
            if not self._is_json_lines():
                reason = f"{error.msg} in line {error.lineno}, column {error.colno}"
                raise CorruptFileError(filename=self._filename, reason=reason) from error
            yield from self._json_lines()
            return
        self._warn_repeated(row=None)
        if isinstance(value, dict):
            self.title = next((one_line(value[key]) for key in _TITLE_KEYS if isinstance(value.get(key), str)), None)
        yield from self._value(value, "", 0)

    def _json_lines(self) -> Iterator[BlockDraft]:
        for number, line in enumerate(self._text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                value = self._parse(line)
            except json.JSONDecodeError as error:
                self._warn(WarningCode.RECORD_BROKEN, f"{error.msg}, column {error.colno}", row=number)
                continue
            self._warn_repeated(row=number)
            yield from self._record(value, "", 0)

    def _is_json_lines(self) -> bool:
        """Is at least every second line JSON by itself? A broken object of many lines is not."""
        lines = [line for line in self._text.splitlines() if line.strip()][:_SAMPLE_LINES]
        return len(lines) > 1 and sum(map(self._is_record, lines)) * 2 >= len(lines)

    def _is_record(self, line: str) -> bool:
        try:
            return isinstance(self._parse(line), (dict, list))
        except json.JSONDecodeError:
            return False

    def _warn(self, code: WarningCode, detail: str, *, row: int | None) -> None:
        if len(self.warnings) < self._limits.max_warnings:
            self.warnings.append(ExtractionWarning(code=code, detail=detail, row=row))
        elif len(self.warnings) == self._limits.max_warnings:
            detail = f"more than {self._limits.max_warnings} records have something wrong; the others are not listed"
            self.warnings.append(ExtractionWarning(code=WarningCode.MORE_WARNINGS, detail=detail))

    def _warn_repeated(self, *, row: int | None) -> None:
        for key, times in Counter(self._repeated).items():
            detail = f'the key "{one_line(key)[:80]}" appears more than once in one object'
            others = "only its last value was read" if times == 1 else f"{times} values were not read"
            self._warn(WarningCode.KEY_REPEATED, f"{detail}: {others}", row=row)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                self._repeated.append(key)
            found[key] = value
        return found

    def _parse(self, text: str) -> Any:
        self._repeated = []
        # Numbers stay the text they are: 1577.00 must not become 1577.0, nor a long ISIN-like integer a float.
        try:
            return json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=self._object)
        except RecursionError as error:
            raise self._too_deep() from error

    def _value(self, value: Any, path: str, depth: int) -> Iterator[BlockDraft]:
        """An object as a heading and its values; a list as its records."""
        if depth > self._limits.max_json_depth:
            raise self._too_deep()
        if isinstance(value, dict):
            if path:
                yield BlockDraft(BlockKind.HEADING, path, level=min(depth, 6))
            for key, child in value.items():
                child_path = _joined(path, self._name(key))
                if isinstance(child, (dict, list)) and child:
                    yield from self._value(child, child_path, depth + 1)
                else:
                    yield from self._leaf(child_path, child)
        elif isinstance(value, list):
            for position, child in enumerate(value):
                yield from self._record(child, f"{path}[{position}]" if path else "", depth + 1)
        else:
            yield from self._leaf(path, value)

    def _record(self, value: Any, path: str, depth: int) -> Iterator[BlockDraft]:
        """One record on one line, its long texts on lines of their own."""
        fields: list[str] = [path] if path else []
        long_texts: list[BlockDraft] = []
        for name, leaf in self._leaves(value, "", depth):
            if len(leaf) > _LONG_VALUE:
                long_texts.append(BlockDraft(BlockKind.PARAGRAPH, f"{_joined(path, name)}: {leaf}"))
            elif leaf:
                fields.append(f"{name}: {leaf}" if name else leaf)
        if len(fields) > bool(path):
            yield BlockDraft(BlockKind.RECORD, SEPARATOR.join(fields))
        yield from long_texts

    def _leaves(self, value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
        if depth > self._limits.max_json_depth:
            raise self._too_deep()
        if isinstance(value, dict):
            for key, child in value.items():
                yield from self._leaves(child, _joined(path, self._name(key)), depth + 1)
        elif isinstance(value, list):
            if value and all(not isinstance(child, (dict, list)) for child in value):
                self._count(len(value))
                yield path, ", ".join(self._shown(child) for child in value)
                return
            for position, child in enumerate(value):
                yield from self._leaves(child, f"{path}[{position}]", depth + 1)
        else:
            self._count(1)
            yield path, self._shown(value)

    def _leaf(self, path: str, value: Any) -> Iterator[BlockDraft]:
        self._count(1)
        text = self._shown(value)
        if text:
            kind = BlockKind.PARAGRAPH if len(text) > _LONG_VALUE else BlockKind.RECORD
            yield BlockDraft(kind, f"{path}: {text}" if path else text)

    def _name(self, key: str) -> str:
        self._lost += lost_characters(key)
        return one_line(key) or '""'

    def _shown(self, value: Any) -> str:
        if isinstance(value, str):
            self._lost += lost_characters(value)
            return one_line(value)
        if value is None or isinstance(value, (dict, list)):
            return ""
        return "true" if value is True else "false" if value is False else str(value)

    def _count(self, values: int) -> None:
        self._values += values
        if self._values > self._limits.max_table_cells:
            raise TooComplexError(filename=self._filename, what="values", limit=self._limits.max_table_cells)

    def _too_deep(self) -> TooComplexError:
        return TooComplexError(filename=self._filename, what="levels of nesting", limit=self._limits.max_json_depth)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name
