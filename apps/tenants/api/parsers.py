"""Bodies that say one thing and can be stored: what a library takes in silence and a reader would not is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import IO, Any, ClassVar, NoReturn, cast

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import DataAndFiles, JSONParser, MultiPartParser

from apps.tenants.api.forms import NUL

_HALF = "Contains half a surrogate pair, which is not a character."


class StrictJsonParser(JSONParser):
    """JSON in UTF-8, as RFC 8259 has it, without NaN, repeated names or nesting that exhausts the stack.

    `"\\ud800"` is valid JSON and becomes a str that no encoder takes; no table here takes a NUL. Both are refused where
    they stand. A body of 100,000 brackets is a RecursionError, which is not a ValueError.

    number: a type of text that numbers are kept as, as they are written; None for Python's own numbers.
    Raises: ParseError; ValidationError, by field.
    """

    number: ClassVar[type[str] | None] = None

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            parsed = json.loads(
                stream.read().decode(),
                parse_int=self.number,
                parse_float=self.number,
                parse_constant=_refuse,
                object_pairs_hook=_once,
            )
            problems = dict(_unstorable(parsed, ()))
        except RecursionError:
            raise ParseError("The body is not valid JSON: it is nested too deeply.") from None
        except UnicodeDecodeError:
            raise ParseError("The body is not valid JSON: it is not UTF-8.") from None
        except ValueError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from None
        if problems:
            raise ValidationError({place: [problem] for place, problem in problems.items()})
        return parsed


class StrictMultiPartParser(MultiPartParser):
    """A form of which every part was read.

    Django passes over a part without a name, or a file without one, and takes a body that was cut off for all of it.

    Raises: ParseError.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> DataAndFiles[Any, Any]:
        _, about = parse_header_parameters(media_type or "")
        counted = CountedParts(stream, boundary=about.get("boundary", ""))
        parsed = super().parse(cast("IO[Any]", counted), media_type, parser_context)
        read = sum(len(values) for form in (parsed.data, parsed.files) for _, values in form.lists())
        if not counted.is_closed:
            raise ParseError("The form was cut off: its closing boundary is missing. Send it again.")
        if read != counted.parts:
            raise ParseError(
                f"Of the form's {counted.parts} parts, {read} can be read. Give each part a name, and each file "
                "a filename."
            )
        return parsed


class CountedParts:
    """A stream that counts the boundaries that pass, wherever it is cut into pieces."""

    def __init__(self, stream: IO[Any], *, boundary: str) -> None:
        self.parts = 0
        self.is_closed = False
        self._stream = stream
        self._boundary = b"--" + boundary.encode("ascii", errors="ignore")
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        piece: bytes = self._stream.read(size)
        seen, start = self._rest + piece, 0
        while (at := seen.find(self._boundary, start)) >= 0:
            after = at + len(self._boundary)
            if len(seen) < after + 2 and piece:
                # What follows tells which boundary it is, and is still to come.
                self._rest = seen[at:]
                return piece
            self.is_closed = self.is_closed or seen.startswith(b"--", after)
            self.parts += not seen.startswith(b"--", after)
            start = after
        self._rest = seen[max(start, len(seen) - len(self._boundary) + 1) :]
        return piece


def _unstorable(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Where a text stands that no table takes, and why."""
    if isinstance(value, str):
        problem = NUL if "\0" in value else _HALF if not _encodes(value) else ""
        if problem:
            yield ".".join(path) or "non_field_errors", problem
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _unstorable(each, (*path, str(place)))
    elif isinstance(value, dict):
        for name, each in value.items():
            if "\0" in name or not _encodes(name):
                yield from _unstorable(name, path)
            else:
                yield from _unstorable(each, (*path, name))


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        shown = twice if _encodes(twice) and "\0" not in twice else "non_field_errors"
        raise ValidationError({shown: ["Appears twice in one object. Send it once."]})
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
