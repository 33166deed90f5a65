"""A page beside its text in a real browser: marks, sizes, keys and the way from quote to quote."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.files import PdfPage, Stroke, Text, pdf
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member

pytestmark = [pytest.mark.django_db(transaction=True)]

SignIn = Callable[[str], Page]
_COLUMNS = (72, 330, 430)
_PROSE = (
    "Net sales rose by 14 per cent to 1,250 million euros, mostly because two plants that had",
    "been closed for repairs in the year before worked without a break. The board proposes a",
    "dividend of 0.75 euros per share, which is to be paid in two parts.",
)
_ROWS = (
    ("Million euros", "2024", "2023"),
    ("Net sales", "1,250", "1,100"),
    ("Cost of sales", "(750)", "(700)"),
    ("Gross profit", "500", "400"),
    ("Research and development", "(120)", "(110)"),
    ("Operating profit", "380", "290"),
)


def _report() -> bytes:
    first = [
        Text(72, 720, "Annual report 2024", 18, bold=True),
        Text(72, 690, "The year at a glance", 13, bold=True),
        *(Text(72, 665 - 14 * number, line) for number, line in enumerate(_PROSE)),
        Text(72, 600, "Income statement", 13, bold=True),
        *(
            Text(x, 575 - 20 * number, text)
            for number, row in enumerate(_ROWS)
            for x, text in zip(_COLUMNS, row, strict=True)
        ),
    ]
    second = [
        Text(72, 720, "Outlook", 13, bold=True),
        Text(72, 695, "For 2025 the board expects net sales between 1,300 and 1,350 million euros."),
    ]
    rule = Stroke(72, 568, 480, 568)
    return pdf([PdfPage(first, strokes=(rule,)), PdfPage(second)], title="Annual report 2024")


@pytest.fixture
def report(acme: Firm) -> Document:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    made = ingest(acme, _report(), filename="annual-report.pdf", title="Annual report 2024")
    run(acme, made.job)
    with open_scope(tenant=acme.id, reason="a test"):
        found: Document = Document.objects.get(id=made.document.id)
        assert found.status == "ready", found.error_detail
    return found


def place(firm: Firm, document: Document, number: int, quote: str) -> tuple[int, int, int]:
    with open_scope(tenant=firm.id, reason="a test"):
        text = document.pages.get(number=number).text
    start = text.index(quote)
    return number, start, start + len(quote)


def address(document: Document, places: list[tuple[int, int, int]], at: int = 0, answer: str = "") -> str:
    hits = "~".join(f"{UUID(str(document.id)).hex}.{page}.{start}.{end}" for page, start, end in places)
    page, start, end = places[at]
    query = f"page={page}&start={start}&end={end}&hits={hits}" + (f"&answer={answer}" if answer else "")
    return f"/admin/corpus/document/{document.id}/page/?{query}#quote"


@pytest.fixture
def places(acme: Firm, report: Document) -> list[tuple[int, int, int]]:
    with open_scope(tenant=acme.id, reason="a test"):
        text = report.pages.get(number=1).text
    row = next(line for line in text.split("\n") if line.startswith("Operating profit"))
    return [
        place(acme, report, 1, "The board proposes a dividend of 0.75 euros per share"),
        place(acme, report, 1, row),
        place(acme, report, 2, "net sales between 1,300 and 1,350 million euros"),
    ]


def test_look(acme, report, places, sign_in) -> None:
    page = sign_in("bob")
    for at in range(3):
        page.goto(address(report, places, at, "/admin/ask/"))
        page.wait_for_timeout(700)
        page.screenshot(path=f"/tmp/shot{at}.png")
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(address(report, places, 1))
    page.wait_for_timeout(700)
    page.screenshot(path="/tmp/narrow.png", full_page=False)
    print(page.evaluate("document.documentElement.scrollWidth"))
