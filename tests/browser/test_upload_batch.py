"""Several files are uploaded in a browser: each one's outcome is seen as it comes, and what failed is started again.

Pictures of each station are kept in the folder that GLASSBOX_TEST_PICTURES names, wide and narrow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from django.urls import reverse
from playwright.sync_api import Page, expect

from apps.corpus.models import Document, IngestJob
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.corpus.files import BROKEN, png
from tests.corpus.ingesting import REPORT, run
from tests.factories import Firm, make_member

_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")
_WIDTHS = (1440, 400)


def picture(page: Page, name: str) -> None:
    """No width makes the page scroll sideways."""
    for width in reversed(_WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("html").evaluate("html => html.scrollWidth <= html.clientWidth + 1"), name
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"upload-{name}-{width}.png", full_page=True)
    page.set_viewport_size({"width": _WIDTHS[0], "height": 900})


def run_all(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        jobs = list(IngestJob.objects.all())
    for job in jobs:
        run(firm, job)


def fill(page: Page, firm: Firm, files: list[dict[str, object]]) -> None:
    page.goto(reverse("admin:corpus_document_add"))
    page.locator("[name=uploads]").set_input_files(files)  # type: ignore[arg-type]
    page.locator("[name=kind]").select_option("run")
    page.locator("[name=scope]").select_option(str(firm.scopes["fund:alpha"].id))


def test_a_file_that_can_not_be_read_is_refused_beside_its_field(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("alice")
    fill(page, acme, [{"name": "scan.pdf", "mimeType": "application/pdf", "buffer": png()}])
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("its content is a PNG image")).to_be_visible()
    picture(page, "refused")


def test_a_batch_is_watched_until_all_have_ended_and_what_failed_is_started_again(
    acme: Firm, sign_in: Callable[[str], Page]
) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("alice")
    files: list[dict[str, object]] = [
        {"name": "Alpha_Fund_Q4.md", "mimeType": "text/markdown", "buffer": REPORT},
        {"name": "holdings.json", "mimeType": "application/json", "buffer": b'{"fund": "Alpha", "fund": "Beta"}'},
        {"name": "cut.json", "mimeType": "application/json", "buffer": BROKEN},
        {"name": "also-cut-in-the-middle-of-its-way.json", "mimeType": "application/json", "buffer": BROKEN * 2},
        {"name": "scan.pdf", "mimeType": "application/pdf", "buffer": png()},
    ]
    fill(page, acme, files)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("4 are on their way, 1 was refused")).to_be_visible()
    picture(page, "moving")
    run_all(acme)
    expect(page.get_by_text("2 are ready, 2 failed, 1 was refused. All files are finished.")).to_be_visible()
    expect(page.get_by_text('the key "fund" appears more than once')).to_be_visible()
    picture(page, "ended")
    page.get_by_role("button", name="Start cut.json again").click()
    expect(page.get_by_text("1 file is being read again.")).to_be_visible()
    expect(page.get_by_text("1 is on its way, 2 are ready, 1 failed, 1 was refused")).to_be_visible()


def test_what_is_known_of_it_is_corrected(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("alice")
    fill(page, acme, [{"name": "Ahpla_Fund.json", "mimeType": "application/json", "buffer": b'{"fee": 1, "fee": 2}'}])
    page.get_by_role("button", name="Upload").click()
    run_all(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        made = Document.objects.get()
    page.goto(reverse("admin:corpus_document_change", args=[made.id]))
    picture(page, "reservations")
    page.get_by_role("link", name="Correct its details…").click()
    picture(page, "correct")
    page.get_by_label("Title").fill("Alpha Fund")
    page.get_by_label("Company").fill("Acme")
    page.get_by_role("button", name="Correct the details").click()
    expect(page.get_by_text("Version 2 contains your corrections")).to_be_visible()
    run_all(acme)
    expect(page.get_by_role("heading", name="Versions")).to_be_visible()
    picture(page, "corrected")
