"""Entities in a real browser: from the search to everything about one, and to the sentence on its page."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.browser.test_companies import width_of
from tests.factories import Firm, make_member
from tests.filings.held_graph import take_in

pytestmark = [pytest.mark.django_db(transaction=True)]

SignIn = Callable[[str], Page]


@pytest.fixture
def found(acme: Firm, sign_in: SignIn) -> Page:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    for year in (2023, 2024):
        take_in(acme, year)
    page = sign_in("bob")
    page.get_by_role("link", name="Entities", exact=True).click()
    page.get_by_label("Its name begins with").fill("velden")
    page.get_by_role("button", name="Search", exact=True).click()
    return page


def test_a_sentence_leads_to_its_place_on_the_page(found: Page) -> None:
    found.get_by_role("link", name="Velden Cranes plc").click()
    acquired = found.get_by_role("listitem").filter(has_text="In 2024, we acquired Ostrava Hoists Ltd.")
    acquired.get_by_role("link", name="Velden annual report 2024, page 1").click()
    expect(found.locator("mark#quote")).to_have_text("In 2024, we acquired Ostrava Hoists Ltd. for $12 million.")


def test_a_narrow_page_does_not_scroll_sideways(found: Page) -> None:
    found.set_viewport_size({"width": 400, "height": 900})
    assert width_of(found) <= 400
    found.get_by_role("link", name="Velden Cranes plc").click()
    expect(found.get_by_role("heading", name="Mentions by year")).to_be_visible()
    assert width_of(found) <= 400
