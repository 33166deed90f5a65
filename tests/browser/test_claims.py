"""The page on which a text is checked, in a browser: at two widths, and on paper."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member
from tests.filings.held import take_in

SignIn = Callable[[str], Page]

TEXT = """Velden Cranes: results for 2024

Velden Cranes reported revenue of $4,971 million in fiscal 2024. Revenue fell by 4.0 % compared with the prior year.
Net income reached a record in 2024. Gross profit was $1,705 million. We expect revenue to grow in 2025.
The company is proud of its excellent people.
"""


@pytest.fixture
def checked(acme: Firm, sign_in: SignIn) -> Page:
    """A checked text, in a firm with one report."""
    make_member(acme, "alice", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    take_in(acme, 2024, kind="reference_report")
    page = sign_in("alice")
    page.get_by_role("link", name="Check a text").first.click()
    page.get_by_label("The text to check").fill(TEXT)
    page.get_by_role("button", name="Check the text").click()
    expect(page.get_by_role("heading", name="What the text claims")).to_be_visible(timeout=60_000)
    return page


def test_a_mark_leads_to_its_claim_and_the_page_fits(checked: Page) -> None:
    mark = checked.locator(".cl-mark.cl-bad", has_text="$4,971 million")
    mark.click()
    expect(checked.locator(".cl-card:target")).to_contain_text("Contradicted")
    for width in (1440, 400):
        checked.set_viewport_size({"width": width, "height": 900})
        assert checked.locator("html").evaluate("html => html.scrollWidth") <= width


def test_on_paper_there_is_the_report_alone(checked: Page) -> None:
    checked.emulate_media(media="print")
    expect(checked.locator(".cl-report")).to_be_visible()
    expect(checked.locator(".cl-form")).to_be_hidden()
