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
