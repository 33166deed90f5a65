"""The verification in a browser: the button, progress that moves by itself, the result, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.conf import LazySettings
from playwright.sync_api import Page, expect

from apps.audit.models import Verification
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed
from tests.audit.verifying import run, tampering
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, make_member


def test_an_auditor_verifies_the_log_and_sees_what_is_wrong(
    acme: Firm, sign_in: Callable[[str], Page], settings: LazySettings, tmp_path: Path
) -> None:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path)
    make_member(acme, "ada", Role.AUDITOR, password=PASSWORD)
    sealed(acme, 20)
    checkpointed(acme)
    page = sign_in("ada")
    page.get_by_role("link", name="Verification").click()
    page.get_by_role("button", name="Verify the log now").press("Enter")
    expect(page.locator("#result")).to_contain_text("Waiting for a worker")
    _run_the_one_that_waits(acme)
    expect(page.locator("#result")).to_contain_text("The log is intact.")
    with tampering() as connection:
        connection.execute("UPDATE audit_event SET actor_kind = 'user' WHERE action = 'tenants.scope.created'")
        connection.execute("DELETE FROM audit_payload WHERE id IN (SELECT id FROM audit_payload ORDER BY id LIMIT 1)")
    page.get_by_role("button", name="Verify the log now").click()
    expect(page.locator("#result")).to_contain_text("Waiting for a worker")
    _run_the_one_that_waits(acme)
    expect(page.get_by_role("alert")).to_contain_text("The log does not verify.")
    expect(page.locator("#main")).to_contain_text("Events that were altered")
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.locator("html").evaluate("html => html.scrollWidth") <= 400
    page.goto("/admin/")
    expect(page.locator("#log-alarm")).to_contain_text("The log does not verify.")
    assert page.locator("html").evaluate("html => html.scrollWidth") <= 400


def _run_the_one_that_waits(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        waiting: Verification = Verification.objects.get(state="waiting")
    run(waiting)
