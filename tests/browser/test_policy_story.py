"""A change of the whitelist as its people live it: drafted, reviewed, in force by the clock, asked about afterwards.

Pictures of each station are kept under <GLASSBOX_HOME>/screenshots, for whoever wants to see what was tested.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import httpx
import psycopg
import pytest
from django.conf import settings
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.intents import tasks
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.conftest import admin_dsn
from tests.factories import Firm, make_key, make_member

SignIn = Callable[[str], Page]
QUESTION = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"


def keep(page: Page, name: str) -> None:
    """A picture of the whole page, for the record."""
    folder = settings.GLASSBOX_HOME / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"policy-{name}.png", full_page=True)


def tab_to(page: Page, wanted: Locator, most: int = 500) -> None:
    """As somebody without a mouse gets there."""
    target = wanted.element_handle()
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("element => element === document.activeElement", target):
            return
    pytest.fail(f"{wanted} is not reached with the Tab key")


def enter(page: Page, wanted: Locator) -> None:
    tab_to(page, wanted)
    page.keyboard.press("Enter")


def begin_two_days_ago(firm: Firm) -> None:
    """The firm, its people and its policy have been there since the day before yesterday."""
    columns = (
        ("tenants_tenant", "id", "created_at"),
        ("tenants_scope", "tenant_id", "created_at"),
        ("tenants_membership", "tenant_id", "created_at"),
        ("tenants_membership", "tenant_id", "accepted_at"),
        ("tenants_membership", "tenant_id", "confirmed_at"),
        ("tenants_grant", "tenant_id", "valid_from"),
        ("intents_policyversion", "tenant_id", "valid_from"),
    )
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as superuser:
        superuser.execute("SET session_replication_role = replica")  # no trigger lets anybody do this
        for table, key, column in columns:
            superuser.execute(
                f"UPDATE {table} SET {column} = {column} - interval '2 days' WHERE {key} = %s",
                [firm.tenant.id],
            )


def approve_from_a_moment(page: Page) -> datetime:
    """So far ahead that it is still to come when the page of the approval is there, however slow the machine."""
    for seconds in (30, 90):
        effective_from = datetime.now(UTC) + timedelta(seconds=seconds)
        date = page.locator("input[name=approve_later-effective_from]")
        tab_to(page, date)
        # A browser's field for a date takes keys in the order of its own language; its value is set as those would.
        date.evaluate("(field, value) => { field.value = value; }", effective_from.strftime("%Y-%m-%dT%H:%M:%S"))
        enter(page, page.get_by_role("button", name="Approve, in force from the date given"))
        approved = page.locator("#version", has_text="It takes effect automatically")
        expect(approved.or_(page.get_by_text("has passed: a version takes effect now or later"))).to_be_visible()
        if approved.is_visible():
            return effective_from
    raise AssertionError("the moment had always passed")


def test_a_change_of_the_whitelist_from_its_draft_to_the_auditor_with_the_keyboard_alone(
    acme: Firm, live_server: LiveServer, sign_in: SignIn
) -> None:
    for name, role in (("olivia", Role.COMPLIANCE_OFFICER), ("rupert", Role.REVIEWER), ("dora", Role.AUDITOR)):
        make_member(acme, name, role, password=PASSWORD)
    key = make_key(acme, Role.ANALYST)[1]
    begin_two_days_ago(acme)

    def reached() -> tuple[int, bool]:
        """The version that a client's question is answered under, and whether it may reach schedules."""
        answer = httpx.post(
            f"{live_server.url}/api/v1/query/",
            json={"question": QUESTION},
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=30,
        ).json()
        return answer["policy_version"], "schedule" in answer["kinds"]["permitted"]

    assert reached() == (1, False)

    # The officer drafts and submits.
    page = sign_in("olivia")
    enter(page, page.get_by_role("link", name="Drafts", exact=True))
    expect(page.get_by_role("heading", name="Drafts").first).to_be_visible()
    enter(page, page.get_by_role("link", name="Begin a draft").first)
    tab_to(page, page.locator("textarea[name=reason]"))
    page.keyboard.type("Analysts ask when figures are due.")
    enter(page, page.locator("form button[type=submit].gb-primary"))
    tick = page.get_by_label("Performance may reach Schedules")
    expect(tick).to_be_visible()
    tab_to(page, tick)
    page.keyboard.press("Space")
    expect(page.locator("#draft-changes")).to_contain_text("Performance can now reach Schedules.")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Draft saved, version 2")).to_be_visible()
    keep(page, "1-draft")
    enter(page, page.get_by_role("link", name="Submit for review"))
    expect(page.locator("form .gb-primary, form .gb-danger").first).to_be_visible()
    keep(page, "2-submit")
    enter(page, page.locator("#main form button[type=submit], main form button[type=submit]").last)

    # What she wrote she can't approve, neither on the page nor past it.
    expect(page.locator("#own")).to_contain_text("somebody else decides on it")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    keep(page, "3-author")
    status = page.evaluate(
        """async () => {
            const form = document.querySelector('form[method=post]');
            const body = new FormData(form);
            body.set('act', 'approve');
            return (await fetch(location.pathname, {method: 'POST', body})).status;
        }"""
    )
    assert status == 403
    review = page.url.partition("#")[0]

    # Somebody else approves it, from a moment on.
    page = sign_in("rupert")
    enter(page, page.get_by_role("link", name="Waiting for review", exact=True))
    enter(page, page.locator("#to-decide a.gb-primary"))
    page.wait_for_url(review)
    expect(page.locator("#changes")).to_contain_text("Performance can now reach Schedules.")
    keep(page, "4-review")
    effective_from = approve_from_a_moment(page)
    keep(page, "5-approved")
    assert reached() == (1, False)

    # It comes into force by the clock, and the client's question reaches another kind.
    time.sleep(max(0.0, (effective_from - datetime.now(UTC)).total_seconds()) + 0.1)
    assert tasks.activate_due_policies() == 1
    assert reached() == (2, True)

    # An auditor asks what could be reached yesterday, and what now.
    page = sign_in("dora")
    enter(page, page.get_by_role("link", name="Who could reach what", exact=True))
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for at, version, schedules in ((yesterday, 1, False), (datetime.now(UTC), 2, True)):
        tab_to(page, page.get_by_label("Person or API key"))
        page.keyboard.press("Control+a")
        page.keyboard.type("olivia")
        moment = page.locator("input[name=date]")
        tab_to(page, moment)
        moment.evaluate("(field, value) => { field.value = value; }", at.strftime("%Y-%m-%dT%H:%M:%S"))
        enter(page, page.get_by_role("button", name="Show what could be reached"))
        answer = page.locator("#access-sentence")
        expect(answer).to_contain_text(f"version {version}")
        row = page.get_by_role("row", name="Performance")
        expect(row.get_by_title("could be reached")).to_have_count(4 if schedules else 3)
        keep(page, f"6-auditor-version-{version}")
