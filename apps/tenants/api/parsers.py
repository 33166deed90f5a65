"""JSON bodies that can be stored: what json.loads accepts and PostgreSQL or UTF-8 does not is refused here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser


class StrictJsonParser(JSONParser):
    """JSON without NaN, lone surrogates or nesting that exhausts the stack.

    Raises ParseError. `"\\ud800"` is valid JSON and becomes a str that no encoder takes; a body of 100,000 brackets is
    a RecursionError in the parser, which is not a ValueError.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            parsed = super().parse(stream, media_type, parser_context)
            json.dumps(parsed, ensure_ascii=False).encode()
        except RecursionError:
            raise ParseError("JSON parse error - it is nested too deeply") from None
        except UnicodeEncodeError:
            raise ParseError("JSON parse error - a string holds half of a surrogate pair") from None
        return parsed
