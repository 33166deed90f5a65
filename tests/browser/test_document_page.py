"""A page beside its text in a real browser: marks, sizes, keys and the way from quote to quote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
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


def quotes(page: Page) -> Locator:
    return page.locator(".doc-quote")


def test_the_quote_is_in_view_on_the_image_and_in_the_text(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    page.goto(address(report, places, 1))
    expect(page.locator("mark#quote")).to_have_text("Operating profit")
    expect(page.locator("mark#quote")).to_be_in_viewport()
    expect(quotes(page)).to_have_count(3)
    for box in quotes(page).all():
        expect(box).to_be_in_viewport()


def test_marks_stay_on_their_words_at_every_size(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    page.goto(address(report, places, 1))
    image, box = page.locator(".doc-sheet img"), quotes(page).first
    expect(image).to_have_js_property("complete", True)
    widths = []
    for name in ("Fit width", "100 %", "150 %", "200 %"):
        button = page.get_by_role("button", name=name, exact=True)
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(page.locator("[data-zooms] [aria-pressed=true]")).to_have_count(1)
        paper, mark = image.bounding_box(), box.bounding_box()
        assert paper is not None
        assert mark is not None
        # The row's label begins 72 points from the left of 612, and stands at 475 of 792.
        assert (mark["x"] - paper["x"]) / paper["width"] * 612 == pytest.approx(72, abs=2)
        middle = mark["y"] + mark["height"] / 2 - paper["y"]
        assert 792 - middle / paper["height"] * 792 == pytest.approx(478, abs=3)
        widths.append(round(paper["width"]))
    assert widths[1:] == [816, 1224, 1632]
    # The next page has the size that was chosen.
    page.get_by_role("link", name="Next page").click()
    expect(page.get_by_role("button", name="200 %")).to_have_attribute("aria-pressed", "true")


def test_keys_lead_through_quotes_pages_and_sizes(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    page.goto(address(report, places))
    current = page.locator("[data-hit][aria-current=true]")
    for key, number in (("n", "2"), ("n", "3"), ("p", "2"), ("P", "1")):
        page.keyboard.press(key)
        expect(current).to_have_attribute("data-hit", number)
    page.keyboard.press("p")
    expect(page.locator("#doc-said")).to_have_text("There is no quote before this one.")
    expect(current).to_have_attribute("data-hit", "1")
    for key, size in (("+", "100"), ("+", "150"), ("-", "100"), ("-", "fit"), ("-", "fit")):
        page.keyboard.press(key)
        expect(page.locator(".doc-sheet")).to_have_attribute("data-zoom", size)
    expect(page.locator("#doc-said")).to_have_text("The image fits the width.")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**page=2**")
    expect(page.locator("#page-text")).to_contain_text("the board expects")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#doc-said")).to_have_text("This is the last page.")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**page=1**")


def test_keys_are_left_to_who_types_scrolls_or_turned_them_off(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    page.goto(address(report, places))
    current = page.locator("[data-hit][aria-current=true]")
    page.get_by_role("button", name="200 %").click()
    scroll = page.get_by_role("region", name="Image of page 1")
    scroll.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+n")
    expect(current).to_have_attribute("data-hit", "1")
    assert "page=1" in page.url
    page.get_by_label("Keys").uncheck()
    page.locator("body").click(position={"x": 700, "y": 5})
    page.keyboard.press("n")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#doc-said")).to_be_empty()
    expect(current).to_have_attribute("data-hit", "1")
    page.reload()
    expect(page.get_by_label("Keys")).not_to_be_checked()


def test_the_order_of_the_keyboard_is_that_of_the_eyes(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    page.goto(address(report, places, 1))
    page.get_by_role("link", name="Next page").focus()
    met: list[str] = []
    for _ in range(20):
        met.append(
            page.evaluate(
                "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent).trim()"
            )
        )
        page.keyboard.press("Tab")
    wanted = ["Next page", "Previous quote", "Next quote", "Fit width", "200 %", "Image of page 1", "Text of page 1"]
    assert [each for each in met if each in wanted] == wanted


def test_the_answer_is_beside_and_a_link_leads_back(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    answer = (
        '<!doctype html><p style="color: red">Around</p><section class="gb-card" id="answer"><div class="ask-text">'
        '<p>Profit was 380 million.<a class="ask-mark" href="#citation-2"><span>citation </span>2</a>'
        "<b></b></p></div></section>"
    )
    page.route(
        re.compile(r"^http://[^/]+/admin/ask/$"), lambda route: route.fulfill(body=answer, content_type="text/html")
    )
    page.goto(address(report, places, answer="/admin/ask/"))
    shown = page.locator("#doc-answer")
    expect(shown).to_have_text("Profit was 380 million. [2]")
    assert shown.locator("b").count() == 0
    shown.get_by_role("link", name="[2]").click()
    expect(page.locator("[data-hit][aria-current=true]")).to_have_attribute("data-hit", "2")
    expect(page.get_by_role("link", name="Back to the answer")).to_have_attribute("href", "/admin/ask/")


def test_an_answer_that_is_gone_is_told(report: Document, places: list[tuple[int, int, int]], sign_in: SignIn) -> None:
    page = sign_in("bob")
    page.route(re.compile(r"^http://[^/]+/admin/ask/$"), lambda route: route.fulfill(status=404, body="gone"))
    page.goto(address(report, places, answer="/admin/ask/"))
    expect(page.locator("#doc-answer")).to_contain_text("The answer can't be shown here.")


def test_an_image_that_does_not_load_is_told_and_the_text_stays(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn
) -> None:
    page = sign_in("bob")
    page.route("**/image/", lambda route: route.fulfill(status=503, body="busy"))
    page.goto(address(report, places))
    expect(page.get_by_text("The image could not be loaded.")).to_be_visible()
    expect(page.locator("mark#quote")).to_contain_text("The board proposes a dividend")


@pytest.mark.parametrize("width", [1440, 400])
def test_nothing_is_wider_than_the_window(
    report: Document, places: list[tuple[int, int, int]], sign_in: SignIn, width: int, tmp_path: Path
) -> None:
    page = sign_in("bob")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(address(report, places, 1))
    page.get_by_role("button", name="200 %").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=tmp_path / f"page-{width}.png")
