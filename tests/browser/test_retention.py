"""Retention and a purge, in a browser: rules drafted by one, approved by another; a purge counted and proposed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.erasure.models import PurgePart, RemovalRun
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.retaining import asked_at
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

SignIn = Callable[[str], Page]


def test_rules_are_changed_by_two_people_and_a_purge_is_proposed(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "dora", Role.DPO, password=PASSWORD)
    make_member(acme, "rupert", Role.REVIEWER, password=PASSWORD)
    for hours in range(3):
        asked_at(acme, timezone.now() - timedelta(days=3700, hours=hours))

    page = sign_in("dora")
    page.get_by_role("link", name="Retention").click()
    expect(page.get_by_role("heading", name="Rules in force now")).to_be_visible()
    page.get_by_role("link", name="Draft other rules").click()
    page.get_by_label("Why other rules are wanted").fill("Questions need not be kept for longer than eight years.")
    page.get_by_role("button", name="Begin the draft").click()
    gone = page.get_by_label("Question answered : gone after, months")
    gone.fill("60")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_text("enter 84 or more, or leave it empty").first).to_be_visible()
    gone.fill("96")
    page.get_by_role("button", name="Save, and go on to submit it").click()
    page.get_by_role("button", name="Submit schedule 2 for review").click()
    expect(page.locator("#own")).to_contain_text("somebody else decides")

    page = sign_in("rupert")
    page.set_viewport_size({"width": 400, "height": 800})
    page.locator("#waiting").get_by_role("link", name="Retention rules to review").click()
    page.get_by_role("link", name="Review it and decide").click()
    expect(page.locator("#effects tbody tr")).to_contain_text("Question answered")
    assert page.locator("html").evaluate("html => html.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Approve and put in force now").click()
    expect(page.locator("#schedule")).to_contain_text("These rules now decide")

    page = sign_in("dora")
    page.goto(page.url.split("/admin/")[0] + "/admin/privacy/purges/new/?reach=must")
    page.get_by_label("Why now").fill("It is past its date.")
    page.get_by_role("button", name="Count what would be removed").click()
    expect(page.get_by_role("heading", name="Dry run of")).to_contain_text("9 things found")
    assert page.locator("html").evaluate("html => html.scrollWidth <= window.innerWidth")
    page.get_by_role("button", name="Propose this purge").click()
    expect(page.locator("#parts")).to_contain_text("Waits for a second person")
    with open_scope(tenant=acme.id, reason="a test"):
        part = PurgePart.objects.get()
        assert (part.targets, RemovalRun.objects.get(id=part.run_id).state) == (9, "proposed")
