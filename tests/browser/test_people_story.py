"""How somebody becomes a reviewer, in a browser: invited, accepted, confirmed by a second person with a code."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.tenants.models import User
from apps.tenants.roles import Role
from apps.tenants.services.account_links import mailbox_link_send, password_link_send
from tests.browser.conftest import PASSWORD, is_home, open_context
from tests.factories import Firm, make_member
from tests.tenants.test_attempts import counted

SignIn = Callable[[str], Page]
WIDTHS = (1440, 400)


@pytest.fixture(autouse=True)
def _required(settings: LazySettings, live_server: LiveServer) -> None:
    settings.GLASSBOX_REQUIRE_SECOND_FACTOR = True
    settings.GLASSBOX_URL = live_server.url
    cache.delete_many(counted())


def link_to(mailbox: str) -> str:
    """Of the newest letter to a mailbox, which goes out after the answer."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for letter in reversed(mail.outbox):
            found = re.search(r"http://\S+", str(letter.body))
            if letter.to == [mailbox] and found:
                return found.group(0)
        time.sleep(0.1)
    raise AssertionError(f"no letter to {mailbox}")


def look(page: Page, name: str) -> None:
    """Nothing stands beyond the edge, wide or narrow."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("html").evaluate("html => html.scrollWidth <= window.innerWidth"), (name, width)
    page.set_viewport_size({"width": 1440, "height": 900})


def code_of(text: str, *, step: int) -> str:
    secret = text.replace(" ", "")
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    totp = TOTP(key, 6, SHA1(), 30)  # noqa: S303
    return totp.generate((int(time.time()) // 30 + step) * 30).decode()


def test_a_reviewer_is_invited_accepts_and_is_confirmed(
    acme: Firm, sign_in: SignIn, browser: Browser, live_server: LiveServer
) -> None:
    make_member(acme, "amy", Role.TENANT_ADMIN, password=PASSWORD)
    make_member(acme, "rita", Role.REVIEWER, password=PASSWORD)
    page = sign_in("amy")
    page.goto(f"{live_server.url}/admin/tenants/membership/")
    page.get_by_role("link", name="Invite a person").first.click()
    look(page, "invite")
    page.get_by_label("E-mail").fill("rob@example.com")
    page.get_by_label("Reviewer").check()
    page.get_by_label("firm:acme").check()
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.locator("#invitations")).to_contain_text("rob@example.com")
    link = link_to("rob@example.com")
    page.reload()
    expect(page.locator("#invitations")).to_contain_text("Invited")
    look(page, "members-invited")

    elsewhere = open_context(browser, live_server.url)
    rob = elsewhere.new_page()
    rob.goto(link)
    look(rob, "invitation")
    rob.get_by_label("First name").fill("Rob")
    rob.get_by_label("Last name").fill("Roberts")
    rob.locator("#id_password1").fill("a password of their own")
    rob.locator("#id_password2").fill("a password of their own")
    rob.get_by_role("button", name="Make an account and accept").click()
    expect(rob.get_by_role("heading", name="a second person must confirm")).to_be_visible()
    look(rob, "accepted")
    elsewhere.close()

    page.goto(f"{live_server.url}/admin/tenants/membership/")
    expect(page.get_by_role("row", name="rob@example.com")).to_contain_text("Awaiting confirmation")
    look(page, "members-waiting")

    page = sign_in("rita")
    page.goto(f"{live_server.url}/admin/tenants/membership/")
    page.get_by_role("link", name="Rob Roberts").click()
    look(page, "membership-waiting")
    page.get_by_role("link", name="Confirm…").click()
    look(page, "confirm")
    page.get_by_role("button", name="Agree").click()
    # Nobody decides without a second factor, and she has none yet.
    page.get_by_label("Your password").fill(PASSWORD)
    look(page, "second-factor-none")
    page.get_by_role("button", name="Set it up").click()
    look(page, "second-factor-enrol")
    secret = page.locator("code").first.inner_text()
    page.get_by_label("Code").fill(code_of(secret, step=-1))
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("#recovery-codes li")).to_have_count(10)
    look(page, "recovery-codes")
    page.get_by_role("link", name="I have saved them").click()
    page.get_by_role("button", name="Agree").click()
    expect(page.get_by_text("confirmed by rita")).to_be_visible()
    look(page, "membership-confirmed")

    page.goto(f"{live_server.url}/admin/second-factor/")
    look(page, "second-factor")
    page.goto(f"{live_server.url}/admin/second-factor/code/?next=/admin/tenants/membership/")
    look(page, "step-up")
    page.get_by_label("Code").fill(code_of(secret, step=1))
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/admin/tenants/membership/")


def test_a_forgotten_password_and_a_new_mailbox(acme: Firm, page: Page, live_server: LiveServer) -> None:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    page.goto(f"{live_server.url}/admin/")
    page.get_by_role("link", name="Set a new password").click()
    look(page, "password-ask")
    page.get_by_label("Sign-in name").fill("bob")
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_role("heading", name="Check your mailbox")).to_be_visible()
    look(page, "password-asked")
    # As the worker does.
    password_link_send("bob")
    page.goto(link_to("bob@example.com"))
    look(page, "password-set")
    page.locator("#id_password1").fill("a password of their own")
    page.locator("#id_password2").fill("a password of their own")
    page.get_by_role("button", name="Set the password").click()
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password").fill("a password of their own")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(is_home)
    page.goto(f"{live_server.url}/admin/my-account/")
    look(page, "my-account")
    mailbox_link_send(User.objects.get_by_natural_key("bob"), email="new@example.com")
    page.goto(link_to("new@example.com"))
    look(page, "mailbox")
    page.get_by_role("button", name="Confirm this address").click()
    page.goto(f"{live_server.url}/password/set/never-made/")
    look(page, "link-ended")
