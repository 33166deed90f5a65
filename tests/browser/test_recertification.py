"""A recertification in a browser: begun by an officer, decided by owners, closed, and read as a report."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenants.roles import Role
from tests.browser.conftest import signed_in
from tests.browser.test_people_story import look
from tests.factories import Firm, make_key, make_member
from tests.visitor import Visitor


def opened(browser: Browser, live_server: LiveServer, username: str) -> Page:
    page = signed_in(browser, live_server, Visitor(username)).new_page()
    page.goto("/admin/")
    return page


def test_an_officer_has_the_grants_of_analysts_confirmed_and_ended(
    acme: Firm, browser: Browser, live_server: LiveServer
) -> None:
    make_member(acme, "olga", Role.COMPLIANCE_OFFICER)
    make_member(acme, "wanda", Role.TENANT_ADMIN)
    for name, scope in (("ann", "fund:alpha"), ("ben", "fund:beta")):
        make_member(acme, name, Role.ANALYST, scopes=[scope])
    make_key(acme, Role.ANALYST, scopes=["fund:beta"])

    officer = opened(browser, live_server, "olga")
    officer.get_by_role("link", name="Recertifications").click()
    look(officer, "none yet")
    officer.get_by_role("link", name="Begin a recertification").click()
    look(officer, "the form")
    officer.get_by_label("wanda").check()
    officer.get_by_label("Analyst").check()
    officer.get_by_role("button", name="Begin, and tell the owners").click()
    expect(officer.locator("#main")).to_contain_text("3 grants wait for their owners")
    look(officer, "begun")

    owner = opened(browser, live_server, "wanda")
    owner.get_by_role("link", name="Recertifications").click()
    expect(owner.locator("#main")).to_contain_text("3 grants wait for your decision")
    owner.get_by_role("link", name="Recertification of").click()
    look(owner, "deciding")
    ann = owner.locator(".ac-decide", has_text="ann: Analyst")
    ann.get_by_label("Why").fill("Manages Alpha.")
    ann.get_by_role("button", name="Confirm this grant").click()
    expect(owner.locator("#main")).to_contain_text("Confirmed: the grant goes on.")
    ben = owner.locator(".ac-decide", has_text="ben: Analyst")
    ben.get_by_label("Why").fill("Moved to sales.")
    ben.get_by_role("button", name="End this grant").press("Enter")
    expect(owner.locator("#mine .ac-decide")).to_have_count(1)

    officer.reload()
    expect(officer.locator("#progress")).to_contain_text("1 confirmed, 1 ended, 1 waiting")
    officer.get_by_role("link", name="Close…").click()
    look(officer, "closing")
    officer.get_by_role("button", name="Close it for ever").click()
    expect(officer.locator("#progress")).to_contain_text("1 confirmed, 1 ended, 1 undecided")
    expect(officer.locator("#grants")).to_contain_text("Moved to sales.")
    look(officer, "the report")
    officer.emulate_media(media="print")
    expect(officer.get_by_role("button", name="Download as CSV")).to_be_hidden()
    owner.reload()
    expect(owner.locator("#mine")).to_have_count(0)
    officer.context.close()
    owner.context.close()
