"""From an auditor's question to the report on paper, in a browser."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.tenants.context import open_scope
from apps.tenants.models import Membership
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.browser.conftest import PASSWORD
from tests.browser.test_people_story import look
from tests.corpus.ingesting import REPORT, ingest, run
from tests.factories import Firm, make_key, make_member
from tests.intents.named import make_named


def test_an_auditor_asks_who_could_reach_a_document_and_prints_the_report(
    acme: Firm, sign_in: Callable[[str], Page]
) -> None:
    run(acme, ingest(acme, REPORT, title="Alpha Fund, fourth quarter", scope="fund:alpha").job)
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)
    make_member(acme, "ann", Role.ANALYST, scopes=["fund:beta"])
    make_named(acme, "mlind", "Maria", "Lindqvist")
    make_named(acme, "maria2", "Maria", "Lindqvist", role=Role.COMPLIANCE_OFFICER)
    make_key(acme, Role.ANALYST, scopes=["fund:alpha"])

    page = sign_in("ada")
    page.get_by_role("link", name="Access centre").click()
    look(page, "asked nothing")
    page.get_by_label("Document", exact=True).fill("fourth quarter")
    page.get_by_role("button", name="Show who could reach it").click()
    rows = page.locator("#centre-list tbody tr")
    expect(rows).to_have_count(4)
    expect(page.locator("#centre-list")).not_to_contain_text("ann")
    expect(page.locator("#centre-sentence")).to_contain_text("3 people and 1 API key could reach the document")
    look(page, "a document")

    # A name of two people: nothing is stated before one is chosen.
    page.get_by_label("Person or API key").fill("Lindqvist, Maria")
    page.get_by_role("button", name="Show who could reach it").click()
    expect(page.locator("#centre-candidates")).to_contain_text("Compliance officer")
    expect(page.locator("#centre-sentence")).to_have_count(0)
    page.locator("#centre-candidates").get_by_role("link").last.click()
    expect(rows).to_have_count(1)

    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(user__username="mlind"))
    page.get_by_role("link", name="Report to print").click()
    # As of the moment of the question: what ended since is still told.
    expect(page.locator("#report-sentence")).to_contain_text("Maria Lindqvist (mlind)")
    expect(page.locator("#access-report")).to_contain_text("Head of the log")
    look(page, "the report")
    page.emulate_media(media="print")
    expect(page.locator("#report-sentence")).to_be_visible()
    expect(page.get_by_role("link", name="Back to the question")).to_be_hidden()
    expect(page.locator("#nav-sidebar")).to_be_hidden()
