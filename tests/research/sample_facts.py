"""The facts of the suite's own sample documents, read as ingest reads them and held in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid5

from apps.corpus.extraction.extract import extract
from apps.corpus.models import Document
from apps.filings.contracts import ReadFact
from apps.filings.models import Fact
from apps.filings.reading.facts import read_facts
from apps.retrieval.contracts import InventoryEntry

FOLDER: Final = Path(__file__).parents[1] / "evaluation" / "varied" / "open"
_IDS: Final = UUID(int=7)


@cache
def sample_facts() -> tuple[Fact, ...]:
    """Return the facts of all documents of the folder."""
    rows = [json.loads(line) for line in (FOLDER / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
    return tuple(fact for row in rows for fact in _facts_of(row))


def entries_of(facts: tuple[Fact, ...]) -> tuple[InventoryEntry, ...]:
    """Return what an inventory says of the documents of facts."""
    held = sorted({(fact.company, fact.fiscal_year) for fact in facts})
    return tuple(
        InventoryEntry(
            kind="run",
            company=company,
            ticker="",
            document_type="annual_report",
            fiscal_year=year,
            fiscal_quarter=None,
            documents=1,
        )
        for company, year in held
    )


def make_fact(read: ReadFact, document: Document, number: int) -> Fact:
    """Return a fact as the table would hold it, without a database."""
    return Fact(
        document=document,
        kind=document.kind,
        company=document.company,
        number=number,
        concept=read.concept,
        tag=read.tag,
        label=read.label,
        column_heading=read.column,
        group_heading=read.group,
        dimension=read.dimension,
        value=read.value,
        printed=read.printed,
        exponent=read.exponent,
        decimals=read.decimals,
        unit=read.unit.value,
        currency=read.currency,
        starts_on=read.starts_on,
        ends_on=read.ends_on,
        fiscal_year=read.fiscal_year,
        fiscal_quarter=read.fiscal_quarter,
        months=read.months,
        statement=read.statement,
        consolidated=read.consolidated,
        restated=read.restated,
        page=read.page,
        row_start=read.row.start,
        row_end=read.row.end,
        cell_start=read.cell.start,
        cell_end=read.cell.end,
        how_read=read.how_read.value,
        confidence=read.confidence,
        check_result=read.check.value,
        check_detail=read.check_detail,
    )


def _facts_of(row: dict[str, Any]) -> Iterator[Fact]:
    file = FOLDER / row["file"]
    content = file.read_bytes()
    year = int(row["period"]) if str(row.get("period", "")).isdigit() else None
    document = Document(
        id=uuid5(_IDS, row["id"]),
        title=row["title"],
        company=row["company"],
        kind="run",
        fiscal_year=year,
    )
    extracted = extract(content, filename=file.name)
    read = read_facts(content, extracted, fiscal_year=year, fiscal_quarter=None, language=row["language"])
    for number, fact in enumerate(read, start=1):
        yield make_fact(fact, document, number)
