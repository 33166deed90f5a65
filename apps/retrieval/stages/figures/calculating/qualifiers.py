"""The words that make another figure of a figure: adjusted, organic, like for like. A row holds them or it does not."""

from __future__ import annotations

import re
from typing import Final

_QUALIFIERS: Final[tuple[tuple[str, str], ...]] = (
    ("adjusted", r"(?<!un)adjusted|adj\.|underlying|normali[sz]ed|bereinigte?[nrsm]?"),
    ("organic", r"organic(?:ally)?|organisch\w*"),
    ("comparable", r"comparable|like[\s-]for[\s-]like|lfl|vergleichbar\w*|fl\u00e4chenbereinigt\w*"),
    (
        "constant",
        r"constant\s+(?:currenc\w+|exchange\s+rates?)|currency[\s-](?:adjusted|neutral)|w\u00e4hrungsbereinigt\w*",
    ),
    ("pro forma", r"pro[\s-]?forma"),
    ("discontinued", r"discontinued|aufgegebene[nrsm]?"),
)
_PATTERNS: Final = tuple((name, re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)) for name, pattern in _QUALIFIERS)


def qualifiers_in(text: str) -> frozenset[str]:
    """Return the qualifiers that a text names, in either language, under one name each."""
    return frozenset(name for name, pattern in _PATTERNS if pattern.search(text))
