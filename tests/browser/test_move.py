"""A document is moved to another scope from its own page, once it was read who gains and who loses it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member


def test_a_document_is_moved_from_its_page(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    make_member(acme, "anna", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "berta", Role.ANALYST, scopes=["fund:beta"])
    made = ingest(acme, b"# Costs\n\nThe costs were 7 million.", filename="costs.md")
    run(acme, made.job)
    page = sign_in("alice")
    page.goto(f"/admin/corpus/document/{made.document.id}/change/")
    page.get_by_role("button", name="Move to another scope…").click()
    page.get_by_label("Move to").select_option(str(acme.scopes["fund:beta"].id))
    page.get_by_label("Why").fill("It is about the other fund.")
    page.get_by_role("button", name="Show who gains and loses").click()
    expect(page.locator("#moves")).to_contain_text("could not before: berta.")
    expect(page.locator("#moves")).to_contain_text("no longer: anna.")
    page.get_by_role("button", name="Move to Beta").click()
    expect(page.get_by_text("1 document is filed in Beta")).to_be_visible()
    page.goto(f"/admin/corpus/document/{made.document.id}/change/")
    expect(page.get_by_text("Its removal is proposed.")).to_be_visible()
