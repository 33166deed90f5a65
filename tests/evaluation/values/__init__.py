"""What the documents tell: the values of their templates' placeholders, one a line, in a file for each company."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def told(company: str) -> dict[str, Any]:
    """A company's values, by kind of report and period."""
    return tomllib.loads((Path(__file__).with_name(company + ".toml")).read_text(encoding="utf-8"))
