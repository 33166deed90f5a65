"""What the inventory says of open places of a document that is redacted, and the proposal after it. Wide and narrow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.urls import reverse
from playwright.sync_api import Page, expect

from apps.corpus.models import Document
from apps.erasure.runs.staying import Reason
from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide
from apps.privacy.requests.services.receiving import request_describe
from apps.tenants.context import open_scope
from tests.audit.inventorying import (
    LETTER,
    PERSON,
    assessed,
    group_of,
    inventoried,
    redacted_by_worker,
    stored,
)
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.browser.conftest import PASSWORD
from tests.corpus.ingesting import remote_profile
from tests.factories import as_
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)
# Where pictures of the pages go, for whoever wants to look at them.
_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")
SIGNED = LETTER + b"\n\nIt is signed by Bergmann.\n"


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office, password=PASSWORD)


def picture(page: Page, name: str) -> None:
    """At both widths; nothing may stick out at 400."""
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"replaced-{name}-{width}.png", full_page=True)
        sticks_out = page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth")
        assert sticks_out <= 0, f"{name} is wider than the screen at {width}"
    page.set_viewport_size({"width": 1440, "height": 900})


def test_a_redaction_that_is_held_up_and_a_place_that_goes_with_the_old_version(
    office: Office, sign_in: Callable[[str], Page]
) -> None:
    letter = stored(office, SIGNED, title="Letters")
    request = assessed(office)
    inventoried(office, request)
    first, *others = group_of(office, request, letter).hits
    with as_(office.dora):
        hits_decide(request.id, [Said(hit_id=first.id, seen=Decision.OPEN, reason=Reason.NAMED)])
        document_treat(request.id, letter.id, Treatment.REDACT, seen=None)

    # --- a place is open: the page says which, and leads there ---
    page = sign_in("dora")
    page.goto(reverse("admin:erasure_inventory", args=[request.id]))
    held_up = page.locator("#propose")
    expect(held_up).to_contain_text("so first decide on")
    expect(page.get_by_role("button", name="Make the redacted version")).to_have_count(0)
    picture(page, "held-up")
    held_up.get_by_role("link", name="Letters").click()
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?page=1#thing-{letter.id}")

    # --- all is decided, the redacted version is made; then more is known of the person ---
    with as_(office.dora):
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.NAMED) for hit in others])
    page.reload()
    page.get_by_role("button", name="Make the redacted version").click()
    expect(page.get_by_text("1 redacted version is being made. The old ones are out of use.")).to_be_visible()
    redacted_by_worker(office, request)
    with as_(office.dora):
        request_describe(request.id, details=replace(PERSON, aliases=("Bergmann",)))
    inventoried(office, request)
    page.goto(reverse("admin:erasure_inventory", args=[request.id]))
    expect(page.locator("#not-counted")).to_contain_text("1 more open place is not counted and needs no decision")
    expect(page.locator(f"#thing-{letter.id}")).to_contain_text("This old version is removed as a whole.")
    expect(page.locator("#propose")).to_contain_text("1 place is open.")
    picture(page, "not-counted")

    # --- it is decided in the redacted version, and proposed ---
    with open_scope(tenant=office.firm.id, reason="a test"):
        redacted = Document.objects.get(series_id=letter.series_id, version=2)
    beside = page.locator(f"#thing-{redacted.id}")
    beside.get_by_label("What it is").select_option(label="Somebody else with that name")
    beside.get_by_role("button", name="Keep this").click()
    expect(page.get_by_role("heading", name="What is not counted, and why")).to_be_visible()
    page.get_by_role("button", name="Propose for approval").click()
    expect(page.get_by_text("You proposed the erasure.")).to_be_visible()
    run_id = office.again(request).run_id
    page.goto(reverse("admin:removal_run", args=[run_id]))
    expect(page.get_by_text("1 place in a version that is removed as a whole")).to_be_visible()
    picture(page, "proposed")
