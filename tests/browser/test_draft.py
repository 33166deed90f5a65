"""An officer edits a draft in the browser: with the mouse, and with the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from apps.intents.contracts import PolicySnapshot
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

SignIn = Callable[[str], Page]


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER, password=PASSWORD)


@pytest.fixture
def draft(acme: Firm, olivia: Principal) -> PolicyVersion:
    with open_scope(tenant=acme.id, principal=olivia):
        return draft_start(reason="Schedules belong to performance.")


@pytest.fixture
def editor(draft: PolicyVersion, sign_in: SignIn) -> Page:
    page = sign_in("olivia")
    page.goto(f"/admin/policy/drafts/{draft.id}/")
    return page


def stored(firm: Firm, draft: PolicyVersion) -> PolicySnapshot:
    with open_scope(tenant=firm.id, reason="a test"):
        return version_snapshot(PolicyVersion.objects.get(id=draft.id))


def saved(page: Page) -> None:
    expect(page.get_by_text("Draft saved, version 2")).to_be_visible()


def tab_to(page: Page, wanted: Locator, most: int = 80) -> None:
    for _ in range(most):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"not reached from the keyboard: {wanted}")


def test_with_the_mouse_a_tick_and_a_drag_show_at_once_what_they_come_to_and_are_saved(
    acme: Firm, draft: PolicyVersion, editor: Page
) -> None:
    editor.get_by_label("Performance may reach Schedules").check()
    expect(editor.locator("#draft-changes")).to_contain_text("Performance can now reach Schedules.")
    handle = editor.locator("[data-budget=reference_report] .gd-handle")
    handle.scroll_into_view_if_needed()
    first = editor.locator("[data-budget=org_profile]")
    handle.hover()
    editor.mouse.down()
    box = first.bounding_box()
    assert box is not None
    editor.mouse.move(box["x"] + 30, box["y"] + box["height"] - 4, steps=8)
    editor.mouse.move(box["x"] + 30, box["y"] + 3, steps=4)
    editor.mouse.up()
    expect(editor.locator("#moved")).to_have_text("Reference reports is now number 1 of 10.")
    editor.get_by_label("Characters in all, at most").fill("1000")
    expect(editor.locator("[data-full-context=performance]")).to_contain_text("would be left out whole")
    editor.locator("#full-context-of").select_option(label="Performance")
    expect(editor.locator("[data-full-context=compliance]")).to_be_hidden()
    editor.get_by_role("button", name="Save the draft").click()
    saved(editor)
    kept = stored(acme, draft)
    assert FundHouse.SCHEDULE in kept.intents[0].kinds
    assert [budget.kind for budget in kept.budgets][:2] == [FundHouse.REFERENCE_REPORT, FundHouse.ORG_PROFILE]
    assert kept.total_cap_chars == 1000


def test_the_keyboard_alone_gets_through_it(acme: Firm, draft: PolicyVersion, editor: Page) -> None:
    before = stored(acme, draft)
    keyboard = editor.keyboard
    tab_to(editor, editor.get_by_label("Performance may reach Schedules"))
    keyboard.press("Space")
    tab_to(editor, editor.locator("#intent-i1 > summary"), most=120)
    keyboard.press("Enter")
    add = editor.locator("#intent-i1").get_by_role("button", name="Add an example")
    tab_to(editor, add, most=120)
    keyboard.press("Enter")
    keyboard.type("What of the schedules?")
    keyboard.press("Enter")
    keyboard.type("And of the calendars?")
    down = editor.get_by_role("button", name="Move Firm profiles down")
    # The terms of an open intent lie between; closing it is what an officer does, too.
    editor.locator("#intent-i1 > summary").focus()
    keyboard.press("Enter")
    tab_to(editor, down, most=160)
    keyboard.press("Enter")
    expect(editor.locator("#moved")).to_have_text("Firm profiles is now number 2 of 10.")
    expect(down).to_be_focused()
    keyboard.press("Control+s")
    saved(editor)
    kept = stored(acme, draft)
    assert FundHouse.SCHEDULE in kept.intents[0].kinds
    assert [budget.kind for budget in kept.budgets][:2] == [FundHouse.COMPLIANCE_PROFILE, FundHouse.ORG_PROFILE]
    added = {each.text for each in kept.examples} - {each.text for each in before.examples}
    assert added == {"What of the schedules?", "And of the calendars?"}


def test_an_intent_is_added_and_examples_move_into_it(acme: Firm, draft: PolicyVersion, editor: Page) -> None:
    editor.get_by_role("button", name="Add an intent").click()
    expect(editor.locator("#label-i6")).to_be_focused()
    editor.locator("#label-i6").fill("Costs")
    editor.locator("#name-i6").fill("costs")
    expect(editor.locator("[data-matrix=i6] th")).to_have_text("Costs")
    editor.locator("#intent-i1 > summary").click()
    text = editor.locator("#example-i1-0").input_value()
    editor.locator("#intent-i1 [data-row]").first.get_by_label("Intent of this example").select_option("i6")
    expect(editor.locator("#intent-i6 #example-i1-0")).to_have_value(text)
    expect(editor.locator("#problems-intent-i6")).to_contain_text("has 1 review examples")
    editor.locator("#intent-i1 [data-row]").first.get_by_role("button", name="Remove this example").click()
    editor.get_by_role("button", name="Save the draft").click()
    saved(editor)
    kept = stored(acme, draft)
    assert [each.text for each in kept.examples if each.intent == "costs"] == [text]
    assert len([each for each in kept.examples if each.intent == "performance"]) == 21


def test_somebody_who_was_quicker_takes_nothing_away_and_unsaved_work_is_not_left_by_mistake(
    acme: Firm, olivia: Principal, draft: PolicyVersion, editor: Page
) -> None:
    with open_scope(tenant=acme.id, principal=olivia):
        draft_save(draft.id, content=version_snapshot(draft), reason="Said elsewhere.", revision=1)
    editor.get_by_label("Reason, for the reviewer and the record").fill("Said here.")
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    editor.once("dialog", stay)
    editor.get_by_role("link", name="Discard…").click(no_wait_after=True)
    expect(editor.get_by_label("Reason, for the reviewer and the record")).to_have_value("Said here.")
    assert asked == ["beforeunload"]
    editor.keyboard.press("Control+s")
    expect(editor.locator("#conflict")).to_contain_text("Nothing that you typed is lost")
    expect(editor.get_by_label("Reason, for the reviewer and the record")).to_have_value("Said here.")
    editor.get_by_role("button", name="Replace what is stored").click()
    saved(editor)
    assert stored(acme, draft).reason == "Said here."


def test_the_classifier_is_tested_in_place(editor: Page) -> None:
    editor.get_by_role("button", name="Test the classifier on this draft").click()
    expect(editor.locator("#draft-check")).to_contain_text("of 145 review examples")


def test_nothing_is_wider_than_a_narrow_screen(draft: PolicyVersion, editor: Page) -> None:
    editor.set_viewport_size({"width": 400, "height": 800})
    too_wide = {}
    for address in ("", "start/", f"{draft.id}/", f"{draft.id}/submit/", f"{draft.id}/discard/"):
        editor.goto(f"/admin/policy/drafts/{address}")
        editor.evaluate("document.querySelectorAll('#draft-form details').forEach(each => { each.open = true; })")
        width = editor.locator("html").evaluate("html => html.scrollWidth")
        if width > 400:
            too_wide[address] = width
    assert too_wide == {}


def test_a_text_is_tried_on_a_rule_that_was_just_typed_and_shows_what_made_it_fire(
    acme: Firm, draft: PolicyVersion, editor: Page
) -> None:
    rules = editor.locator("#profile-p1")
    rules.get_by_text("Add a topic or a product").click()
    rules.get_by_label("Name, in the firm's words users read it").fill("Tax advice")
    rules.get_by_label("Words and phrases that name it").fill("tax advice")
    rules.get_by_label("Reason for the user").fill("Ask the tax desk.")
    expect(editor.locator("#draft-changes")).to_contain_text("Profile: the topic “Tax advice” is new")
    tried = editor.locator("#tried")
    editor.get_by_label("A question, or the text of an answer").fill("Which ad\u200bvice do you give on TAXES?")
    editor.get_by_role("button", name="Try it on the profile").click()
    expect(tried).to_contain_text("1 of 1 rule fires.")
    expect(tried.locator("mark")).to_have_text("advice do you give on TAXES")
    expect(tried).to_contain_text("A question that names it is refused.")
    editor.get_by_label("A question, or the text of an answer").fill("What did it cost?")
    editor.get_by_role("button", name="Try it on the profile").click()
    expect(tried).to_contain_text("No rule fires.")
    assert stored(acme, draft).profile == ()
    editor.get_by_role("button", name="Save the draft").click()
    saved(editor)
    assert [rule.key for rule in stored(acme, draft).profile] == ["tax_advice"]
