"""JSON bodies that can be stored: what json.loads accepts and PostgreSQL or UTF-8 does not is refused here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StrictJsonParser(JSONParser):
    """JSON in UTF-8, as RFC 8259 has it, without NaN, lone surrogates or nesting that exhausts the stack.

    `"\\ud800"` is valid JSON and becomes a str that no encoder takes. A body of 100,000 brackets is a RecursionError,
    which is not a ValueError.

    Raises: ParseError.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            parsed = json.loads(stream.read().decode(), parse_constant=_refuse)
            json.dumps(parsed, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("The body is no JSON that can be read: it is nested too deeply.") from None
        except UnicodeEncodeError:
            raise ParseError("The body is no JSON that can be read: a string holds half a surrogate pair.") from None
        except UnicodeDecodeError:
            raise ParseError("The body is no JSON that can be read: it is not UTF-8.") from None
        except ValueError as error:
            raise ParseError(f"The body is no JSON that can be read: {error}.") from None
        return parsed


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")
