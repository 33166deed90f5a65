"""CSV that a spreadsheet displays but does not execute."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

from apps.audit.reporting.contracts import Cell

# A spreadsheet takes a text that begins so for a formula, and a user name or a file name may. Where semicolons separate
# cells (in most of Europe), the text after a semicolon begins a cell too; in East Asia full-width signs count.
_FORMULA: Final = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")


def csv_bytes(rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return CSV (RFC 4180, UTF-8). An apostrophe precedes anything that a spreadsheet would take for a formula."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return made.getvalue().encode()


def _cell(value: Cell) -> Cell:
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
