"""A structured record as a file that we write ourselves: one line of JSON, whatever order its keys came in.

It is the original of a document, as a PDF is of another: what the record says, what its source calls it, and what is
known about it. Numbers stay the text that they were: 1577.00 must not become 1577.0, nor a long id a float.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from apps.corpus.extraction.errors import CorruptFileError
from config.strict_json import InvalidJsonError, strict_json

RECORD_BEGINS: Final = b'{"glassbox_record":1,'
MAX_RECORD_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 16
MAX_VALUES: Final = 20_000
MAX_KEY_CHARS: Final = 200
MAX_NUMBER_CHARS: Final = 64
_MOST_PROBLEMS: Final = 20
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LINE_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_HALF: Final = re.compile("[\ud800-\udfff]")

Path = tuple[str | int, ...]


class RecordType(StrEnum):
    """What a record is. A data profile is made by the product, of a CSV file, and by nobody else."""

    WORKFLOW_OUTPUT = "workflow_output"
    EDIT_PATTERN = "edit_pattern"
    SCHEDULE = "schedule"
    DATA_PROFILE = "data_profile"
    COMPLIANCE_CONFIGURATION = "compliance_configuration"

    @property
    def label(self) -> str:
        return self.value.replace("_", " ").capitalize()


class Number(str):
    """A number of a JSON text, as it is written there."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFile:
    """A record. about: what is known of it besides (title, company, ...). body: JSON's types, numbers as Number."""

    type: RecordType
    source: str
    external_id: str
    about: Mapping[str, Any]
    body: Mapping[str, Any]

    @property
    def title(self) -> str:
        return str(self.about["title"])


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordProblem:
    """What is wrong with a record, and where: the keys and positions that lead there."""

    path: Path
    reason: str


def pointer(path: Path) -> str:
    """Return the path as a JSON pointer (RFC 6901); the whole record is ""."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def write_record(record: RecordFile) -> bytes:
    """Return the file. Equal records give equal bytes."""
    rest = {
        "about": record.about,
        "body": record.body,
        "external_id": record.external_id,
        "source": record.source,
        "type": record.type.value,
    }
    return RECORD_BEGINS + _written(rest)[1:].encode() + b"\n"


def read_record(content: bytes, *, filename: str) -> RecordFile:
    """Read a file that begins as a record does. Nothing in it is trusted: anybody may upload one.

    Raises: CorruptFileError.
    """
    try:
        read = exact_json(content)
        record = RecordFile(
            type=RecordType(read["type"]),
            source=read["source"],
            external_id=read["external_id"],
            about=read["about"],
            body=read["body"],
        )
        texts = (record.source, record.external_id, record.about["title"])
        if set(read) != {"glassbox_record", "about", "body", "external_id", "source", "type"} or not all(
            type(text) is str and text.strip() for text in texts
        ):
            raise ValueError("not a record's fields")  # noqa: TRY301 - one answer for all that is wrong
    except InvalidJsonError as error:
        raise CorruptFileError(filename=filename, reason=str(error)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptFileError(filename=filename, reason="it is not a whole record") from error
    for problem in body_problems(record.body):
        raise CorruptFileError(filename=filename, reason=f"its body {problem.reason}")
    return record


def exact_json(content: bytes) -> Any:
    """Read JSON with numbers as Number. Raises: InvalidJsonError."""
    return strict_json(content, number=Number)


def body_problems(body: object) -> list[RecordProblem]:
    """Return what keeps a body from being stored as a record, each as the end of a sentence; at most twenty.

    Args: body: JSON's types, as exact_json reads them.
    """
    if not isinstance(body, Mapping):
        return [RecordProblem(path=(), reason="must be an object")]
    if not body:
        return [RecordProblem(path=(), reason="must not be empty")]
    found: list[RecordProblem] = []
    for values, (path, value) in enumerate(_walk(body)):
        if values > MAX_VALUES:
            return [*found, RecordProblem(path=(), reason=f"has more than {MAX_VALUES:,} values")]
        if len(path) > MAX_DEPTH:
            return [*found, RecordProblem(path=path[:MAX_DEPTH], reason=f"is nested deeper than {MAX_DEPTH} levels")]
        reason = _key_problem(path[-1]) if path else ""
        # A name that can't be stored can't be shown in the place of the error either.
        place = path[:-1] if reason else path
        reason = reason or _value_problem(value)
        if reason:
            found.append(RecordProblem(path=place, reason=reason))
            if len(found) == _MOST_PROBLEMS:
                return found
    return found


def texts_of(value: object) -> Iterator[str]:
    """Return every key and every text and number in a value of JSON."""
    for path, each in _walk(value):
        if path and isinstance(path[-1], str):
            yield path[-1]
        if isinstance(each, str):
            yield each


def _walk(value: object) -> Iterator[tuple[Path, object]]:
    # Without recursion: the depth is checked by who calls.
    waiting: list[tuple[Path, object]] = [((), value)]
    while waiting:
        path, each = waiting.pop()
        yield path, each
        if len(path) > MAX_DEPTH:
            continue
        if isinstance(each, Mapping):
            waiting += [((*path, key), child) for key, child in reversed([*each.items()])]
        elif isinstance(each, list):
            waiting += [((*path, place), child) for place, child in reversed(list(enumerate(each)))]


def _key_problem(key: str | int) -> str:
    if isinstance(key, int):
        return ""
    if not key.strip():
        return "has an empty name"
    if len(key) > MAX_KEY_CHARS:
        return f"has a name of more than {MAX_KEY_CHARS} characters"
    if found := _LINE_CONTROL.search(key):
        return f"has a name with the control character U+{ord(found[0]):04X}"
    return "has a name with half a surrogate pair, which is not a character" if _HALF.search(key) else ""


def _value_problem(value: object) -> str:
    if isinstance(value, Number):
        return "is a number of too many digits" if len(value) > MAX_NUMBER_CHARS else ""
    if isinstance(value, str):
        if found := _CONTROL.search(value):
            return f"contains the control character U+{ord(found[0]):04X}"
        return "contains half a surrogate pair, which is not a character" if _HALF.search(value) else ""
    return "" if value is None or isinstance(value, bool | list | Mapping) else "is no value of JSON"


def _written(value: object) -> str:
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_written(key)}:{_written(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
