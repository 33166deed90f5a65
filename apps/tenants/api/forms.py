"""What is sent as names and values, in an address or a form: each once, with a value, in UTF-8.

A framework takes the last of two, an empty text for none, and a broken byte for another character. Whoever sent
`kind=run&kind=schedule` would believe that both were heeded.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final
from urllib.parse import unquote_to_bytes

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict

REPEATED: Final = "Sent {times} times. Send it once."
EMPTY: Final = "Empty. Enter a value, or omit it."
NO_UTF_8: Final = "Not UTF-8. Encode the text as UTF-8."
NUL: Final = "Contains a NUL character, which is not allowed in text."
# What a decoder puts in the place of bytes that are no UTF-8.
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def form_problems(form: QueryDict, *, lists: Container[str] = (), flags: Container[str] = ()) -> dict[str, list[str]]:
    """Return the problems of a form by field name, so that readers get no invalid value.

    Args: lists: names that may come more than once.
          flags: names that stand without a value.
    """
    found: dict[str, list[str]] = {}
    for name, values in form.lists():
        if len(values) > 1 and name not in lists:
            found[name] = [REPEATED.format(times=len(values))]
            continue
        problem = next((problem for value in values if (problem := _problem(value))), "")
        if problem and not (problem == EMPTY and name in flags):
            found[name] = [problem]
    return found


def undecodable(query_string: str) -> list[str]:
    """The parameters of an address whose bytes are no UTF-8."""
    found = []
    for pair in query_string.split("&"):
        try:
            unquote_to_bytes(pair).decode()
        except UnicodeDecodeError:
            found.append(unquote_to_bytes(pair.partition("=")[0]).decode(errors="replace"))
    return found


def _problem(value: str | UploadedFile[bytes]) -> str:
    if isinstance(value, UploadedFile):
        return ""
    if not value.strip():
        return EMPTY
    if "\0" in value:
        return NUL
    return NO_UTF_8 if _REPLACEMENT in value else ""
