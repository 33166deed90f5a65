"""An administrator sees in a browser how a webhook stands, pauses it, and has an event sent again.

Pictures of each station are kept in the folder that GLASSBOX_TEST_PICTURES names, wide and narrow.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.audit.models import DeliveryState, Webhook, WebhookAttempt, WebhookDelivery
from apps.audit.webhooks.services import webhook_create, webhook_test
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.browser.conftest import PASSWORD
from tests.factories import Firm, as_, make_member

_PICTURES = os.environ.get("GLASSBOX_TEST_PICTURES", "")
_WIDTHS = (1440, 400)


def picture(page: Page, name: str) -> None:
    """No width makes the page scroll sideways."""
    for width in reversed(_WIDTHS):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1"), name
        if _PICTURES:
            page.screenshot(path=Path(_PICTURES) / f"webhooks-{name}-{width}.png", full_page=True)
    page.set_viewport_size({"width": _WIDTHS[0], "height": 900})


def test_an_administrator_looks_after_a_webhook(acme: Firm, sign_in: Callable[[str], Page]) -> None:
    tom = make_member(acme, "tom", Role.TENANT_ADMIN, password=PASSWORD)
    page = sign_in("tom")
    page.goto(reverse("admin:webhooks"))
    expect(page.get_by_text("There are no webhooks in your scopes yet.")).to_be_visible()
    picture(page, "none")
    with as_(tom):
        webhook, _ = webhook_create(
            url="https://hooks.northwind-capital.example.com/glassbox/events?stage=production",
            actions=["corpus.document.ready", "corpus.document.failed", "intents.policy.approved"],
            scopes=tom.scope_ids,
        )
        given_up = webhook_test(webhook.id)
    with open_scope(tenant=acme.id, reason="a test"):
        about = {"tenant_id": acme.id, "delivery_id": given_up.id, "scope_ids": given_up.scope_ids}
        WebhookAttempt.objects.create(**about, number=1, status=503, error="status", duration_ms=5_021)
        WebhookDelivery.objects.update(state=DeliveryState.GIVEN_UP, attempts=1, ended_at=timezone.now())
        Webhook.objects.update(failing_since=timezone.now())
    page.reload()
    picture(page, "list")
    page.locator("#main").get_by_role("link", name="hooks.northwind-capital.example.com").click()
    expect(page.get_by_text("it did not take it (503)")).to_be_visible()
    picture(page, "failing")
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_text("It is being sent again.")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("what comes meanwhile waits in the log")).to_be_visible()
    with open_scope(tenant=acme.id, reason="a test"):
        Webhook.objects.update(pause_reason="failing")
    page.reload()
    expect(page.get_by_text("Nothing is sent to it any more.")).to_be_visible()
    picture(page, "paused")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("beginning with the events that have waited longest")).to_be_visible()
