"""How long the readers of text take where something is repeated thousands of times: no pattern may grow as its square.

A file or a question can hold any text, and Python's patterns go back over what they have read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import pytest

from apps.filings.contracts import FactUnit
from apps.filings.reading.amounts import read_amount, uses_decimal_comma
from apps.filings.reading.headings import is_restated, kind_of, read_period, words_beside_period
from apps.filings.reading.naming import clean_label, find_concept
from apps.filings.reading.segments import is_of_parent, is_total
from apps.filings.reading.units import is_counted, is_per_share, is_rate
from apps.filings.text.columns import years_in_headings
from apps.filings.text.dates import read_dates
from apps.filings.text.numbers import currencies_in, find_stated_scale, read_numbers, stated_scales, units_in
from apps.filings.text.period_mentions import read_period_mentions
from apps.filings.vocabulary.concepts import find_in_text
from apps.filings.xbrl.values import read_printed

READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "amounts": lambda text: read_amount(text, decimal_comma=True),
    "decimal commas": lambda text: uses_decimal_comma([text]),
    "restated": is_restated,
    "kinds of columns": kind_of,
    "periods of columns": read_period,
    "words of columns": words_beside_period,
    "labels": clean_label,
    "concepts": lambda text: find_concept(text[:200], text, statement="", unit=FactUnit.MONEY),
    "totals": is_total,
    "parents": is_of_parent,
    "per share": is_per_share,
    "rates": is_rate,
    "counts": is_counted,
    "years": lambda text: years_in_headings([text], None),
    "dates": read_dates,
    "numbers": read_numbers,
    "German numbers": lambda text: read_numbers(text, "de"),
    "a scale": find_stated_scale,
    "scales": stated_scales,
    "currencies": currencies_in,
    "units": units_in,
    "periods": read_period_mentions,
    "names": find_in_text,
    "XBRL": lambda text: read_printed(text, "ixt:num-dot-decimal"),
}
BEGINNINGS: Final = (
    *(
        "",
        "Q4",
        "1Q",
        "FY",
        "fiscal year",
        "2011",
        "2011-",
        "H1",
        "first",
        "31.",
        "December 31",
        "from 2011 to",
        "the last",
    ),
    *("see", "note 1", "(", "(in", "in", "USD", "$", "-", "1", "1,000", "1.000", "net cash", "total liabilities,"),
    *(
        "changes in",
        "condensed financial information of",
        "weighted average",
        "per",
        "shares",
        "common stock",
        ";",
        "im Jahr",
    ),
)
REPEATED: Final = (" ", "a ", "1", "1,", "1 ", ",000", "- ", "( ", ")", "; ", "a", "$ ", ". ", "(1) ", "of the ", "&a")
LENGTH: Final = 4_000
MOST_SECONDS: Final = 0.5


def tries(read: Callable[[str], object], text: str) -> Iterator[float]:
    """Yield the processor's seconds of three tries."""
    for _ in range(3):
        begun = time.process_time()
        read(text)
        yield time.process_time() - begun


@pytest.mark.parametrize("name", READERS)
def test_a_text_in_which_something_is_repeated_takes_no_time(name: str) -> None:
    read = READERS[name]
    slow = []
    for beginning in BEGINNINGS:
        for repeated in REPEATED:
            text = f"{beginning}{repeated * (LENGTH // len(repeated))}\x01"
            # What grows as the square is slow each time; what a busy machine makes slow is not.
            if not any(each <= MOST_SECONDS for each in tries(read, text)):
                slow.append(f"{beginning!r} and {repeated!r}")
    assert slow == []
