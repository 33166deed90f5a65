"""A real Chromium against the live server. Nothing may leave the machine, and no script may fail unnoticed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm
from tests.model_server import ModelServer

PASSWORD = "a password for tests"
_PATIENCE_MS = 90_000
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
)


# The shell is Chromium without what a person's windows need: for the same pages it does a third of the work.
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")


def chromium() -> str:
    """Return the path of the browser that takes the least work.

    Fails the test: there is none.
    """
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if found is None:
        pytest.fail("The browser tests need Chromium on PATH: apt-get install chromium-headless-shell", False)
    return found


@pytest.fixture(scope="package", autouse=True)
def _rows_beside_a_browser() -> Iterator[None]:
    """Playwright's loop runs in this thread, though never while a test of ours does: Django need not keep off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield


@pytest.fixture(scope="package")
def browser(_rows_beside_a_browser: None) -> Iterator[Browser]:
    """Ends with this package: no loop is left running for the tests of others."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=_FLAGS)
        yield running
        running.close()


def open_context(browser: Browser, base_url: str) -> BrowserContext:
    """Open a context, as every test does: with as much patience as a busy machine needs."""
    opened = browser.new_context(base_url=base_url, viewport={"width": 1440, "height": 900}, timezone_id="UTC")
    # Generous: a submission embeds every golden example, and the machine may be busy with the other half of the suite.
    opened.set_default_timeout(_PATIENCE_MS)
    expect.set_options(timeout=_PATIENCE_MS)
    return opened


@pytest.fixture
def context(browser: Browser, live_server: LiveServer) -> Iterator[BrowserContext]:
    opened = open_context(browser, live_server.url)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, live_server: LiveServer) -> Iterator[Page]:
    """A page that fails its test when it asks another machine for anything, one of its scripts fails, or it does what
    the Content-Security-Policy does not allow."""
    complaints: list[str] = []
    opened = watched(context.new_page(), live_server.url, complaints)
    yield opened
    assert complaints == []


def is_home(url: str) -> bool:
    """Whether this is the first page after the login. The login's own address ends with it, too: ?next=/admin/."""
    return urlsplit(url).path == "/admin/"


def watched(page: Page, base_url: str, complaints: list[str]) -> Page:
    """Args: complaints: where to note what the page asks of others, and what fails or is refused in it."""
    here = urlsplit(base_url).netloc
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
    page.on(
        "request",
        lambda request: (
            complaints.append(f"foreign: {request.url}") if urlsplit(request.url).netloc not in (here, "") else None
        ),
    )
    page.on(
        "console",
        lambda said: complaints.append(f"console: {said.text}") if _is_refusal(said.text) else None,
    )
    # Printed and not refused, because some tests provoke it. Of a test that waits in vain it tells what went wrong.
    page.on("requestfailed", lambda request: print("failed:", request.url, request.failure))
    page.on("response", lambda answer: print(answer.status, answer.url) if answer.status >= 400 else None)
    return page


def _is_refusal(text: str) -> bool:
    """The browser's own word for it, or Alpine's for an expression that it can't read."""
    return "Content Security Policy" in text or "Permissions-Policy" in text or "Alpine" in text


@pytest.fixture
def sign_in(page: Page) -> Callable[[str], Page]:
    def as_person(username: str) -> Page:
        # A page that is left open still asks for progress. An answer that arrives after the login page would bring
        # another CSRF cookie than the one its form was made with.
        page.goto("about:blank")
        page.context.clear_cookies()
        page.goto("/admin/")
        page.get_by_label("Username").fill(username)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(is_home)
        return page

    return as_person


def signed_in(browser: Browser, live_server: LiveServer, visitor: Client) -> BrowserContext:
    """A browser with a visitor's session: whatever either does there, the other sees."""
    context = open_context(browser, live_server.url)
    cookie = visitor.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    return context


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def acme(transactional_db: None, settings: LazySettings, model_server: ModelServer) -> Firm:
    """A firm whose vectors are made by the test's model server, so that no model is loaded."""
    remote = {"remote": short_profile(model_server)}
    settings.GLASSBOX_EMBEDDING_PROFILES = {**settings.GLASSBOX_EMBEDDING_PROFILES, **remote}
    firm = baked(make_firm, "acme")
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
    return firm
