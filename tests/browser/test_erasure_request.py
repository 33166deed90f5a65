"""A DPO takes a request in, writes to who asks, proposes; another person approves. On a wide and on a narrow screen."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.privacy.models import ErasureRequest
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.removing import STORES, documents, stores_of_documents
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)
# Where pictures of the pages go, for whoever wants to look at them.
_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")


@pytest.fixture(autouse=True)
def _stores() -> Iterator[None]:
    with stores_of_documents():
        yield


def picture(page: Page, name: str) -> None:
    """At both widths; nothing may stick out at 400."""
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"requests-{name}-{width}.png", full_page=True)
        sticks_out = page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
        assert sticks_out <= 0, f"{name} is wider than the screen at {width}"
    page.set_viewport_size({"width": 1440, "height": 900})


def test_from_receipt_to_the_second_persons_approval(acme: Firm, page: Page, sign_in: Callable[[str], Page]) -> None:
    assert STORES
    (target,) = documents(acme, 1)
    make_member(acme, "dora", Role.DPO, password=PASSWORD)
    make_member(acme, "rita", Role.REVIEWER, password=PASSWORD)

    sign_in("dora")
    page.get_by_role("link", name="Erasure requests").first.click()
    expect(page.get_by_text("No request is open.")).to_be_visible()
    page.get_by_role("link", name="Take in a request").click()
    picture(page, "choose")
    page.get_by_role("link", name="A person who is named or described").or_(
        page.get_by_role("link", name="A person who is named in documents")
    ).first.click()
    page.get_by_role("button", name="Take the request in").click()
    expect(page.get_by_text("Enter how the person can be found")).to_be_visible()
    picture(page, "receive-errors")
    page.get_by_label("Names", exact=True).fill("Quirin Zaun\nZaun, Quirin")
    page.get_by_label("Their name").fill("Quirin Zaun")
    page.get_by_label("Their e-mail address").fill("quirin@zaun.example")
    page.get_by_role("button", name="Take the request in").click()
    expect(page.get_by_role("heading", name="What to do next")).to_be_visible()
    picture(page, "received")

    page.get_by_role("link", name="Extend by two months").click()
    page.get_by_label("The reasons").fill("Two hundred requests came in one week.")
    page.get_by_role("button", name="Go on to the letter").click()
    expect(page.locator("textarea[name=body]")).to_have_value(re.compile("Two hundred requests"))
    picture(page, "letter")
    page.get_by_role("button", name="Extend by two months and send the letter").click()
    expect(page.get_by_text("is extended by two months")).to_be_visible()
    picture(page, "extended")

    page.goto("/admin/privacy/requests/receive/?subject=document")
    page.get_by_label("The document's id").fill(str(target.id))
    page.get_by_label("Who asks").select_option("firm")
    page.get_by_role("button", name="Take the request in").click()
    page.get_by_role("button", name="Identity is clear").click()
    page.get_by_label("Why there is a duty to erase").select_option("17_1_a")
    page.get_by_role("button", name="Keep this assessment").click()
    page.get_by_role("button", name="Propose the erasure to a second person").click()
    expect(page.get_by_text("You proposed it, so somebody else decides.")).to_be_visible()
    address = page.url.split("#")[0]
    picture(page, "proposed")
    page.goto("/admin/privacy/requests/")
    picture(page, "list")

    sign_in("rita")
    page.get_by_role("link", name="Erasures to approve").click()
    expect(page.get_by_role("link", name="ER-")).to_have_count(1)
    page.goto(address)
    expect(page.get_by_role("row", name="Passages 3")).to_be_visible()
    picture(page, "approve")
    page.get_by_role("button", name="Approve, and erase it for good").click()
    expect(page.get_by_text("It is approved and continues automatically")).to_be_visible()
    picture(page, "approved")
    with open_scope(tenant=acme.id, reason="a test"):
        assert ErasureRequest.objects.get(subject_id=target.id).state == "restricted"
