"""CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from apps.audit.reporting.contracts import Cell

# A cell that begins so is a formula to a spreadsheet: a sign-in name or a file's name could be one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(rows: Iterable[Sequence[Cell]]) -> bytes:
    """RFC 4180, UTF-8. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return made.getvalue().encode()


def _cell(value: Cell) -> Cell:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
