"""An auditor proves what changed between two moments, and asks who could reach what, in a browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page, expect

from apps.intents.services.drafts import draft_start
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_member
from tests.intents.profile.rules import ATLAS, TAX
from tests.intents.reviewing import submitted

# Where pictures of the pages go, for whoever wants to look at them.
_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")


def picture(page: Page, name: str) -> None:
    """At both widths; nothing may stick out at 400."""
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"proof-{name}-{width}.png", full_page=True)
        sticks_out = page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
        assert sticks_out <= 0, f"{name} is wider than the screen at {width}"
    page.set_viewport_size({"width": 1440, "height": 900})


def test_two_moments_between_which_uploaders_and_profile_changed(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    olivia = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)
    before = datetime.now(UTC)
    version = submitted(
        olivia,
        lambda policy: replace(
            policy,
            profile=(TAX, ATLAS),
            budgets=(replace(policy.budgets[0], uploaders=(Role.TENANT_ADMIN,)), *policy.budgets[1:]),
        ),
    )
    with as_(make_member(acme, "rupert", Role.REVIEWER)):
        version_approve(version.id)
    with as_(olivia):
        draft = draft_start(reason="An invariant.")

    page = sign_in("ada")
    page.goto("/admin/policy/compare/")
    page.get_by_label("Before").fill(before.isoformat())
    page.get_by_label("After").fill("active")
    page.get_by_role("button", name="Show how they differ").click()
    picture(page, "comparison")
    page.get_by_role("link", name="Prove what this change lets through").click()
    expect(page.locator("#proof")).to_contain_text("Every role still uploads each kind that it uploaded before, but:")
    expect(page.locator("#proof")).to_contain_text("Firm profiles, by the role Analyst")
    picture(page, "of-a-comparison")
    with page.expect_download() as handed:
        page.get_by_role("link", name="Download the proof").click()
    assert handed.value.suggested_filename == "policy-proof.json"

    page.goto(
        f"/admin/policy/access/centre/?mode=changes&since={before:%Y-%m-%dT%H:%M:%S.%f}"
        f"&until={datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}&who=&role=&scope=&kind=Past+runs&document="
    )
    expect(page.locator("#centre-profile")).to_contain_text("Profile: the topic “Tax advice” is new")
    picture(page, "centre")
    page.get_by_role("link", name="Report to print").click()
    expect(page.locator("#access-report")).to_contain_text("Profile: the topic “Tax advice” is new")
    picture(page, "report")

    page.context.clear_cookies()
    page = sign_in("olivia")
    page.goto(f"/admin/policy/drafts/{draft.id}/#part-invariants")
    expect(page.locator("#part-invariants")).to_contain_text("It does not stop anybody from opening a document's page")
    picture(page, "invariants")
