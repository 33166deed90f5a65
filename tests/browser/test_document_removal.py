"""Two people remove a document in a browser: one proposes it with a reason, the other reads it and decides.

Pictures of each station are kept in the folder that GLASSBOX_TEST_PICTURES names, wide and narrow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from django.urls import reverse
from playwright.sync_api import Page, expect

from apps.corpus.models import Document
from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalRun
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.conftest import ready_document
from tests.audit.removing import carried_out
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member

_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")
_WIDTHS = (1440, 400)


def picture(page: Page, name: str) -> None:
    """No width makes the page scroll sideways."""
    for width in reversed(_WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("html").evaluate("html => html.scrollWidth <= html.clientWidth + 1"), name
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"removal-{name}-{width}.png", full_page=True)
    page.set_viewport_size({"width": _WIDTHS[0], "height": 900})


def test_one_proposes_a_removal_and_another_decides(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    make_member(acme, "rita", Role.REVIEWER, password=PASSWORD)
    document = ready_document(acme)
    page = sign_in("alice")
    page.goto(reverse("admin:corpus_document_change", args=[document.id]))
    page.get_by_role("link", name="Propose its removal…").click()
    expect(page.get_by_text("It waits for one of these: rita.")).to_be_visible()
    page.get_by_label("Why it is to be removed").select_option(label="It is a duplicate")
    page.get_by_label("In your own words").fill("It went up twice; the other one is in the right scope.")
    picture(page, "proposing")
    page.get_by_role("button", name="Propose the removal").click()
    expect(page.get_by_text("Proposed. Nothing is removed until somebody else has approved it.")).to_be_visible()
    expect(page.get_by_role("button", name="Take it back, and remove nothing")).to_be_visible()
    picture(page, "proposed")

    page = sign_in("rita")
    page.get_by_role("link", name="Removals to approve").click()
    picture(page, "list")
    page.locator("#main").get_by_role("link", name=document.title).click()
    expect(page.get_by_text("It went up twice; the other one is in the right scope.")).to_be_visible()
    expect(page.get_by_text("require it to be kept for longer")).to_be_visible()
    picture(page, "deciding")
    page.get_by_role("button", name="Approve, and remove 1 document for good").click()
    expect(page.get_by_text("Approved. The removal is being carried out and can't be undone.")).to_be_visible()
    with open_scope(tenant=acme.id, reason="a test"):
        run = RemovalRun.objects.get()
    assert carried_out(acme, run) is RunState.COMPLETED
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.filter(id=document.id).exists()
