"""Every page as axe-core reads it, in both looks, wide and narrow: nothing serious, nothing critical."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.template.loader import render_to_string
from django.test import Client
from django.urls import resolve, reverse
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from apps.quality.models import EvaluationRun
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from apps.tenants.second_factor.codes import factor_begin
from apps.tenants.services.account_links import mailbox_link_send, password_link_send
from tests.audit import retaining
from tests.audit.proving import certified
from tests.audit.removing import documents, proposed
from tests.audit.requesting import Office
from tests.baked import baked
from tests.browser.conftest import open_context, signed_in
from tests.browser.every_page import addresses_of, routes
from tests.corpus.files import BROKEN, lines, pdf
from tests.corpus.ingesting import REPORT, ingest, remote_profile, run
from tests.factories import make_invitation, make_invited, make_member, make_personal_key, make_user
from tests.intents import reviewing
from tests.isolation.world import QUESTION, World, make_world
from tests.model_server import ModelServer
from tests.npm import node_modules
from tests.quality.evaluation.runs import made as evaluated
from tests.quality.impacting import asked, computed
from tests.research.running import request, researched
from tests.tenants.test_attempts import counted
from tests.tenants.test_second_factor import set_up
from tests.visitor import Visitor

_TEMPLATES: Final = Path(__file__).resolve().parents[2] / "templates"
# What WCAG 2.2 asks at A and AA, and what is good practice besides, such as landmarks. No rule is left out, and the
# one for the size of targets, which axe-core leaves out by itself, is taken in.
_TAGS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
# Colours are all that the dark look changes, and sizes and what is shown all that a narrow screen does.
_DARK: Final = ("color-contrast", "link-in-text-block")
_NARROW: Final = ("target-size", "scrollable-region-focusable", "button-name", "link-name", "label", "select-name")
# Of less than serious impact to axe-core, and promised all the same.
_PROMISED: Final = frozenset({"landmark-one-main", "landmark-no-duplicate-main", "region", "html-has-lang"})
# Operations that have all kinds of controls of the API's page between them. Each takes the browser seconds to open.
_OPERATIONS: Final = (".opblock-get", ".opblock-post", ".opblock-patch", "[id$='-upload_document']")
_MOST_SCREENS: Final = 200
_RUN: Final = """
    async ([tags, rules]) => {
        const found = await axe.run(document, {
            runOnly: rules ? {type: 'rule', values: rules} : {type: 'tag', values: tags},
            rules: rules ? {} : {'target-size': {enabled: true}},
            resultTypes: ['violations'],
            preload: false,
        });
        return found.violations.flatMap(({id, nodes}) => nodes.map((node) => (
            {rule: id, impact: node.impact, at: node.target.join(' '), html: node.html, why: node.failureSummary})));
    }
"""
# Nothing moves any more, and what the page asks for at its start has come.
_STILL: Final = """
    async () => {
        const still = new CSSStyleSheet();
        still.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important; }');
        document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
        const isComing = () => document.querySelector('.htmx-request')
            || (document.querySelector('#swagger-ui') && !document.querySelector('.opblock'));
        const frame = () => new Promise(requestAnimationFrame);
        for (let n = 0; n < 2 || (isComing() && n < 900); n += 1) await frame();
    }
"""
_LOOK: Final = """
    (dark) => {
        // Pages that stand alone follow the browser; Unfold's have a class, which its switch sets.
        if (document.querySelector('#page')) document.documentElement.classList.toggle('dark', dark);
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
"""
# How a list is counted, and which list one came from, is no other page.
_SAME_PAGE: Final = ("_facets", "_changelist_filters")
# What Django offers of every model: nobody may, or it leads to the log.
_OF_DJANGO: Final = re.compile("_(add|delete|history|change)$")
_NO_PAGE: Final = {
    "invitation/<str:secret>/": "leads to the invitation",
    "password/set/<str:secret>/": "leads to the new password",
    "mailbox/<str:secret>/": "leads to the mailbox",
    "admin/autocomplete/": "is asked by no form of ours",
    "admin/ask/progress/<uuid:name>/": "is data for a script: which stages of a question have ended",
    "admin/tenants/tenant/": "leads to the tenant that one works in",
    "admin/tenants/user/<path:object_id>/": "leads to the account",
    "admin/privacy/certificates/supplements/<uuid:supplement_id>/json/": "is a file, which takes a restore",
    "admin/policy/notices/<uuid:notice_id>/": "marks a notice as read, and leads to its version",
    "admin/^(?P<app_label>tenants|audit|corpus|intents)/$": "is not there: nothing leads to a list of models",
    "admin/(?P<url>.*)$": "is every other address, which is not there",
}


class _Shown:
    """The live server, which shows a page to the browser as a visitor got it: under its address, with its policy.

    Whatever belongs to the page comes from the server, and what is static once: the browser keeps it. If requests were
    answered in place of the server, it would keep nothing, and read half a megabyte for each page.
    """

    def __init__(self, server: LiveServer) -> None:
        self.url = server.url
        self._answer: tuple[bytes, list[tuple[str, str]]] | None = None
        self._httpd = server.thread.httpd
        self._app = self._httpd.get_app()
        self._httpd.set_app(self._answered)

    def close(self) -> None:
        self._httpd.set_app(self._app)

    @contextmanager
    def as_answer(self, html: str, *, headers: Mapping[str, str]) -> Iterator[None]:
        """Answer the next page that is asked for with this one."""
        sent = {"Content-Type": "text/html; charset=utf-8", **headers}
        sent.pop("Content-Length", None)
        self._answer = html.encode(), list(sent.items())
        yield
        assert self._answer is None, "the browser did not ask for the page"

    def _answered(self, environ: dict[str, Any], begin: Callable[..., Any]) -> Iterable[bytes]:
        if self._answer is not None and environ.get("HTTP_SEC_FETCH_DEST") == "document":
            (content, headers), self._answer = self._answer, None
            begin("200 OK", headers)
            return [content]
        if not environ["PATH_INFO"].startswith("/static/"):
            return self._app(environ, begin)
        kept = ("Cache-Control", "max-age=3600")
        return self._app(environ, lambda status, headers, *more: begin(status, [*headers, kept], *more))


@dataclass(slots=True)
class _Tour:
    """Opens addresses, and reads those pages in a browser that have something on them that was not read before.

    shown: how pages get to the browser. came_to: what each route answered. found: axe's findings, by rule and element.
    """

    page: Page
    shown: _Shown
    came_to: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    found: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))
    _read: set[str] = field(default_factory=set)
    _blocks: set[tuple[str, str]] = field(default_factory=set)
    _queries: set[tuple[str, frozenset[str]]] = field(default_factory=set)

    def visit(self, visitor: Client, *addresses: str) -> None:
        """These, and what they lead to that differs by its query alone."""
        waiting = list(addresses)
        while waiting:
            address = waiting.pop(0)
            response = visitor.get(address)
            self.take(response, address)
            if _kind_of(response) == "page":
                waiting += self._new_queries(response.content.decode(), address)

    def _new_queries(self, html: str, address: str) -> Iterator[str]:
        for link in re.findall(r'<a[^>]*href="([^"#]*\?[^"#]*)', html):
            parts = urlsplit(urljoin(address, unescape(link)))
            names = frozenset(name for name, _ in parse_qsl(parts.query))
            query = (re.sub("[0-9a-f]{8}-[0-9a-f-]{27}", "", parts.path), names)
            if query not in self._queries and not parts.netloc and not names.intersection(_SAME_PAGE):
                self._queries.add(query)
                yield f"{parts.path}?{parts.query}"

    def take(self, response: Any, address: str) -> None:
        """What somebody was answered at an address."""
        kind, route = _kind_of(response), resolve(urlsplit(address).path).route
        self.came_to[route].add(kind)
        if kind == "page" or kind.isdigit():
            self.read(
                response.content.decode(), address, name=route if kind == "page" else kind, headers=response.headers
            )

    def read(self, html: str, address: str, *, name: str, headers: Any = None) -> None:
        """The first page of each name, and others where an element has a look that none had before."""
        blocks = set(re.findall(r'<(\w+)\b(?:[^>]*?\sclass="([^"]*)")?', html))
        if name in self._read and blocks <= self._blocks:
            return
        self._read.add(name)
        self._blocks |= blocks
        with self.shown.as_answer(html, headers=headers or {}):
            self.page.goto(f"{self.shown.url}{address}")
        self.page.evaluate(_STILL)
        self.note(name, "light", self.run())
        self.page.emulate_media(color_scheme="dark")
        self.page.evaluate(_LOOK, True)
        self.note(name, "dark", self.run(*_DARK))
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": 400, "height": 900})
        self.page.evaluate(_LOOK, False)
        self.note(name, "narrow", self.run(*_NARROW))
        self.page.set_viewport_size({"width": 1440, "height": 900})

    def run(self, *rules: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.page.evaluate(_RUN, [_TAGS, list(rules) or None])
        return found

    def note(self, name: str, how: str, found: Sequence[dict[str, Any]]) -> None:
        for each in found:
            if each["impact"] in ("serious", "critical") or each["rule"] in _PROMISED:
                said = f"{each['rule']} at {each['at']}: {each['html'][:200]}\n    {each['why']}"
                self.found[each["rule"], said].append(f"{name} ({how})")

    def told(self) -> str:
        """All findings, each with the pages that have it."""
        return "\n".join(f"{said}\n    on {', '.join(pages[:5])}" for (_, said), pages in sorted(self.found.items()))


def _kind_of(response: Any) -> str:
    if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return "posted to"
    if HTTPStatus.MULTIPLE_CHOICES <= response.status_code < HTTPStatus.BAD_REQUEST:
        return "elsewhere"
    is_html = "text/html" in response.headers.get("Content-Type", "")
    if not is_html or "attachment" in response.headers.get("Content-Disposition", ""):
        return "file"
    if response.content.lstrip()[:9].lower() != b"<!doctype":
        return "part"
    return "page" if response.status_code == HTTPStatus.OK else str(response.status_code)


@pytest.fixture
def world(transactional_db: None, settings: LazySettings, model_server: ModelServer, tmp_path: Path) -> World:
    """Two firms with something on every page, and grace, who may see all of it."""
    local = {"local": remote_profile(model_server)}
    settings.GLASSBOX_EMBEDDING_PROFILES = {**settings.GLASSBOX_EMBEDDING_PROFILES, **local}
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    cache.delete_many(counted())
    made = baked(make_world)
    acme, dan = made.acme, made.people["dan"]
    make_user("grace", superuser=True)
    for role in Role:
        grace = make_member(acme, "grace", role)
    make_member(made.bolt, "grace", Role.ANALYST)
    olive = make_member(acme, "olive", Role.COMPLIANCE_OFFICER)
    make_invited(acme, "rob", Role.REVIEWER, by=made.people["amy"])
    make_personal_key(acme, "grace", role=Role.ANALYST)
    # What failed, was asked, was not understood, and was measured.
    run(acme, ingest(acme, BROKEN, filename="cut.json").job)
    asked(grace, QUESTION)
    asked(grace, "Zwölf Boxkämpfer jagen?")
    researched(grace, QUESTION)
    request(grace, QUESTION, confirm_plan=True)
    for passes in (False, True):
        evaluated(acme, passes=passes)
    # What waits for a second person, what is in hand, and what was decided.
    computed(olive, reviewing.submitted(olive))
    reviewing.drafted(grace)
    retaining.submitted(dan, keep_months=120)
    retaining.drafted(grace, keep_months=96)
    proposed(acme, documents(acme, 1))
    certified(acme, documents(acme, 1))
    office = Office(firm=acme, dora=dan, dirk=dan, rita=dan, ada=dan)
    office.received()
    office.assessed()
    # A document whose pages have images.
    run(acme, ingest(acme, pdf([lines("A report.", "The fund returned 4.2 per cent.")]), filename="report.pdf").job)
    return made


@pytest.fixture
def grace(world: World) -> Visitor:
    visitor = Visitor("grace")
    visitor.raise_request_exception = False
    return visitor


def _add_axe(context: BrowserContext) -> None:
    context.add_init_script(path=node_modules(Path(__file__).parent / "axe") / "axe-core" / "axe.min.js")


@pytest.fixture
def tour(grace: Visitor, browser: Browser, live_server: LiveServer) -> Iterator[_Tour]:
    context = signed_in(browser, live_server, grace)
    _add_axe(context)
    shown = _Shown(live_server)
    yield _Tour(context.new_page(), shown)
    context.close()
    shown.close()


def test_no_page_shuts_anybody_out(world: World, grace: Visitor, tour: _Tour, settings: LazySettings) -> None:
    visit_entry(world, tour, settings)
    visit_what_is_sent(world, grace, tour)
    visit_second_factor(world, tour)
    for route in routes():
        tour.visit(grace, *addresses_of(route, world.acme))
    for name in ("amy", "dan", "ada", "ann", "olive"):
        tour.visit(Visitor(name), "/admin/")
    for each in sorted(_TEMPLATES.glob("*.html")):
        tour.read(render_to_string(each.name), "/nowhere/", name=each.name)
    put_back = render_to_string("glassbox/not_served.html", {"detail": "The database was put back."})
    tour.read(put_back, "/nowhere/", name="not served")
    assert not tour.found, tour.told()
    missed = {route: kinds for route, kinds in unread(tour).items() if route not in _NO_PAGE}
    assert missed == {}, "Make a row for it in the world, or say in _NO_PAGE why it is no page"
    assert [route for route, kinds in tour.came_to.items() if "500" in kinds] == []
    assert [route for route in _NO_PAGE if "page" in tour.came_to[route] or route not in routes()] == []


def test_no_opened_operation_of_the_api_s_page_shuts_anybody_out(browser: Browser, live_server: LiveServer) -> None:
    """With its form to try it out; then the dialog that takes a key."""
    context = open_context(browser, live_server.url)
    _add_axe(context)
    page = context.new_page()
    tour = _Tour(page, _Shown(live_server))
    page.goto("/api/v1/docs/")
    for selector in _OPERATIONS:
        operation = _bring_up(page, f".opblock{selector}")
        operation.locator(".opblock-summary-control").click()
        operation.locator(".try-out__btn").click()
        expect(operation.locator(".execute")).to_be_visible()
        expect(operation.locator(".responses-wrapper .response").first).to_be_visible()
        page.evaluate(_STILL)
        tour.note(f"opened {selector}", "light", tour.run())
    page.locator(".btn.authorize").first.click()
    expect(page.locator(".modal-ux")).to_be_visible()
    tour.note("dialog", "light", tour.run())
    assert not tour.found, tour.told()
    context.close()
    tour.shown.close()


def _bring_up(page: Page, selector: str) -> Locator:
    """Scroll to an operation. The page holds those in sight alone, since there are more than 150."""
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator(".opblock").first).to_be_attached()
    for _ in range(_MOST_SCREENS):
        found = page.locator(selector)
        if found.count():
            found.first.scroll_into_view_if_needed()
            return found.first
        page.evaluate("scrollBy(0, innerHeight / 2)")
        page.wait_for_timeout(100)
    pytest.fail(f"{selector} is not on the page")


def unread(tour: _Tour) -> dict[str, set[str]]:
    """Routes that never gave a page, though they are neither for forms alone, nor parts of pages, nor files."""
    found = {}
    for route, pattern in routes().items():
        kinds = tour.came_to[route]
        is_refused = bool(kinds) and kinds <= {"403", "elsewhere"} and _OF_DJANGO.search(pattern.name or "")
        if not kinds & {"page", "posted to", "part", "file"} and not is_refused:
            found[route] = kinds
    return found


def visit_entry(world: World, tour: _Tour, settings: LazySettings) -> None:
    """The pages of whoever is not in."""
    nobody = Client()
    tour.visit(nobody, "/admin/login/", "/password/", "/invitation/")
    settings.GLASSBOX_SIGN_IN_FAILURES = 1
    for _ in range(2):
        tour.take(nobody.post("/admin/login/", {"username": "ann", "password": "wrong"}), "/admin/login/")
    tour.take(nobody.post("/password/", {"username": "ann"}), "/password/")
    ann = User.objects.get_by_natural_key("ann")
    password_link_send("ann")
    tour.visit(nobody, _link(), "/password/set/")
    tour.take(nobody.post("/password/set/", {"password1": "short", "password2": "other"}), "/password/set/")
    mailbox_link_send(ann, email="new@example.com")
    tour.visit(nobody, _link(), "/mailbox/")
    _, secret = make_invitation(world.acme, "new@example.com", Role.ANALYST, by=world.people["amy"])
    tour.visit(nobody, f"/invitation/{secret}/", "/invitation/")
    olga = Visitor("olga")
    tour.visit(olga, "/admin/login/")
    _, secret = make_invitation(world.acme, "olga@example.com", Role.REVIEWER, by=world.people["amy"])
    tour.visit(olga, f"/invitation/{secret}/", "/invitation/")
    tour.take(olga.post("/invitation/", follow=True), "/invitation/")


def _link() -> str:
    found = re.search(r"http://[^/\s]+(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found.group(1)


def visit_what_is_sent(world: World, grace: Visitor, tour: _Tour) -> None:
    """What a form answers with where that is a page of its own."""
    everywhere = [scope.key for scope in world.acme.scopes.values()]
    for question in (QUESTION, "Zwölf Boxkämpfer jagen?", ""):
        address = reverse("admin:ask")
        tour.take(grace.post(address, {"question": question, "scopes": everywhere}, follow=True), address)
    files = [SimpleUploadedFile(f"{n}.md", REPORT + str(n).encode(), "text/markdown") for n in range(2)]
    fields = {
        "uploads": files,
        "kind": "run",
        "scope": str(world.acme.scopes["fund:alpha"].id),
        "document_type": "report",
    }
    sent = grace.post(reverse("admin:corpus_document_add"), fields)
    assert sent.status_code == HTTPStatus.FOUND, sent.content.decode()
    batch = sent.headers["Location"]
    tour.visit(grace, batch, f"{batch}files/", f"{batch}retry/")
    with open_scope(tenant=world.acme.id, reason="a test"):
        before, after = EvaluationRun.objects.filter(finished_at__isnull=False).values_list("pk", flat=True)
    tour.visit(grace, f"{reverse('admin:evaluation_runs_compare')}?before={before}&after={after}")
    address = reverse("admin:my_keys_add")
    key = {"name": "script", "role": "analyst", "scopes": [str(world.acme.root.id)], "life_days": "90"}
    tour.take(grace.post(address, key), address)


def visit_second_factor(world: World, tour: _Tour) -> None:
    factor_begin(User.objects.get_by_natural_key("amy"))
    tour.visit(Visitor("amy"), "/admin/second-factor/set-up/")
    device, _ = set_up(world.acme, "dan")
    dan = Visitor("dan")
    tour.visit(dan, "/admin/second-factor/", "/admin/second-factor/code/")
    dan.post("/admin/second-factor/code/", {"code": device.code()})
    tour.visit(dan, "/admin/second-factor/recovery-codes/", "/admin/second-factor/remove/")
    address = "/admin/second-factor/recovery-codes/"
    tour.take(dan.post(address), address)
