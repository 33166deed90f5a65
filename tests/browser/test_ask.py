"""The Ask page in a browser: by mouse, by keyboard, at two widths, in the dark."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.audit.models import Event
from apps.retrieval.events import ANSWERED
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_member
from tests.model_server import ModelServer

SignIn = Callable[[str], Page]

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
QUOTE = "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %."


@pytest.fixture
def alice(acme: Firm, sign_in: SignIn) -> Page:
    """Alice's Ask page, in a firm with one report."""
    make_member(acme, "alice", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    run(acme, ingest(acme, REPORT).job)
    page = sign_in("alice")
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_be_visible()
    return page


def ask(page: Page, question: str = QUESTION) -> None:
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#answer")).to_be_visible()


def test_a_question_that_is_answered_is_offered_and_fills_the_box(alice: Page) -> None:
    offered = alice.get_by_role("button", name="What was the fund's maximum drawdown in the quarter?")
    expect(offered).to_be_visible(timeout=60_000)
    offered.click()
    expect(alice.get_by_label("Your question")).to_have_value("What was the fund's maximum drawdown in the quarter?")
    expect(alice.get_by_label("Your question")).to_be_focused()
    alice.keyboard.press("Control+Enter")
    expect(alice.locator("#answer")).to_contain_text("12.5 %")


def width_of(page: Page) -> int:
    width: int = page.locator("html").evaluate("html => html.scrollWidth")
    return width


def test_from_the_question_to_the_quote_on_its_page_with_the_keyboard_alone(alice: Page) -> None:
    expect(alice.get_by_label("Your question")).to_be_focused()
    alice.keyboard.type(QUESTION)
    alice.keyboard.press("Control+Enter")
    expect(alice.locator("#answer")).to_contain_text("12.5 %")
    expect(alice.locator("#answer")).to_be_focused()
    # From the answer the next stop is the mark of its first citation, which leads to the card, then to the page.
    alice.keyboard.press("Tab")
    alice.keyboard.press("Enter")
    expect(alice.locator("#citation-1")).to_be_in_viewport()
    alice.keyboard.press("Tab")
    alice.keyboard.press("Enter")
    expect(alice.locator("mark#quote")).to_contain_text(QUOTE)
    expect(alice.locator("mark#quote")).to_be_in_viewport()


def test_a_passage_opens_at_the_quote(acme: Firm, alice: Page) -> None:
    filler = b"Nothing of note was said of the Omega Fund on that day. " * 12
    run(acme, ingest(acme, b"# Omega\n\n" + filler + b"The fee of the Omega Fund is 0.75 % a year.\n").job)
    ask(alice, "What is the fee of the Omega Fund?")
    alice.set_viewport_size({"width": 1440, "height": 2000})
    alice.locator("#citation-1").get_by_text("Show the passage").click()
    expect(alice.locator("#citation-1 mark")).to_be_in_viewport()


def test_a_calculation_stands_above_the_row_that_it_is_from(acme: Firm, alice: Page) -> None:
    table = b"""# Gamma Fund

| Risk | 2024 | 2023 | 2022 |
| --- | --- | --- | --- |
| Maximum drawdown | 12.5 % | 9.5 % | 14.0 % |
| Volatility | 8.1 % | 7.9 % | 9.2 % |
"""
    run(acme, ingest(acme, table).job)
    ask(alice, "By how much did the maximum drawdown of the Gamma Fund change from 2023 to 2024?")
    expect(alice.locator("#answer")).to_contain_text("12.5 % - 9.5 % = 3.0 percentage points")
    expect(alice.locator("#citation-1")).to_contain_text("Maximum drawdown")
    alice.set_viewport_size({"width": 400, "height": 900})
    assert width_of(alice) == 400


def test_an_example_is_put_into_the_box_and_not_asked_yet(alice: Page, acme: Firm) -> None:
    example = alice.get_by_role("button", name="What was the fund's maximum drawdown in the quarter?")
    example.click()
    expect(alice.get_by_label("Your question")).to_have_value("What was the fund's maximum drawdown in the quarter?")
    expect(alice.get_by_label("Your question")).to_be_focused()
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action=ANSWERED).exists()


def test_scopes_hold_together(alice: Page) -> None:
    firm, alpha, beta = (alice.locator(f"input[value='{key}']") for key in ("firm:acme", "fund:alpha", "fund:beta"))
    beta.uncheck()
    expect(firm).not_to_be_checked()
    expect(alpha).to_be_checked()
    firm.check()
    expect(beta).to_be_checked()


def test_a_search_under_way_is_seen_and_a_second_click_asks_nothing(alice: Page, model_server: ModelServer) -> None:
    asked: list[str] = []
    alice.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    model_server.at_request(len(model_server.requests) + 1, lambda: time.sleep(1))
    # While the answer is awaited Playwright waits too, so the page itself notes what it shows, and clicks again.
    alice.evaluate(
        """() => {
            const form = document.getElementById("ask-form");
            new MutationObserver(() => sessionStorage.setItem("shown", [
                form.getAttribute("aria-busy"),
                form.querySelector(".ask-submit").textContent.trim(),
                document.getElementById("ask-busy").textContent,
            ].join("|"))).observe(form, { attributes: true });
        }"""
    )
    alice.get_by_label("Your question").fill(QUESTION)
    alice.evaluate(
        """() => {
            const button = document.querySelector(".ask-submit");
            button.click();
            setTimeout(() => button.click(), 400);
        }"""
    )
    expect(alice.locator("#answer")).to_be_visible()
    assert alice.evaluate("sessionStorage.getItem('shown')").startswith("true|Searching…|The first question")
    expect(alice.locator("#ask-form")).to_have_attribute("aria-busy", "false")
    assert len(asked) == 1


def unfold_way(page: Page) -> None:
    page.locator("summary", has_text="How this answer came about").click()


def test_a_link_to_what_is_folded_away_opens_it(alice: Page) -> None:
    ask(alice)
    expect(alice.locator("#latency")).to_be_hidden()
    alice.locator(".ask-facts a[href='#latency']").click()
    expect(alice.locator("#latency")).to_be_visible()


def test_the_steps_open_one_by_one_and_all_at_once(alice: Page) -> None:
    ask(alice)
    expect(alice.get_by_text("Both rankings side by side")).to_be_hidden()
    unfold_way(alice)
    panels = alice.locator("#way details")
    alice.get_by_text("Both rankings side by side").click()
    expect(alice.get_by_role("columnheader", name="In fusion").first).to_be_visible()
    alice.get_by_role("button", name="Open all details").click()
    assert panels.count() > 5
    assert alice.locator("#way details[open]").count() == panels.count()
    alice.get_by_role("button", name="Close all details").click()
    expect(alice.locator("#way details[open]")).to_have_count(0)


def test_a_question_that_is_too_long_is_counted_and_refused_with_its_text_kept(alice: Page) -> None:
    box = alice.get_by_label("Your question")
    box.fill("drawdown " * 500)
    expect(alice.locator("#question-count")).to_have_text("4500 of at most 4000 characters.")
    alice.get_by_role("button", name="Ask").click()
    expect(alice.locator("#question-error")).to_contain_text("at most 4000 are read")
    expect(box).to_have_value("drawdown " * 500)
    expect(box).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_everything_open_nothing_is_wider_than_a_narrow_screen(alice: Page, scheme: str) -> None:
    alice.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    alice.set_viewport_size({"width": 400, "height": 800})
    alice.goto("/admin/ask/")
    assert width_of(alice) <= 400
    ask(alice)
    unfold_way(alice)
    alice.get_by_role("button", name="Open all details").click()
    for summary in alice.locator("#citations-title ~ ol summary").all():
        summary.click()
    assert width_of(alice) <= 400


def test_my_questions_fit_a_narrow_screen(alice: Page) -> None:
    ask(alice)
    alice.set_viewport_size({"width": 400, "height": 800})
    alice.get_by_role("link", name="My questions").last.click()
    expect(alice.locator("#content tbody tr")).to_have_count(1)
    assert width_of(alice) <= 400
