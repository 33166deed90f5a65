"""A key of one's own, in a browser: made, used by a program, revoked."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

SignIn = Callable[[str], Page]


def test_a_key_is_made_used_and_revoked_on_a_narrow_screen(
    acme: Firm, sign_in: SignIn, live_server: LiveServer
) -> None:
    make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    make_member(acme, "olivia", Role.ANALYST)
    page = sign_in("olivia")
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{live_server.url}/admin/account/keys/")
    page.get_by_role("link", name="Create key").first.click()
    page.get_by_label("Name").fill("Policy script")
    page.get_by_label("Compliance officer").check()
    page.get_by_label("Alpha (fund:alpha)").check()
    page.get_by_role("button", name="Create key").click()
    plain = page.locator("#secret").inner_text()
    told = httpx.get(f"{live_server.url}/api/v1/me/", headers={"authorization": f"Bearer {plain}"}).json()
    assert (told["label"], told["roles"]) == ("olivia (key Policy script)", ["compliance_officer"])

    page.get_by_role("link", name="I have saved it: continue").click()
    row = page.get_by_role("row", name="Policy script")
    expect(row).to_contain_text("Valid")
    assert page.locator("html").evaluate("html => html.scrollWidth <= window.innerWidth")
    row.get_by_role("link", name="Revoke").click()
    page.get_by_role("button", name="Revoke key").click()
    expect(page.get_by_role("row", name="Policy script")).to_contain_text("Revoked")
    assert httpx.get(live_server.url + "/api/v1/me/", headers={"authorization": f"Bearer {plain}"}).status_code == 401
