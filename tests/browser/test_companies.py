"""A company's figures in a real browser: from the list to a figure, and to its place on the page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member
from tests.filings.held import take_in
from tests.filings.reports import COMPANY, YEARS

pytestmark = [pytest.mark.django_db(transaction=True)]

SignIn = Callable[[str], Page]


@pytest.fixture
def companies(acme: Firm, sign_in: SignIn) -> Page:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    for year in (2023, 2024):
        take_in(acme, year)
    page = sign_in("bob")
    page.get_by_role("link", name="Companies", exact=True).click()
    return page


def width_of(page: Page) -> int:
    width: int = page.locator("html").evaluate("html => html.scrollWidth")
    return width


def test_a_figure_leads_to_its_place_on_the_page(companies: Page) -> None:
    companies.get_by_role("link", name=COMPANY).click()
    row = companies.get_by_role("row", name="Net income")
    row.get_by_role("link", name=f"{YEARS[2024].net:,}").click()
    expect(companies.locator("mark#quote")).to_have_text(f"{YEARS[2024].net:,}")


def test_a_narrow_page_does_not_scroll_sideways(companies: Page) -> None:
    companies.set_viewport_size({"width": 400, "height": 900})
    companies.get_by_role("link", name=COMPANY).click()
    expect(companies.get_by_role("row", name="Net income")).to_be_visible()
    assert width_of(companies) <= 400
