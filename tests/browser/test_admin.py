"""The admin as a person meets it: in a browser, with scripts, at two widths."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.corpus.models import Chunk, Document, IngestJob
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_firm, make_member

SignIn = Callable[[str], Page]


def test_signing_in_leads_to_the_state_of_things(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("alice")
    expect(page.locator("#active-tenant")).to_have_text("Acme")
    expect(page.locator("#policy")).to_contain_text("Version 1")
    expect(page.locator("#signs")).to_contain_text("Redis answers")


def test_switching_the_tenant_changes_what_is_seen(acme: Firm, sign_in: SignIn) -> None:
    bolt = make_firm("bolt")
    ingest(bolt, title="Only Bolt has this")
    make_member(acme, "alice", Role.ANALYST, password=PASSWORD)
    make_member(bolt, "alice", Role.AUDITOR)
    page = sign_in("alice")
    page.get_by_label("Work in").select_option(label="Bolt")
    page.get_by_role("button", name="Switch").click()
    expect(page.locator("#active-tenant")).to_have_text("Bolt")
    page.get_by_role("link", name="Documents", exact=True).click()
    expect(page.locator("#result_list")).to_contain_text("Only Bolt has this")


def test_an_upload_is_watched_until_it_is_ready(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    page = sign_in("bob")
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_label("Files").set_input_files({"name": "fees.md", "mimeType": "text/markdown", "buffer": REPORT})
    page.get_by_label("Kind").select_option(label="Past runs")
    page.get_by_label("Scope").select_option(value=str(acme.scopes["fund:alpha"].id))
    page.get_by_role("button", name="Upload").click()
    state = page.locator("#document-state")
    expect(state).to_contain_text("Waiting for a worker")
    expect(state.locator("progress")).to_be_visible()
    with open_scope(tenant=acme.id, reason="a test"):
        job = IngestJob.objects.get()
    run(acme, job)
    # Nobody touches the page: it finds out by itself, and then shows the passages.
    expect(state).to_have_text("Ready")
    expect(page.locator("#passages")).to_contain_text("maximum drawdown")


def test_a_citation_leads_to_the_quote_on_its_page(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    made = ingest(acme, b"# Fees\n\n" + b"Filler of a long page.\n\n" * 120 + b"The fee is 0.75 % a year.\n")
    run(acme, made.job)
    with open_scope(tenant=acme.id, reason="a test"):
        document = Document.objects.get()
        chunk = Chunk.objects.filter(is_parent=False, text__contains="0.75 %").get()
        start = document.pages.get(number=chunk.page_start).text.index("0.75 %")
    page = sign_in("bob")
    page.goto(f"/admin/corpus/document/{document.id}/page/?page={chunk.page_start}&start={start}&end={start + 6}#quote")
    quote = page.locator("mark#quote")
    expect(quote).to_have_text("0.75 %")
    expect(quote).to_be_in_viewport()


def test_a_reviewer_is_shown_no_keys_and_refused_when_typing_the_address(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "bob", Role.REVIEWER, password=PASSWORD)
    page = sign_in("bob")
    expect(page.get_by_role("link", name="In force")).to_be_visible()
    expect(page.get_by_role("link", name="API keys")).to_have_count(0)
    answer = page.goto("/admin/tenants/apikey/")
    assert answer is not None
    assert answer.status == 403
    expect(page.locator("#content")).to_contain_text("Tenant administrator")


def test_everything_is_found_from_the_keyboard(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "alice", Role.ANALYST, password=PASSWORD)
    made = ingest(acme, title="Drawdown of Alpha")
    page = sign_in("alice")
    page.keyboard.press("Control+k")
    expect(page.locator("#search-input-command")).to_be_focused()
    page.keyboard.type("drawdown of", delay=20)
    expect(page.locator("#command-results")).to_contain_text("Drawdown of Alpha")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/admin/corpus/document/{made.document.id}/change/")


def test_a_search_that_finds_nothing_says_so(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "alice", Role.ANALYST, password=PASSWORD)
    page = sign_in("alice")
    page.keyboard.press("Control+k")
    field = page.locator("#search-input-command")
    expect(field).to_be_focused()
    for typed in ("nowhere", "nowhere to be found", "nowhere to be found at all"):
        # Whoever stops to think is answered more than once, and each answer takes the place of the one before.
        field.press_sequentially(typed.removeprefix(field.input_value()), delay=20)
        expect(page.locator("#command-results")).to_contain_text(f"Nothing found for “{typed}”")


def test_a_search_that_fails_says_so(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("alice")
    page.keyboard.press("Control+k")
    field, results = page.locator("#search-input-command"), page.locator("#command-results")
    page.route("**/admin/search/**", lambda route: route.fulfill(status=500, body="broken"))
    field.press_sequentially("Docu")
    expect(results.get_by_role("alert")).to_have_text("The search failed. Change what you typed to search again.")
    page.unroute("**/admin/search/**")
    page.route("**/admin/search/**", lambda route: route.abort())
    field.press_sequentially("m")
    expect(results.get_by_role("alert")).to_have_text("The search failed. Change what you typed to search again.")
    page.unroute("**/admin/search/**")
    field.press_sequentially("ents")
    expect(results.get_by_role("listitem").first).to_be_visible()
    expect(results.get_by_role("alert")).to_have_count(0)
    page.context.clear_cookies()
    field.press_sequentially(" of")
    expect(results.get_by_role("alert")).to_contain_text("you are signed out")


def test_nothing_is_wider_than_a_narrow_screen(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    make_member(acme, "alice", Role.AUDITOR)
    made = ingest(acme, title="A title of some length, such as reports and minutes of committees have")
    page = sign_in("alice")
    page.set_viewport_size({"width": 400, "height": 800})
    too_wide = {}
    for address in (
        "/admin/",
        "/admin/corpus/document/",
        f"/admin/corpus/document/{made.document.id}/change/",
        "/admin/corpus/document/add/",
        "/admin/corpus/ingestjob/",
        "/admin/tenants/scope/",
        "/admin/intents/policyversion/in-force/",
        "/admin/tenants/tenant/",
        "/admin/tenants/membership/",
        "/admin/tenants/apikey/add/",
        "/admin/audit/event/",
    ):
        page.goto(address)
        width = page.locator("html").evaluate("html => html.scrollWidth")
        if width > 400:
            too_wide[address] = width
    assert too_wide == {}


def test_times_are_shown_in_the_readers_zone_with_utc_on_hover(acme: Firm, sign_in: SignIn) -> None:
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)
    page = sign_in("ada")
    since = page.locator("#policy time")
    expect(since).to_have_attribute("data-local", "1")
    assert (since.get_attribute("title") or "").endswith(" UTC")
