"""CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

from apps.audit.reporting.contracts import Cell

# What begins so is a formula to a spreadsheet: a sign-in name or a file's name could be one. Where semicolons part
# cells (in most of Europe), what follows one in a text begins a cell too; in East Asia full-width signs count.
_FORMULA: Final = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\uff1d\uff0b\uff0d\uff20\t\r])")


def csv_bytes(rows: Iterable[Sequence[Cell]]) -> bytes:
    """RFC 4180, UTF-8. What a spreadsheet would take for a formula gets an apostrophe before it."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerows([_cell(value) for value in row] for row in rows)
    return made.getvalue().encode()


def _cell(value: Cell) -> Cell:
    return _FORMULA.sub(r"\1'", value) if isinstance(value, str) else value
