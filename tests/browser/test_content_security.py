"""What a browser runs of our pages: what we wrote, and nothing that somebody stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.template import engines
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect
from playwright.sync_api import Error as PlaywrightError
from pytest_django.live_server_helper import LiveServer

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.baked import baked
from tests.browser.conftest import PASSWORD, signed_in
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.factories import Firm, make_member
from tests.isolation.world import make_world
from tests.model_server import ModelServer
from tests.visitor import Visitor

SignIn = Callable[[str], Page]
_LISTEN = """
    window.refused = [];
    document.addEventListener('securitypolicyviolation', (each) => window.refused.push(
        `${each.effectiveDirective}: ${each.blockedURI} ${each.sample} (${each.sourceFile}:${each.lineNumber})`));
"""
_SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def _signed_in(browser: Browser, live_server: LiveServer, username: str) -> BrowserContext:
    context = signed_in(browser, live_server, Visitor(username))
    context.add_init_script(_LISTEN)
    return context


def _shape(address: str) -> str:
    """Pages that one template makes of different rows are one."""
    parts = urlsplit(address)
    path = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=/)", "<id>", parts.path)
    return f"{path}?{'&'.join(sorted({name for name, _ in parse_qsl(parts.query)}))}"


class _Walk:
    """Follows every link within the admin, one page of each shape, and hears what the browser refuses."""

    def __init__(self, page: Page, seen: set[str]) -> None:
        self._page, self._seen = page, seen
        self.complaints: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))

    def _heard(self, said: ConsoleMessage) -> None:
        if said.type in ("error", "warning") and "status of 4" not in said.text:
            self.complaints.append(f"{self._page.url}: {said.text}")

    def through(self, start: str) -> None:
        waiting = [start]
        while waiting:
            address = waiting.pop(0)
            if (shape := _shape(address)) in self._seen:
                continue
            self._seen.add(shape)
            waiting += self._visited(address)

    def _visited(self, address: str) -> list[str]:
        try:
            self._page.goto(address)
        except PlaywrightError as error:
            if "Download is starting" in str(error):
                return []
            raise
        self._page.evaluate(_SETTLED)
        self.complaints += [f"{address}: {each}" for each in self._page.evaluate("window.refused")]
        found = self._page.evaluate("[...document.links].map((each) => each.getAttribute('href'))")
        return [link for link in (urljoin(self._page.url, each) for each in found) if _is_page(link, self._page.url)]


def _is_page(link: str, here: str) -> bool:
    parts = urlsplit(link)
    same = parts.netloc == urlsplit(here).netloc
    return same and parts.path.startswith(("/admin/", "/api/v1/docs")) and "logout" not in parts.path


@pytest.fixture
def world(transactional_db: None, settings: LazySettings, model_server: ModelServer) -> Any:
    """Two firms with something on every page."""
    local = {"local": remote_profile(model_server)}
    settings.GLASSBOX_EMBEDDING_PROFILES = {**settings.GLASSBOX_EMBEDDING_PROFILES, **local}
    made = baked(make_world)
    for name, role in (("olive", Role.COMPLIANCE_OFFICER), ("ralf", Role.REVIEWER)):
        make_member(made.acme, name, role)
    return made


def test_no_page_does_what_its_policy_refuses(world: Any, browser: Browser, live_server: LiveServer) -> None:
    """Every page that a person of each role can reach by a link, with whatever is stored in it."""
    seen: set[str] = set()
    complaints: list[str] = []
    for name in ("amy", "olive", "ralf", "dan", "ada", "ann"):
        context = _signed_in(browser, live_server, name)
        walk = _Walk(context.new_page(), seen)
        # The start page differs for each.
        seen.discard(_shape("/admin/"))
        walk.through(f"{live_server.url}/admin/")
        complaints += walk.complaints
        context.close()
    assert len(seen) > 80
    assert complaints == [], "\n".join(complaints[:30])


def test_the_pages_of_nobody_do_neither(page: Page) -> None:
    page.add_init_script(_LISTEN)
    for address in ("/admin/login/", "/api/v1/docs/", "/admin/nowhere/", "/nowhere/"):
        page.goto(address)
        page.evaluate(_SETTLED)
        assert page.evaluate("window.refused") == [], address
    page.goto("/api/v1/docs/")
    expect(page.get_by_role("heading", name="Glassbox API")).to_be_visible()
    page.get_by_role("button", name=re.compile("Authorize")).click()
    expect(page.get_by_text("Available authorizations")).to_be_visible()


def test_what_moves_on_a_page_still_moves(acme: Firm, sign_in: SignIn) -> None:
    """By the components of the admin: its palette, its menus, its sidebar, its look."""
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("alice")
    page.keyboard.press("Control+k")
    field = page.locator("#search-input-command")
    expect(field).to_be_visible()
    field.press_sequentially("Documents", delay=30)
    expect(page.locator("#command-results-list li").first).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    page.wait_for_url("**/admin/corpus/document/**")
    sidebar = page.locator("#nav-sidebar-apps")
    expect(sidebar).to_be_visible()
    page.get_by_role("button", name="Show or hide the sidebar").click()
    expect(sidebar).to_be_hidden()
    page.reload()
    expect(sidebar).to_be_hidden()
    page.get_by_role("button", name="Show or hide the sidebar").click()
    expect(sidebar).to_be_visible()


# --- what somebody stored ---

STORED = {
    "script": "<script>window.ran = true</script>",
    "handler": "<img src=x: onerror='window.ran = true'>",
    "svg": "<svg onload='window.ran = true'></svg>",
    "details": "<details open ontoggle='window.ran = true'>x</details>",
    "data": "<script src='data:text/javascript,window.ran=true'></script>",
    "frame": "<iframe srcdoc='<script>parent.ran = true</script>'></iframe>",
    "alpine": "<div x-data='{}' x-init='window.ran = true'></div>",
    "alpine constructor": "<div x-data='{f() {}}' x-init='f.constructor(\"window.ran = true\")()'></div>",
    "alpine html": "<div x-data x-init='$el.innerHTML = \"<img src=x: onerror=window.ran=true>\"'></div>",
    "htmx": "<b hx-get='/admin/login/' hx-trigger='load[window.ran = true]'></b>",
    "htmx on": "<b hx-get='/admin/login/' hx-trigger='load' hx-on::before-request='window.ran = true'></b>",
}
# Those that a page without our policy runs. The others are held by Alpine's CSP build and htmx's settings, too.
_RUN_WITHOUT_POLICY = ("script", "handler", "svg", "details", "data", "frame")


@contextmanager
def _unescaped() -> Iterator[None]:
    """As a template that forgot it: no text of any page is escaped."""
    engine = engines["django"].engine
    engine.autoescape = False
    try:
        yield
    finally:
        engine.autoescape = True


def _stored(firm: Firm, title: str) -> UUID:
    made = ingest(firm, title="x")
    run(firm, made.job)
    with open_scope(tenant=firm.id, reason="a test"):
        document = Document.objects.get()
        Document.objects.filter(id=document.id).update(title=title)
    found: UUID = document.id
    return found


def _ran(context: BrowserContext, address: str) -> bool:
    page = context.new_page()
    page.goto(address)
    page.evaluate(_SETTLED)
    page.wait_for_timeout(300)
    ran = bool(page.evaluate("window.ran === true"))
    assert page.evaluate("document.body.innerHTML.length > 1000")
    page.close()
    return ran


def test_what_was_stored_does_not_run_though_it_was_not_escaped(
    acme: Firm, browser: Browser, live_server: LiveServer, settings: LazySettings
) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    document = _stored(acme, "x")
    context = _signed_in(browser, live_server, "alice")
    address = f"{live_server.url}/admin/corpus/document/{document}/"
    policy = settings.CONTENT_SECURITY_POLICY
    ran: dict[str, dict[str, bool]] = {"held": {}, "control": {}}
    with _unescaped():
        for name, text in STORED.items():
            with open_scope(tenant=acme.id, reason="a test"):
                Document.objects.filter(id=document).update(title=text)
            settings.CONTENT_SECURITY_POLICY = policy
            ran["held"][name] = _ran(context, address)
            settings.CONTENT_SECURITY_POLICY = None
            ran["control"][name] = _ran(context, address)
    context.close()
    assert ran["held"] == dict.fromkeys(STORED, False)
    assert [name for name, done in ran["control"].items() if done] == list(_RUN_WITHOUT_POLICY)
