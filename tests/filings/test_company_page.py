"""The pages of companies: who sees which figures, where they lead, and what is downloaded."""

from __future__ import annotations

import csv
import io
import zipfile
from dataclasses import replace

import pytest

from apps.corpus.models import Document
from apps.tenants.roles import Role
from tests.corpus.ingesting import actions
from tests.factories import Firm, make_member
from tests.filings.held import facts, take_in
from tests.filings.reports import COMPANY, YEARS
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def reports(acme: Firm) -> list[Document]:
    return [take_in(acme, year) for year in (2023, 2024)]


@pytest.fixture
def ann(acme: Firm, reports: list[Document]) -> Visitor:
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    return Visitor("ann")


def figures(visitor: Visitor, **query: str) -> Page:
    return visitor.open("companies", company=COMPANY, **query)


def row_of(page: Page, name: str) -> str:
    rows = [
        " ".join(row.text_content().split()) for row in page.tree.xpath("//table[contains(@class, 'co-table')]//tr")
    ]
    return next(row for row in rows if row.startswith(name))


def test_companies_are_listed_with_their_years(ann: Visitor) -> None:
    page = ann.open("companies")
    assert COMPANY in page.text
    assert "2023 to 2024" in page.text


def test_a_row_shows_all_years_in_one_scale(ann: Visitor) -> None:
    row = row_of(figures(ann), "Revenue")
    assert all(f"{YEARS[year].revenue:,}" in row for year in YEARS)
    assert "USD million" in row


def test_a_figure_links_to_its_place(acme: Firm, ann: Visitor, reports: list[Document]) -> None:
    (fact, *_) = facts(acme, document=reports[1], concept="revenue", fiscal_year=2024)
    place = f"{reports[1].id}/page/?page={fact.page}&start={fact.cell_start}&end={fact.cell_end}"
    assert any(link.endswith(place) for link in figures(ann).links)


def test_a_company_that_is_named_links_to_everything_about_it(ann: Visitor) -> None:
    assert any("key=organisation%3Avelden-cranes" in link for link in figures(ann).links)


def test_who_lacks_the_scope_finds_no_company(acme: Firm, reports: list[Document]) -> None:
    make_member(acme, "bea", Role.ANALYST, scopes=["fund:beta"])
    bea = Visitor("bea")
    assert COMPANY not in bea.open("companies").text
    assert figures(bea).status == 404


def test_a_company_without_quarters_says_so(ann: Visitor) -> None:
    assert "No quarter's figures could be read" in figures(ann, quarters="1").text


def test_a_csv_has_a_row_for_each_fact_with_its_source(acme: Firm, ann: Visitor, reports: list[Document]) -> None:
    answer = ann.post(f"/admin/companies/?company={COMPANY}", {"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    revenue = {(row["fiscal_year"], row["document"]): row["value"] for row in rows if row["concept"] == "revenue"}
    assert revenue["2023", reports[1].title] == str(YEARS[2023].revenue * 1_000_000)
    assert revenue["2023", reports[0].title] == revenue["2023", reports[1].title]
    assert actions(acme, ["filings."]) == ["filings.facts.exported"]


def test_a_loss_is_a_number_in_a_csv(acme: Firm, ann: Visitor) -> None:
    take_in(acme, 2024, years={**YEARS, 2024: replace(YEARS[2024], expenses=1900)}, title="A loss")
    answer = ann.post(f"/admin/companies/?company={COMPANY}", {"format": "csv"})
    rows = csv.DictReader(io.StringIO(answer.content.decode()))
    losses = [row["value"] for row in rows if row["concept"] == "operating income" and row["document"] == "A loss"]
    assert "-195000000" in losses


def test_a_workbook_is_one(ann: Visitor) -> None:
    answer = ann.post(f"/admin/companies/?company={COMPANY}", {"format": "xlsx"})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as book:
        assert b"4471000000" in book.read("xl/worksheets/sheet1.xml")


def test_no_other_format_is_made(ann: Visitor) -> None:
    assert ann.post(f"/admin/companies/?company={COMPANY}", {"format": "exe"}).status_code == 404
