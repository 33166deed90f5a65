"""The pages of a document that was made of a record, in a real browser: from the list to the quoted field."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.corpus.extraction.record_file import Number
from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import run
from tests.corpus.test_records import upsert
from tests.factories import Firm, make_member

pytestmark = [pytest.mark.django_db(transaction=True)]
SignIn = Callable[[str], Page]
BODY = {
    "workflow": "Liquidity check",
    "status": "finished",
    "summary": "All limits but one were kept in December 2024. The committee was told on 3 January 2025.",
    "limits": [
        {"name": "cash", "limit": Number("5.00"), "found": Number("6.20"), "kept": True},
        {"name": "largest redeemer", "limit": Number("20"), "found": Number("23.5"), "kept": False},
    ],
    "approval": {"by": "risk committee", "conditions": ["report monthly", "no new commitments"]},
}


@pytest.mark.parametrize("width", [1440, 400])
def test_from_the_list_to_the_field(acme: Firm, sign_in: SignIn, width: int) -> None:
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    run(acme, upsert(acme).job)
    run(acme, upsert(acme, BODY).job)
    page = sign_in("bob")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/admin/corpus/document/?q=flows/r-7")
    page.get_by_role("link", name="Workflow output r-7").first.click()
    record = page.locator("#record")
    expect(record).to_contain_text("Workflow output")
    expect(record).to_contain_text("each change of the record made one")
    _shoot(page, f"document-{width}")
    with open_scope(tenant=acme.id, reason="a test"):
        document = Document.objects.get(version=2)
        text = document.pages.get(number=1).text
    start = text.index("found: 23.5")
    page.goto(f"/admin/corpus/document/{document.id}/page/?page=1&start={start}&end={start + 11}#quote")
    expect(page.locator("#record-fields")).to_have_text(
        "The quote shows /limits/1/found of the record r-7 of flows, version 2."
    )
    # What heads others is known of a record; "status: finished" only looks like it.
    expect(page.locator("#page-text").get_by_role("heading")).to_have_text(
        ["Workflow output r-7", "approval", "limits"]
    )
    _shoot(page, f"page-{width}")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def _shoot(page: Page, name: str) -> None:
    if folder := os.environ.get("GLASSBOX_TEST_PICTURES"):
        page.screenshot(path=Path(folder) / f"record-{name}.png", full_page=True)
