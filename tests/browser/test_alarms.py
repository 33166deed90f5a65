"""What must not go unnoticed, where people begin: on the start page, in words that say what to do."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.audit.removing import approved, documents
from tests.audit.verifying import tampering
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member


def test_a_removal_that_stands_still_and_a_log_that_was_not_verified_are_red_on_the_start_page(
    acme: Firm, own_cache: None, sign_in: Callable[[str], Page]
) -> None:
    make_member(acme, "dora", Role.DPO, password=PASSWORD)
    make_member(acme, "dora", Role.AUDITOR)
    approved(acme, documents(acme, 1))
    with tampering() as connection:
        connection.execute("UPDATE tenants_tenant SET created_at = created_at - interval '40 days'")
        connection.execute("UPDATE audit_removalrun SET approved_at = now() - interval '1 hour'")
    page = sign_in("dora")
    page.goto("/admin/")
    alarms = page.locator("[data-alarm]")
    expect(alarms).to_have_count(3)
    expect(alarms.nth(0)).to_contain_text("The log was not verified in the last 26 hours. Verify it now.")
    expect(alarms.nth(1)).to_contain_text("An approved removal does not continue.")
    expect(alarms.nth(2)).to_contain_text("Scheduled tasks are not running. Tell the operator.")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.locator("html").evaluate("html => html.scrollWidth") <= 400
    alarms.nth(0).get_by_role("link").click()
    expect(page.get_by_role("button", name="Verify the log now")).to_be_visible()
