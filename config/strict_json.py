"""Read JSON that has one meaning and can be stored, with one error for what json.loads accepts or fails on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn


class InvalidJsonError(ValueError):
    """The JSON can't be read. The text gives the reason as the end of a sentence: "it is nested too deeply"."""


def strict_json(content: bytes, *, number: Callable[[str], Any] | None = None) -> Any:
    """Read JSON in UTF-8, as RFC 8259 defines it.

    `"\\ud800"` is valid JSON and becomes a str that can't be encoded. 100,000 brackets raise a RecursionError, which is
    no ValueError. If a name occurs twice in an object, json.loads silently keeps the last value.

    Args:   number: makes a number of the text that stands for it. By default a Python number; 1e400 is too large.
    Raises: InvalidJsonError.
    """
    try:
        parsed = json.loads(
            content.decode(),
            parse_int=number,
            parse_float=number or finite,
            parse_constant=_refuse,
            object_pairs_hook=_object,
        )
        json.dumps(parsed, ensure_ascii=False).encode()
    except InvalidJsonError:
        raise
    except RecursionError:
        raise InvalidJsonError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise InvalidJsonError("a string holds half a surrogate pair") from None
    except UnicodeDecodeError:
        raise InvalidJsonError("it is not UTF-8") from None
    except ValueError as error:
        raise InvalidJsonError(str(error)) from None
    return parsed


def finite(written: str) -> float:
    """Return a number that Python would otherwise take for infinite. Raises: ValueError."""
    value = float(written)
    if math.isinf(value):
        raise ValueError(f"the number {written[:40]} is too large")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidJsonError(f"the name {name[:60]!a} stands twice in an object")
        found[name] = value
    return found


def _refuse(constant: str) -> NoReturn:
    raise InvalidJsonError(f"{constant} is no JSON number")
