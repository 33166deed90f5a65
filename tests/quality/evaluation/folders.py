"""A tiny evaluation folder: two years of a fund's report that are much alike, and a policy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

REPORT = """# Kestrel Fund {year}

## Performance

The maximum drawdown of the Kestrel Fund in {year} was {drawdown} %. It recovered within five weeks.

## Fees

Management fees amount to {fee} % a year of the net asset value.
"""
POLICY = """# Dealing policy

## Personal dealing

Members of staff ask the compliance desk before they buy shares, and hold them for thirty days.
"""

DOCUMENTS: tuple[dict[str, Any], ...] = (
    {"id": "kestrel-2022", "file": "documents/kestrel-2022.md", "company": "Kestrel", "period": 2022, "sector": "X"},
    {"id": "kestrel-2023", "file": "documents/kestrel-2023.md", "company": "Kestrel", "period": "FY2023"},
    {"id": "dealing", "file": "documents/dealing.md", "document_type": "policy", "kind": "compliance_profile"},
)
QUERIES: tuple[dict[str, Any], ...] = (
    {
        "id": "drawdown",
        "text": "What was the maximum drawdown of the Kestrel Fund in 2023?",
        "answer": "12.5%",
        "type": "figure",
        "relevant": [{"document": "kestrel-2023", "page": 1}],
    },
    {
        "id": "dealing",
        "text": "How long do members of staff hold shares after they ask the compliance desk?",
        "answer": "Thirty days.",
        "relevant": [{"document": "dealing", "page": 1}],
    },
    {"id": "nowhere", "text": "What was the revenue of Zyxwell Corporation?", "answer": None, "relevant": []},
)


def make_folder(path: Path, *, queries: Iterable[Mapping[str, Any]] = QUERIES) -> Path:
    (path / "documents").mkdir(parents=True)
    write_report(path, 2022, drawdown="8.1")
    write_report(path, 2023, drawdown="12.5")
    (path / "documents" / "dealing.md").write_text(POLICY)
    write_lines(path / "documents.jsonl", DOCUMENTS)
    write_lines(path / "queries.jsonl", queries)
    return path


def write_report(path: Path, year: int, *, drawdown: str) -> None:
    text = REPORT.format(year=year, drawdown=drawdown, fee=f"0.{year - 2000}")
    (path / "documents" / f"kestrel-{year}.md").write_text(text)


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
