"""A request about a person from its receipt to its end: found, confirmed, redacted here and removed there, erased."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from apps.audit.inventory.runner import inventory_run
from apps.audit.log.sequencer import seal_all_waiting
from apps.audit.models import ErasureRequest, Inventory, RemovalRun
from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.inventorying import LETTER, NAME, NOTE, OTHER, redacted_by_worker, stored
from tests.audit.mutations import acting_as
from tests.audit.removing import carried_out
from tests.audit.requesting import Office
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)
# Where pictures of the pages go, for whoever wants to look at them.
_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")


def picture(page: Page, name: str) -> None:
    """At both widths; nothing may stick out at 400."""
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"inventory-{name}-{width}.png", full_page=True)
        sticks_out = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert sticks_out <= 0, f"{name} is wider than the screen at {width}"
    page.set_viewport_size({"width": 1440, "height": 900})


def test_from_receipt_to_the_end(acme: Firm, page: Page, sign_in: Callable[[str], Page]) -> None:
    office = Office(
        firm=acme,
        dora=make_member(acme, "dora", Role.DPO, password=PASSWORD),
        dirk=make_member(acme, "dirk", Role.DPO, password=PASSWORD),
        rita=make_member(acme, "rita", Role.REVIEWER, password=PASSWORD),
        ada=make_member(acme, "ada", Role.AUDITOR, password=PASSWORD),
    )
    for content, title in ((LETTER, "Letters"), (NOTE, "Notes on calls"), (OTHER, "Other notes")):
        stored(office, content, title=title)

    sign_in("dora")
    page.goto("/admin/privacy/requests/receive/?subject=data_subject")
    page.get_by_label("Names", exact=True).fill(NAME)
    page.get_by_label("Their name").fill(NAME)
    page.get_by_role("button", name="Take the request in").click()
    page.get_by_role("button", name="Identity is clear").click()
    page.get_by_label("Why there is a duty to erase").select_option("17_1_c")
    page.get_by_role("button", name="Keep this assessment").click()
    page.get_by_role("link", name="Go on to the inventory").click()
    picture(page, "empty")
    page.get_by_role("button", name="Search everything for the person").click()
    expect(page.get_by_text("It begins within seconds").or_(page.get_by_text("texts looked through"))).to_be_visible()
    picture(page, "searching")
    with open_scope(tenant=acme.id, reason="a test"):
        inventory, request = Inventory.objects.get(), ErasureRequest.objects.get()
    inventory_run(tenant_id=acme.id, inventory_id=inventory.id)
    page.get_by_role("link", name="Show what was found").click()
    expect(page.locator("mark").first).to_have_text(NAME)
    picture(page, "found")

    # The certain places of each thing at once, and what is left one by one.
    while (button := page.get_by_role("button", name="Confirm all")).count():
        button.first.click()
        page.wait_for_load_state()
    while (button := page.get_by_role("button", name="Keep this", exact=True)).count():
        form = page.locator("form.gb-place-form", has=button.first)
        form.locator("select").select_option("named")
        button.first.click()
        page.wait_for_load_state()
    expect(page.get_by_text("0 of")).to_be_visible()
    letters = page.locator("section.gb-thing", has=page.get_by_role("link", name="Letters", exact=True))
    letters.get_by_text("What it will read like").click()
    expect(letters.locator("ins").first).to_have_text("[redacted]")
    picture(page, "decided")
    letters.get_by_label("Redact the passages").check()
    letters.get_by_role("button", name="Keep this choice").click()
    notes = page.locator("section.gb-thing", has=page.get_by_role("link", name="Notes on calls", exact=True))
    notes.get_by_label("Remove the document").check()
    notes.get_by_role("button", name="Keep this choice").click()
    page.get_by_role("button", name="Make the redacted version").click()
    expect(page.get_by_text("still being made")).to_be_visible()
    redacted_by_worker(office, request)
    page.reload()
    expect(page.get_by_role("link", name="The redacted version")).to_be_visible()
    picture(page, "ready")
    page.get_by_role("button", name="Propose for approval").click()
    expect(page.get_by_text("You proposed it: somebody else decides.")).to_be_visible()
    address = page.url.split("#")[0]

    page.context.clear_cookies()
    sign_in("rita")
    page.goto(address)
    picture(page, "approve")
    page.get_by_role("button", name="Approve, and erase it for good").click()
    expect(page.get_by_text("It is approved, and goes on by itself")).to_be_visible()

    with open_scope(tenant=acme.id, reason="a test"):
        run = RemovalRun.objects.get()
    for _ in range(10):
        carried_out(acme, run)
        with acting_as("glassbox_worker"):
            seal_all_waiting()
        if office.again(request).state == "completed":
            break
    page.context.clear_cookies()
    sign_in("dora")
    page.goto(address)
    expect(page.get_by_role("heading", name="What went")).to_be_visible()
    picture(page, "done")
    page.get_by_role("link", name="Tell that it is done").click()
    expect(page.locator("textarea[name=body]")).to_have_value(re.compile("2 documents were removed"))
    picture(page, "letter")
    page.get_by_role("button", name="Send the letter").click()
    page.get_by_role("button", name="I have sent it myself").click()
    expect(page.get_by_text("The key of this request is destroyed")).to_be_visible()
    picture(page, "forgotten")
    with open_scope(tenant=acme.id, reason="a test"):
        titles = set(Document.objects.values_list("title", flat=True))
    assert titles == {"Letters", "Other notes"}
