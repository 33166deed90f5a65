"""A DPO answers a request for access, from receipt to the page that the person reads. On wide and narrow screens."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, expect

from apps.privacy.inventory.runner import inventory_run
from apps.privacy.models import ErasureRequest, Inventory
from apps.tenants.context import open_scope
from tests.audit.inventorying import NAME, found_in
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import remote_profile
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)
# Where pictures of the pages go, for whoever wants to look at them.
_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        office = baked(make_office, password=PASSWORD)
        found_in(office)
        yield office


def picture(page: Page, name: str) -> None:
    """At both widths; nothing may stick out at 400."""
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"access-{name}-{width}.png", full_page=True)
        sticks_out = page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
        assert sticks_out <= 0, f"{name} is wider than the screen at {width}"
    page.set_viewport_size({"width": 1440, "height": 900})


def searched(office: Office) -> None:
    """What the worker does meanwhile."""
    with open_scope(tenant=office.firm.id, reason="a test"):
        waiting = Inventory.objects.get()
    inventory_run(tenant_id=office.firm.id, inventory_id=waiting.id)


def pressed_all(page: Page, name: str) -> None:
    """Each button that begins so, one after the other: every press loads the page anew."""
    while (button := page.get_by_role("button", name=name)).count():
        with page.expect_navigation():
            button.first.click()


def test_from_receipt_to_the_page_that_the_person_reads(
    office: Office, sign_in: Callable[[str], Page], tmp_path: Path
) -> None:
    page = sign_in("dora")
    page.get_by_role("link", name="Access and erasure requests").first.click()
    page.get_by_role("link", name="Take in a request").click()
    picture(page, "choose")
    page.get_by_role("link", name="Access for somebody who is named in documents").click()
    page.get_by_label("Names", exact=True).fill(NAME)
    page.get_by_label("Their name").fill(NAME)
    page.get_by_role("button", name="Take the request in").click()
    expect(page.get_by_role("heading", name="What to do next")).to_be_visible()
    picture(page, "received")
    page.get_by_role("button", name="Identity is clear").click()
    page.get_by_role("link", name="Go on to the inventory").click()
    page.get_by_role("button", name="Search everything for the person").click()
    searched(office)
    page.reload()
    picture(page, "inventory")
    pressed_all(page, "Confirm ")
    expect(page.get_by_text("0 of ")).to_be_visible()

    page.get_by_role("link", name="Go on to the package").click()
    picture(page, "quotes")
    first = page.get_by_label("Words about others").first
    first.fill("Jane Doe")
    first.press("Enter")
    expect(page.get_by_text("Copy them from the quote")).to_be_visible()
    page.get_by_label("Words about others").first.fill("fees")
    pressed_all(page, "I have read ")
    expect(page.get_by_role("heading", name="Make the package")).to_be_visible()
    picture(page, "make")
    page.get_by_role("button", name="Make the package").click()
    expect(page.get_by_text("Download and check it before you answer.")).to_be_visible()
    picture(page, "made")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download the package").click()
    assert started.value.suggested_filename.startswith("AR-")
    started.value.save_as(tmp_path / "package.zip")

    page.get_by_role("link", name="Answer the request").click()
    picture(page, "letter")
    page.get_by_role("button", name="Answer the request and send the letter").click()
    expect(page.get_by_text("is answered.").first).to_be_visible()
    picture(page, "answered")
    page.get_by_role("link", name="Access and erasure requests").first.click()
    page.get_by_label("Which").select_option("all")
    with page.expect_navigation():
        page.get_by_role("button", name="Show", exact=True).click()
    picture(page, "list")
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert ErasureRequest.objects.get().state == "completed"

    with zipfile.ZipFile(tmp_path / "package.zip") as archive:
        archive.extractall(tmp_path)
    page.goto((tmp_path / "what-is-held.html").as_uri())
    expect(page.get_by_text("End of the document.")).to_be_visible()
    expect(page.locator("mark").first).to_have_text(NAME)
    expect(page.locator("body")).not_to_contain_text("about the fees")
    picture(page, "package")
