"""The second person's work in a browser: decided with the keyboard alone, and at the width of a telephone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.reviewers import TwoFor
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_member
from tests.intents.reviewing import again, submitted

SignIn = Callable[[str], Page]


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)


@pytest.fixture
def version(acme: Firm, olivia: Principal) -> PolicyVersion:
    make_member(acme, "rupert", Role.REVIEWER, password=PASSWORD)
    return submitted(olivia)


def tab_to(page: Page, selector: str, *, at_most: int = 120) -> None:
    """As somebody without a mouse gets there."""
    for _ in range(at_most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"{selector} is not reached with the Tab key")


def test_a_reviewer_finds_reads_and_approves_with_the_keyboard_alone(
    acme: Firm, version: PolicyVersion, sign_in: SignIn
) -> None:
    page = sign_in("rupert")
    tab_to(page, "#waiting a[href*='/policy/reviews/']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/policy/reviews/")
    tab_to(page, "#to-decide a.gb-primary")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/policy/versions/{version.id}/review/")
    tab_to(page, "a[href='#decision']")
    page.keyboard.press("Enter")
    tab_to(page, "textarea[name='approve-note']")
    page.keyboard.type("Agreed.")
    tab_to(page, "button[type='submit']")
    assert page.evaluate("document.activeElement.textContent") == "Approve and put in force now"
    page.keyboard.press("Enter")
    expect(page.locator("#version")).to_contain_text("This version now decides")
    expect(page.locator("#story")).to_contain_text("rupert approved it")
    assert again(acme, version).status == VersionStatus.ACTIVE


def test_the_author_finds_no_way_to_approve_and_both_can_speak(
    acme: Firm, version: PolicyVersion, sign_in: SignIn
) -> None:
    page = sign_in("olivia")
    page.goto(f"/admin/policy/versions/{version.id}/review/")
    expect(page.locator("#own")).to_contain_text("somebody else decides on it")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    page.get_by_label("Your comment").fill("The public schedules only.")
    page.get_by_role("button", name="Add the comment").click()
    expect(page.locator("#discussion")).to_contain_text("The public schedules only.")
    assert again(acme, version).status == VersionStatus.IN_REVIEW


def test_on_a_narrow_screen_the_files_stand_in_one_column_and_nothing_is_too_wide(
    version: PolicyVersion, sign_in: SignIn
) -> None:
    page = sign_in("rupert")
    page.set_viewport_size({"width": 400, "height": 800})
    too_wide = {}
    for address in (
        "/admin/policy/reviews/",
        f"/admin/policy/versions/{version.id}/review/",
        "/admin/policy/compare/?before=1&after=2",
        f"/admin/intents/policyversion/{version.id}/change/",
    ):
        page.goto(address)
        width = page.locator("html").evaluate("html => html.scrollWidth")
        if width > 400:
            too_wide[address] = width
    assert too_wide == {}
    page.goto(f"/admin/policy/versions/{version.id}/review/")
    page.locator("#sides > details > summary").click()
    gone, came = page.locator(".gb-side-gone").first.bounding_box(), page.locator(".gb-side-came").first.bounding_box()
    assert gone is not None
    assert came is not None
    assert came["y"] >= gone["y"] + gone["height"]
    assert came["x"] == gone["x"]


def test_a_review_by_two_with_a_comment_on_a_cell_is_done_with_the_keyboard_alone(
    acme: Firm, olivia: Principal, sign_in: SignIn
) -> None:
    rupert = make_member(acme, "rupert", Role.REVIEWER, password=PASSWORD)
    make_member(acme, "rita", Role.REVIEWER, password=PASSWORD)
    ruled = submitted(olivia, lambda each: replace(narrow_bar(each), two_reviewers_for=(TwoFor.WIDER_REACH,)))
    with as_(rupert):
        version_approve(ruled.id)
    version = submitted(olivia)
    address = f"/admin/policy/versions/{version.id}/review/"

    page = sign_in("rupert")
    page.goto(address)
    expect(page.locator("#two-reviewers")).to_contain_text("Nobody has approved it yet.")
    # The cell that changes is reached from its name, and what is said from the cell.
    tab_to(page, ".gb-cells a")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#cell-performance-schedule"
    tab_to(page, "#cell-performance-schedule a.gb-cell-speak")
    page.keyboard.press("Enter")
    page.wait_for_url("**/review/?about=performance%2Fschedule#discussion")
    tab_to(page, "textarea[name='comment-text']")
    page.keyboard.type("The public schedules only?")
    tab_to(page, "#discussion button[type='submit']")
    page.keyboard.press("Enter")
    expect(page.locator("#discussion")).to_contain_text("On Performance: Schedules")
    expect(page.locator("#decision")).to_contain_text("1 comment is still open.")

    page = sign_in("olivia")
    page.goto(address)
    tab_to(page, "#discussion summary")
    page.keyboard.press("Enter")
    tab_to(page, "#discussion article textarea")
    page.keyboard.type("Only those.")
    expect(page.locator("#discussion button[value='resolved']")).to_have_count(0)
    tab_to(page, "#discussion article button[type='submit']")
    page.keyboard.press("Enter")
    expect(page.locator("#discussion")).to_contain_text("Only those.")

    page = sign_in("rupert")
    page.goto(address)
    tab_to(page, "#discussion summary")
    page.keyboard.press("Enter")
    tab_to(page, "#discussion article textarea")
    page.keyboard.type("Settled.")
    tab_to(page, "#discussion button[value='resolved']")
    page.keyboard.press("Enter")
    expect(page.locator("#discussion")).to_contain_text("rupert resolved it")

    for name, words in (("rupert", "as the first of two reviewers"), ("rita", "It is in force.")):
        page = sign_in(name)
        page.goto(address)
        tab_to(page, "textarea[name='approve-note']")
        page.keyboard.type(f"Agreed, {name}.")
        tab_to(page, "button[type='submit']")
        page.keyboard.press("Enter")
        expect(page.locator("#main")).to_contain_text(words)
    expect(page.locator("#story")).to_contain_text("rupert approved it, as the first of two: “Agreed, rupert.”")
    assert again(acme, version).status == VersionStatus.ACTIVE


def narrow_bar(snapshot: PolicySnapshot) -> PolicySnapshot:
    """Its own bar is 0, as in `wider`; nothing else changes."""
    return replace(snapshot, classifier=replace(snapshot.classifier, minimum_golden_accuracy=0.0))
