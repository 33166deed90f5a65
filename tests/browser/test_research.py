"""Research in the browser: the plan, its confirmation, the steps as they come, and the answer with its sources."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from django.conf import LazySettings
from playwright.sync_api import Page, expect

from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import short_profile
from tests.model_server import ModelServer
from tests.research.running import QUESTION, carry_out, make_house, person, row
from tests.research.test_modes import bound, put_in_force

SignIn = Callable[[str], Page]


def _look(page: Page, name: str) -> None:
    """Keep a picture of the page at both widths, where the tester asks for it."""
    folder = os.environ.get("GLASSBOX_TEST_LOOK")
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is wider than {width} pixels"
        if folder:
            page.screenshot(path=Path(folder, f"{name}-{width}.png"), full_page=True)
    page.set_viewport_size({"width": 1440, "height": 900})


def test_from_the_question_to_the_sources(
    transactional_db: None, settings: LazySettings, model_server: ModelServer, sign_in: SignIn
) -> None:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(model_server)}
    house = make_house(password=PASSWORD)
    page = sign_in("alice")
    page.get_by_role("link", name="Research", exact=True).click()
    _look(page, "research")
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Plan the research").click()
    expect(page.get_by_text("Not searched, because the policy withholds it")).to_be_visible()
    _look(page, "research-plan")
    page.get_by_role("button", name="Start the research").click()
    expect(page.get_by_role("heading", name="Waiting for a worker")).to_be_visible()
    run_id = UUID(page.url.rstrip("/").split("/")[-1])
    carry_out(row(person(house, "alice"), run_id))
    answer = page.locator("#answer")
    expect(answer).to_be_visible()
    expect(answer.get_by_role("cell", name="12.5 %")).to_be_visible()
    _look(page, "research-answer")
    answer.get_by_role("link", name="alpha, version 1, page 1").click()
    expect(page.get_by_text("12.5 %").first).to_be_visible()


def test_the_page_says_which_modes_the_policy_does_not_permit(
    transactional_db: None, settings: LazySettings, model_server: ModelServer, sign_in: SignIn
) -> None:
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(model_server)}
    house = make_house(password=PASSWORD)
    put_in_force(house, bound("direct", "standard"), bound("direct", "standard", "detailed", key="all", intents=()))
    page = sign_in("alice")
    page.get_by_role("link", name="Research", exact=True).click()
    expect(page.get_by_text("The policy permits no question in: Deep search.")).to_be_visible()
    expect(page.get_by_label("Deep search")).to_have_count(0)
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_label("Detailed").check()
    page.get_by_role("button", name="Plan the research").click()
    expect(page.get_by_role("alert").filter(has_text="not researched in the mode Detailed")).to_be_visible()
    _look(page, "research-mode")
