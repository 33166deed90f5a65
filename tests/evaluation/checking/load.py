"""Read the cases by which the grounding check is measured."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from apps.quality.evaluation.checking_cases import Case, read_cases

__all__ = ["Case", "cases"]

_FOLDER: Final = Path(__file__).parent


@cache
def cases(set_: str) -> tuple[Case, ...]:
    """Return the cases of a set, `open` or `kept`."""
    return read_cases(_FOLDER, set_)
