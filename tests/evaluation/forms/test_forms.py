"""The questions of figures by form: both folders are read, and the answers follow from the figures that are printed.

Nothing is asked here. A test that fails shows ids and figures, and no question of `kept`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from apps.quality.evaluation.accepting import accepted, read_accepts
from apps.quality.evaluation.folder import read_folder
from tests.evaluation.forms.__main__ import write_folder
from tests.evaluation.forms.companies import SETS, companies_of
from tests.evaluation.forms.questions import EACH, FORMS, PHRASINGS, questions_of
from tests.evaluation.forms.reports import report

Table = dict[tuple[str, str, int], Decimal]


@cache
def figures(document: str) -> Table:
    """Read the tables of a report: by part of a table, row and year. The first of several wins."""
    company, year = next(
        (company, year)
        for set_ in SETS
        for company in companies_of(set_)
        for year in company.reports
        if company.document_id(year) == document
    )
    found: Table = {}
    for head, rows in tables(report(company, year), company.spec["format"]):
        statement = head in [name for table in ("income", "balance", "cash") for name in company.words["heads"][table]]
        part = "" if statement else head.rsplit(": ", 1)[-1]
        for label, *cells in rows[1:]:
            if not any(cells):
                part = label
                continue
            for column, cell in zip(rows[0][1:], cells, strict=True):
                if column.isdigit():
                    found.setdefault((part.casefold(), label, int(column)), figure(cell, company.language))
    return found


def tables(text: str, format_: str) -> list[tuple[str, list[list[str]]]]:
    """Return the tables of a file with the heading above each."""
    if format_ == "html":
        page = html.document_fromstring(text)
        return [
            (
                table.xpath("string(preceding::h2[1])"),
                [[str(cell.text or "") for cell in row] for row in table.iter("tr")],
            )
            for table in page.iter("table")
        ]
    found = []
    for block in text.split("\n## ")[1:]:
        lines = [line for line in block.splitlines() if line.startswith("| ")]
        found.append((block.split("\n")[0], [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]))
    return found


def figure(cell: str, language: str) -> Decimal:
    if cell == "\u2013":
        return Decimal(0)
    plain = cell.translate(str.maketrans(",.", ".,")) if language == "de" else cell
    value = Decimal(re.sub(r"[(),]", "", plain))
    return -value if cell.startswith("(") else value


def operands(question: dict[str, Any]) -> list[Decimal]:
    return [
        abs(figures(each["document"])[each["part"].casefold(), each["row"], each["year"]])
        for each in question["evidence"]
    ]


def computed(form: str, values: list[Decimal], years: list[int]) -> Decimal:
    first, last = values[0], values[-1]
    match form:
        case "value":
            return first
        case "change_absolute":
            return abs(last - first)
        case "change_percent":
            return abs(last / first - 1) * 100
        case "growth_compound":
            return abs((last / first) ** (1 / Decimal(years[-1] - years[0])) - 1) * 100
        case "average":
            return sum(values, Decimal(0)) / len(values)
        case "sum":
            return sum(values, Decimal(0))
        case "share":
            return first / last * 100
    return first - last


def rows_of(set_: str, *forms: str) -> list[dict[str, Any]]:
    return [row for row in (question.row() for question in questions_of(set_)) if row["type"] in forms]


@pytest.mark.parametrize("set_", SETS)
def test_the_same_bytes_are_written_each_time_and_are_read(set_: str, tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_folder(tmp_path / name, set_)
    first, second = (
        {file.name: file.read_bytes() for file in (tmp_path / name).rglob("*") if file.is_file()}
        for name in ("first", "second")
    )
    assert first == second
    folder = read_folder(tmp_path / "first")
    assert (folder.failures, folder.notes) == ((), ())
    assert len(folder.queries) == len(FORMS) * EACH[set_]
    undecided = [query.id for query in folder.queries if (query.type == "missing") is bool(query.accepts)]
    assert undecided == []
    assert {query.id for query in folder.queries if query.polarity} == {
        query.id for query in folder.queries if query.type == "yes_no"
    }
    assert all(json.loads(line)["sector"] for line in (tmp_path / "first/documents.jsonl").read_text().splitlines())


@pytest.mark.parametrize("set_", SETS)
def test_every_form_and_phrasing_is_asked_as_often(set_: str) -> None:
    ids = [question.id.split("-") for question in questions_of(set_)]
    assert Counter(form for form, *_ in ids) == dict.fromkeys(FORMS, EACH[set_])
    each = EACH[set_] // len(PHRASINGS[set_])
    assert set(Counter((form, phrasing) for form, phrasing, *_ in ids).values()) == {each}
    languages = Counter(question.language for question in questions_of(set_))
    assert 0.2 <= languages["de"] / languages.total() <= 0.35


def test_no_company_and_no_phrasing_is_in_both() -> None:
    first, kept = (companies_of(set_) for set_ in SETS)
    assert not {company.id for company in first} & {company.id for company in kept}
    assert len({company.spec["sector"] for company in (*first, *kept)}) >= 5
    assert not set(PHRASINGS["open"]) & set(PHRASINGS["kept"])


@pytest.mark.parametrize("company", [each for set_ in SETS for each in companies_of(set_)], ids=lambda each: each.id)
def test_the_statements_add_up(company: Any) -> None:
    amount = {key: company.row(key).amount for key in ("total_assets", "total_liabilities", "total_equity", "revenue")}
    for year in company.row("total_assets").years:
        assert amount["total_assets"](year) == amount["total_liabilities"](year) + amount["total_equity"](year)
        assert company.row("closing").values[year] == company.row("cash").values[year]
    for year in company.row("cfo").years:
        moved = [company.row(key).values[year] for key in ("cfo", "cfi", "cff", "opening", "closing")]
        assert sum(moved[:4]) == moved[4]
    segments = {key: company.row(key) for key in ("revenue", "pbt" if company.spec.get("bank") else "operating")}
    for part, total in zip(("revenue", ("profit", "corporate")), segments.values(), strict=True):
        rows = [row for row in company.tables["segments"] if row.key.startswith(part)]
        assert all(sum(row.values[year] for row in rows) == total.values[year] for year in rows[0].years)
    *rows, total = company.tables["note"]
    assert all(sum(row.values[year] for row in rows) == total.values[year] for year in total.years)
    assert all(company.row(key).values[year] > 0 for key in ("long_debt", "cash") for year in company.row("cash").years)


@pytest.mark.parametrize("set_", SETS)
@pytest.mark.parametrize(
    "form",
    ["value", "change_absolute", "change_percent", "growth_compound", "average", "sum", "share", "segments_compared"],
)
def test_what_is_accepted_follows_from_the_printed_figures(set_: str, form: str) -> None:
    """With the word for a fall, since the figures here have no sign."""
    for question in rows_of(set_, form):
        values, years = operands(question), [each["year"] for each in question["evidence"]]
        result = computed(form, values, years)
        word = {"en": "decrease, loss", "de": "Rückgang, Verlust"}[question["language"]]
        accepts = read_accepts(question["accepts"])
        assert accepted(f"{word}: {result:.2f}", accepts) or accepted(f"{word}: {result:.0f}", accepts), question["id"]
        assert not accepted(f"{word}: {result * 2 + 7:.2f}", accepts), question["id"]


@pytest.mark.parametrize("set_", SETS)
def test_yes_and_no_follow_from_the_ratio_or_the_row(set_: str) -> None:
    for question in rows_of(set_, "yes_no"):
        values = operands(question)
        before, after = values[:2]
        if len(values) > 2:
            before, after = before / values[2], after / values[3]
        own = next(c.words["rises"] for c in companies_of(set_) if c.language == question["language"])
        falls = re.search(rf"\b{own[1]}\b", question["text"].lower()) is not None
        assert question["polarity"] == ("yes" if (after < before) is falls else "no"), question["id"]


@pytest.mark.parametrize("set_", SETS)
def test_what_is_missing_is_in_no_document(set_: str) -> None:
    for question in rows_of(set_, "missing"):
        assert (question["relevant"], question.get("accepts")) == ([], None)
        company = next(each for each in companies_of(set_) if f"-{each.id}-" in question["id"])
        asked = {int(year) for year in re.findall(r"\b20\d\d\b", question["text"])}
        lines = [row for rows in company.tables.values() for row in rows]
        held = [row for row in lines if asked <= set(row.years)]
        assert not any(
            name.lower() in question["text"].lower() for row in held for name in row.spoken if len(name) > 20
        )
