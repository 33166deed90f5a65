"""The classifier's desk in a browser: a question is tried and made a golden example, by keyboard alone; and narrow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

SignIn = Callable[[str], Page]

QUESTION = "Which sector cost the Alpha Fund the most this year?"


@pytest.fixture
def desk(acme: Firm, sign_in: SignIn) -> Page:
    make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    page = sign_in("olivia")
    page.get_by_role("link", name="Classifier's desk").click()
    expect(page.locator("#verdict")).to_contain_text("review examples")
    return page


def press_until_focused(page: Page, name: str, *, key: str = "Tab") -> None:
    """Walk the page as a keyboard does, until the control of that name has the focus."""
    for _ in range(60):
        page.keyboard.press(key)
        focused = "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim()"
        if str(page.evaluate(focused)).startswith(name):
            return
    raise AssertionError(f"{name} can't be reached with {key}")


def test_an_officer_tries_a_question_and_makes_it_an_example_by_keyboard(acme: Firm, desk: Page) -> None:
    expect(desk.locator("#unrecognised")).to_contain_text("None: every question answered in this period")
    desk.get_by_label("Your question").focus()
    desk.keyboard.type(QUESTION)
    press_until_focused(desk, "Try this question")
    desk.keyboard.press("Enter")
    expect(desk.locator("#tried")).to_be_focused()
    expect(desk.locator("#tried")).to_contain_text(QUESTION)
    press_until_focused(desk, "Make this a review example")
    desk.keyboard.press("Enter")
    expect(desk.get_by_label("Question")).to_have_value(QUESTION)
    press_until_focused(desk, "Intent that it must get")
    desk.keyboard.type("Attr")
    press_until_focused(desk, "Why the new draft is wanted")
    desk.keyboard.type("Sectors were not recognised.")
    press_until_focused(desk, "Add it to the draft")
    desk.keyboard.press("Enter")
    expect(desk.locator("#added")).to_contain_text("It is in your draft, version 2")
    assert "sector" not in desk.url
    with open_scope(tenant=acme.id, reason="a test"):
        draft = PolicyVersion.objects.get(number=2)
        added = version_snapshot(draft).examples
    assert [each.intent for each in added if each.text == QUESTION] == ["attribution"]


def test_nothing_is_wider_than_a_narrow_screen(desk: Page) -> None:
    desk.set_viewport_size({"width": 400, "height": 800})
    widths = {}
    for address in ("/admin/policy/desk/", "/admin/policy/examples/add/", "/admin/policy/unrecognised/?whole=1"):
        desk.goto(address)
        widths[address] = desk.locator("html").evaluate("html => html.scrollWidth")
    assert set(widths.values()) == {400}
