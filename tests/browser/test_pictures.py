"""The pictures of the handbook, taken from the demo as everybody gets it, and the handbook itself under Help.

    GLASSBOX_TEST_PICTURES=docs/images python3 manage.py test tests/browser/test_pictures.py

takes them anew, small enough to be kept in the repository. Without the variable the same pages are walked through, so
that a picture never shows what is not there any more.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect

from config.env import CHECKOUT
from tests.browser.conftest import is_home, open_context, watched
from tests.config.served import Served, served_platform
from tests.demo.made import make_demo

pytestmark = pytest.mark.slow

_FOLDER: Final = os.environ.get("GLASSBOX_TEST_PICTURES", "")
_COLOURS: Final = 64
_LARGEST_BYTES: Final = 200_000
_ALL_BYTES: Final = 3_000_000
QUESTION: Final = "What was last quarter's drawdown?"

SignIn = Callable[[str], Page]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The demo's two firms, served as an operator serves them."""
    home = make_demo(tmp_path_factory).home
    with served_platform(home, GLASSBOX_WARM_UP="1") as served:
        yield served


@pytest.fixture(scope="module")
def people(browser: Browser, demo: Served) -> Iterator[SignIn]:
    """Each person of the demo in a browser of their own. It is theirs to the end of the tests of this file."""
    passwords = json.loads((demo.home / "demo.json").read_text(encoding="utf-8"))["passwords"]
    contexts: dict[str, BrowserContext] = {}
    pages: dict[str, Page] = {}
    complaints: list[str] = []

    def as_person(name: str) -> Page:
        if name not in pages:
            contexts[name] = open_context(browser, demo.base_url)
            page = watched(contexts[name].new_page(), demo.base_url, complaints)
            page.goto("/admin/")
            page.get_by_label("Username").fill(name)
            page.get_by_label("Password").fill(passwords[name])
            page.get_by_role("button", name="Log in").click()
            page.wait_for_url(is_home)
            pages[name] = page
        return pages[name]

    yield as_person
    for each in contexts.values():
        each.close()
    assert complaints == []


def take(page: Page, name: str) -> None:
    """Keep what stands in the window, in few colours, where somebody asked for pictures."""
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    content = page.screenshot(animations="disabled", caret="hide")
    if _FOLDER:
        picture = Image.open(io.BytesIO(content)).convert("RGB")
        small = picture.quantize(_COLOURS, dither=Image.Dither.NONE)
        small.save(CHECKOUT / _FOLDER / f"{name}.png", optimize=True)


def open_by_sidebar(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()


def test_the_officer_s_pages(people: SignIn) -> None:
    page = people("officer")
    expect(page.locator("#waiting")).to_be_visible()
    expect(page.locator("#signs")).to_contain_text("Health")
    take(page, "start")

    open_by_sidebar(page, "Ask")
    page.get_by_label("Your question").fill(QUESTION)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#answer")).to_be_visible()
    take(page, "ask")

    open_by_sidebar(page, "In force")
    expect(page.get_by_role("heading", name="Context budget")).to_be_visible()
    take(page, "policy")

    open_by_sidebar(page, "Classifier's desk")
    expect(page.get_by_role("heading", name="Review examples")).to_be_visible()
    take(page, "desk")

    open_by_sidebar(page, "Who could reach what")
    page.get_by_label("Person or API key").fill("officer")
    page.get_by_role("button", name="Show what could be reached").click()
    expect(page.locator("#access-sentence")).to_be_visible()
    take(page, "access")


def test_a_draft_and_its_review(people: SignIn) -> None:
    page = people("officer")
    open_by_sidebar(page, "Drafts")
    page.get_by_role("link", name="Begin a draft").first.click()
    page.locator("textarea[name=reason]").fill("Analysts ask when the next figures are due.")
    page.locator("form button[type=submit].gb-primary").click()
    page.get_by_label("Performance may reach Schedules").check()
    expect(page.locator("#draft-changes")).to_contain_text("Performance can now reach Schedules.")
    take(page, "draft")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("Draft saved")).to_be_visible()
    page.get_by_role("link", name="Submit for review").click()
    page.locator("main form button[type=submit]").last.click()
    expect(page.locator("#own")).to_be_visible()

    reviewer = people("reviewer")
    open_by_sidebar(reviewer, "Waiting for review")
    reviewer.locator("#to-decide a.gb-primary").first.click()
    expect(reviewer.locator("#changes")).to_contain_text("Performance can now reach Schedules.")
    take(reviewer, "review")


def test_the_data_protection_officer_s_pages(people: SignIn) -> None:
    page = people("dpo")
    page.goto("/admin/privacy/requests/receive/?subject=data_subject")
    page.get_by_label("Names", exact=True).fill("Jo Example")
    page.get_by_label("Their name").fill("Jo Example")
    page.get_by_label("Their e-mail address").fill("jo@client.example")
    page.get_by_role("button", name="Take the request in").click()
    expect(page.get_by_text("What to do next").first).to_be_visible()
    take(page, "request")
    open_by_sidebar(page, "Access and erasure requests")
    take(page, "requests")
    open_by_sidebar(page, "Retention")
    expect(page.get_by_text("What is kept how long").first).to_be_visible()
    take(page, "retention")


def test_the_auditor_s_pages(people: SignIn) -> None:
    page = people("auditor")
    open_by_sidebar(page, "Events")
    take(page, "events")
    open_by_sidebar(page, "Verification")
    page.get_by_role("button", name="Verify the log now").click()
    expect(page.get_by_text("The log is intact").first).to_be_visible()
    take(page, "verification")


def test_the_administrator_s_pages(people: SignIn) -> None:
    page = people("admin")
    for entry, name in (("Documents", "documents"), ("Members", "members"), ("API keys", "keys")):
        open_by_sidebar(page, entry)
        take(page, name)


def test_the_developer_s_page(people: SignIn) -> None:
    """The reference of the API, at the operation by which a question is asked."""
    page = people("admin")
    page.goto("/api/v1/docs/")
    operation = page.locator("[id$='-ask_question']")
    operation.locator(".opblock-summary-control").click()
    expect(operation.get_by_text("Answers from the documents that your scopes")).to_be_visible()
    operation.evaluate("element => element.scrollIntoView({block: 'start'})")
    take(page, "api")


@pytest.mark.parametrize("width", [1440, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_handbook_is_read_under_help(people: SignIn, width: int, scheme: str, tmp_path: Path) -> None:
    """In the admin's own light or dark, with its search and its pictures, and no wider than the window."""
    page = people("officer")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/admin/")
    page.evaluate("scheme => localStorage.setItem('adminTheme', JSON.stringify(scheme))", scheme)
    open_by_sidebar(page, "Help")
    page.wait_for_url("**/admin/help/")
    page.set_viewport_size({"width": width, "height": 900})
    shown = {"light": "default", "dark": "slate"}[scheme]
    for address in ("", "concepts/", "handbooks/officer/", "glossary/", "operations/deploy/"):
        page.goto(f"/admin/help/{address}")
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", shown)
        page.wait_for_load_state("networkidle")
        broken = "images => images.filter(each => !each.complete || !each.naturalWidth).map(each => each.src)"
        assert page.locator("img").evaluate_all(broken) == []
        assert page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth") <= 0, address
        page.screenshot(path=tmp_path / f"{address.replace('/', '-') or 'index'}{scheme}-{width}.png")


def test_the_handbook_is_searched(people: SignIn) -> None:
    page = people("auditor")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/admin/help/")
    # By its role: the theme names the dialog around it the same, once its program runs.
    search, found = page.get_by_role("textbox", name="Search"), page.locator(".md-search-result__item").first
    # By keys, since the theme searches when one is let go; and again, since a busy machine loads its program slowly.
    for _ in range(20):
        search.fill("")
        search.press_sequentially("context budget")
        with suppress(AssertionError):
            expect(found).to_be_visible(timeout=3_000)
            break
    expect(found).to_be_visible()


def test_the_pictures_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in (CHECKOUT / "docs" / "images").glob("*.png")}
    assert sizes
    assert {name for name, size in sizes.items() if size > _LARGEST_BYTES} == set()
    assert sum(sizes.values()) < _ALL_BYTES
