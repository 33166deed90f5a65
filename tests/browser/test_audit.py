"""The auditor's way in a browser: from the list to an event, to its run as of then, to the figures and the file."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_member
from tests.quality.impacting import asked

QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"


def test_an_auditor_reads_a_decision_runs_it_again_and_takes_the_figures(
    acme: Firm, sign_in: Callable[[str], Page]
) -> None:
    run(acme, ingest(acme, REPORT).job)
    asked(make_member(acme, "ann", Role.ANALYST), QUESTION)
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)

    page = sign_in("ada")
    page.get_by_role("link", name="Events").click()
    page.locator("tr", has_text="Question answered").get_by_role("link").first.click()
    expect(page.locator("#stages")).to_contain_text("Rank by words")
    expect(page.locator("#parts")).to_contain_text("Intact")
    page.get_by_role("link", name="Run the same decision again…").press("Enter")
    page.get_by_label("The question, exactly as it was asked").fill("Another question")
    page.get_by_role("button", name="Run the same decision again").press("Enter")
    expect(page.locator("form .errors")).to_contain_text("not the question that was asked")
    page.get_by_label("The question, exactly as it was asked").fill(QUESTION)
    page.get_by_role("button", name="Run the same decision again").press("Enter")
    expect(page.locator("#verdict")).to_contain_text("The same decision as then")

    page.get_by_role("link", name="Reports").click()
    expect(page.locator("#looked")).to_contain_text("Examined 1 of 1 question")
    with page.expect_download() as figures:
        page.get_by_role("button", name="Download as CSV: Questions by intent").press("Enter")
    assert figures.value.path().read_text().startswith("Day,")

    page.goto("/admin/audit/event/?action=retrieval.question.answered")
    with page.expect_download() as events:
        page.get_by_role("button", name="Download as JSON Lines").click()
    assert events.value.path().read_text().count("\n") == 1
    page.set_viewport_size({"width": 400, "height": 800})
    for address in ("/admin/audit/report/", "/admin/audit/event/"):
        page.goto(address)
        assert page.locator("html").evaluate("html => html.scrollWidth") <= 400
