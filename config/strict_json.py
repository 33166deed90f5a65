"""JSON that can be read in one way and stored; for what json.loads lets through or fails on otherwise, one error."""

from __future__ import annotations

import json
from typing import Any, NoReturn


class InvalidJsonError(ValueError):
    """Why it can't be read, as the end of a sentence: "it is nested too deeply"."""


def strict_json(content: bytes) -> Any:
    """Read JSON in UTF-8, as RFC 8259 has it.

    `"\\ud800"` is valid JSON and becomes a str that no encoder takes. 100,000 brackets are a RecursionError, which is
    no ValueError. Of a name that stands twice in an object, json.loads keeps the last value and says nothing.

    Raises: InvalidJsonError.
    """
    try:
        parsed = json.loads(content.decode(), parse_constant=_refuse, object_pairs_hook=_object)
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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidJsonError(f"the name {name[:60]!a} stands twice in an object")
        found[name] = value
    return found


def _refuse(constant: str) -> NoReturn:
    raise InvalidJsonError(f"{constant} is no JSON number")
