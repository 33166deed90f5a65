"""Errors of research, with what to do about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class DoorError(CodedError):
    """What is wrong with a request that came through one of the doors for other programs."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "research.model_unknown": (
            404,
            "There is no model {model}. Use glassbox, or glassbox/ and the key of a scope that you hold. GET "
            "/v1/models lists them.",
        ),
    }


class ClaimCheckError(CodedError):
    """A text can't be checked; nothing was read."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "research.claims_empty": (422, "The text is empty. Send the draft, release or letter that you want checked."),
        "research.claims_too_long": (
            413,
            "The text has {length_chars} characters; at most {maximum_chars} are checked. Send it in parts.",
        ),
        "research.claims_too_many_sentences": (
            413,
            "The text has {sentences} sentences; at most {maximum} are checked. Send it in parts.",
        ),
        "research.claims_outdated": (
            409,
            "The policy or the documents changed faster than the text could be checked. Check it again.",
        ),
    }
