"""The page of one answer in a browser: Back, reload, sharing, and what goes on paper."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from apps.audit.models import Event
from apps.retrieval.events import ANSWERED
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.browser.test_ask import QUOTE, SignIn, alice, ask, width_of
from tests.factories import Firm, make_member
from tests.retrieval.asking import QUESTION, keep_history

__all__ = ["alice"]


def asked(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        return Event.objects.filter(action=ANSWERED).count()


def test_back_and_reload_never_ask_again(acme: Firm, alice: Page) -> None:
    ask(alice)
    alice.reload()
    expect(alice.locator("#answer")).to_contain_text("12.5 %")
    alice.locator("#citation-1 h3 a").click()
    expect(alice.locator("mark#quote")).to_be_visible()
    alice.go_back()
    expect(alice.locator("#answer")).to_contain_text("12.5 %")
    alice.go_back()
    expect(alice.get_by_label("Your question")).to_be_visible()
    alice.go_forward()
    expect(alice.locator("#answer")).to_contain_text("12.5 %")
    assert asked(acme) == 1


def test_an_answer_is_shared_by_its_address_and_taken_back(
    acme: Firm, alice: Page, sign_in: SignIn, browser: Browser
) -> None:
    make_member(acme, "charlie", Role.ANALYST, password=PASSWORD)
    keep_history(acme, 30)
    ask(alice)
    alice.get_by_role("button", name="Share by its address").click()
    address = alice.locator(".ask-address").text_content() or ""
    assert address == alice.url.partition("#")[0]
    alice.get_by_role("button", name="Stop sharing").click()
    expect(alice.get_by_role("button", name="Share by its address")).to_be_visible()


def test_on_paper_stand_question_answer_citations_and_the_record_and_nothing_to_click(alice: Page) -> None:
    ask(alice)
    alice.emulate_media(media="print")
    for shown in (".ask-asked", ".ask-text", "#citation-1 .ask-quote", ".ask-facts"):
        expect(alice.locator(shown).first).to_be_visible()
    expect(alice.locator("#citation-1 .ask-quote")).to_contain_text(QUOTE)
    event = alice.url.rstrip("/").rpartition("/")[2]
    expect(alice.locator(".ask-facts .ask-on-paper", has_text=event)).to_be_visible()
    for hidden in ("#ask-form", "#way", "#share", "#nav-sidebar-apps", ".ask-open"):
        expect(alice.locator(hidden).first).to_be_hidden()


def test_the_page_of_a_kept_answer_fits_a_narrow_screen(acme: Firm, alice: Page) -> None:
    keep_history(acme, 30)
    ask(alice)
    alice.get_by_role("button", name="Share by its address").click()
    alice.set_viewport_size({"width": 400, "height": 800})
    assert width_of(alice) <= 400


def test_a_follow_up_is_asked_below_the_answer_and_says_how_it_was_read(acme: Firm, alice: Page) -> None:
    ask(alice, QUESTION.replace("Alpha", "Beta"))
    alice.get_by_label("Your follow-up").fill("And of the Alpha Fund?")
    alice.get_by_label("Your follow-up").press("Control+Enter")
    expect(alice.locator(".ask-read-as")).to_contain_text(f"Read as: {QUESTION}")
    expect(alice.locator("#answer")).to_contain_text("12.5 %")
    expect(alice.locator(".ask-earlier li")).to_have_count(2)
    for width in (1440, 400):
        alice.set_viewport_size({"width": width, "height": 900})
        assert width_of(alice) <= width
    alice.get_by_role("link", name="Start anew").click()
    expect(alice.get_by_label("Your question")).to_have_value("")
    expect(alice.locator("input[name=after]")).to_have_count(0)
    assert asked(acme) == 2


REFUSED = "What was the maximum drawdown of the Omega Fund in the second quarter of 1999?"


def test_a_refusal_goes_to_an_officer_and_comes_back_answered(acme: Firm, alice: Page) -> None:
    ask(alice, REFUSED)
    alice.get_by_role("button", name="Send to an officer").click()
    expect(alice.locator("#sent")).to_contain_text("Agree that the officers")
    alice.get_by_label("Note").fill("For the board.")
    alice.get_by_label("The officers may keep").check()
    alice.get_by_role("button", name="Send to an officer").click()
    expect(alice.locator("#sent")).to_contain_text("Waits for an officer")
    alice.get_by_role("link", name="Sent to officers").click()
    alice.get_by_role("link", name=REFUSED).click()
    alice.get_by_label("Answer it").check()
    alice.get_by_label("What you tell the person").fill("Ask the fund's manager.")
    alice.get_by_role("button", name="Decide").click()
    expect(alice.locator("#content")).to_contain_text("Answered by an officer")
    for width in (1440, 400):
        alice.set_viewport_size({"width": width, "height": 900})
        assert width_of(alice) <= width
    alice.set_viewport_size({"width": 1440, "height": 900})
    alice.get_by_role("link", name="My questions").first.click()
    expect(alice.locator("#content tbody")).to_contain_text("Ask the fund's manager.")
    assert asked(acme) == 1
