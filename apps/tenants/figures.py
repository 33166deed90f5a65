"""Numbers in sentences that compare them, with as many digits as the difference needs."""

from __future__ import annotations

from math import isclose
from typing import Final

# All significant decimal places of a float between 0 and 1.
_MOST: Final = 17


def told_apart(less: float, more: float, *, digits: int = 2, of_more: int | None = None) -> tuple[str, str]:
    """Return both numbers as texts that differ if the numbers do: 0.3467 and 0.35, and not 0.35 twice.

    Args: less: the smaller number.
          digits: the fewest digits after the point; more are used if the difference needs them.
          of_more: the fewest digits for `more`, if they differ from `digits`.
    """
    return _apart(less, more, digits, digits if of_more is None else of_more, "f")


def shares_told_apart(less: float, more: float, *, digits: int = 0, of_more: int = 0) -> tuple[str, str]:
    """Do the same for shares in per cent: 84.6% and 85%."""
    return _apart(less, more, digits, of_more, "%")


def _apart(less: float, more: float, digits: int, of_more: int, kind: str) -> tuple[str, str]:
    shown = f"{more:.{of_more}{kind}}"
    is_whole = isclose(_read(shown), more * (100 if kind == "%" else 1), rel_tol=1e-12)
    for places in range(digits, _MOST):
        told = f"{less:.{places}{kind}}"
        if not is_whole:
            shown = f"{more:.{max(of_more, places)}{kind}}"
        if less >= more or _read(told) < _read(shown):
            return told, shown
    return repr(less), repr(more)


def _read(text: str) -> float:
    return float(text.removesuffix("%"))
