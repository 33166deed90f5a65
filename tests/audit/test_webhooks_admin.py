"""The pages of webhooks: what was sent, and stopping it; for administrators who hold the scopes."""

from __future__ import annotations

import pytest
from django.test import Client

from apps.audit.models import Webhook, WebhookAttempt, WebhookDelivery
from apps.audit.webhooks.services import webhook_create, webhook_test
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def webhook(acme: Firm) -> Webhook:
    tom = make_member(acme, "tom", Role.TENANT_ADMIN)
    with as_(tom):
        return webhook_create(
            url="https://hooks.example.com/x", actions=["corpus.document.ready"], scopes=tom.scope_ids
        )[0]


def visitor(who: str) -> Client:
    client = Client()
    client.force_login(User.objects.get_by_natural_key(who))
    return client


def page(webhook: Webhook) -> str:
    return f"/admin/webhooks/{webhook.id}/"


def test_the_list_says_what_is_there_and_how_it_stands(webhook: Webhook) -> None:
    shown = visitor("tom").get("/admin/webhooks/").content.decode()
    assert "hooks.example.com" in shown
    assert "Active" in shown
    assert "/x" not in shown.partition('id="list"')[2], "an address may be as good as a password"


def test_a_test_is_sent_and_its_way_is_shown(acme: Firm, webhook: Webhook) -> None:
    tom = visitor("tom")
    assert tom.post(page(webhook), {"act": "test"}).status_code == 302
    with open_scope(tenant=acme.id, reason="a test"):
        delivery = WebhookDelivery.objects.get()
        WebhookAttempt.objects.create(
            tenant_id=acme.id,
            delivery_id=delivery.id,
            scope_ids=delivery.scope_ids,
            number=1,
            status=302,
            duration_ms=12,
            error="redirect",
        )
    shown = tom.get(page(webhook)).content.decode()
    assert "Webhook tested" in shown
    assert "it redirects, which is not followed (302), 12 ms" in shown


def test_it_is_paused_and_resumed(acme: Firm, webhook: Webhook) -> None:
    tom = visitor("tom")
    tom.post(page(webhook), {"act": "pause"})
    shown = tom.get(page(webhook)).content.decode()
    assert "Somebody paused it" in shown
    assert 'value="test"' not in shown
    tom.post(page(webhook), {"act": "resume"})
    assert "Somebody paused it" not in tom.get(page(webhook)).content.decode()
    assert tom.post(page(webhook), {"act": "delete"}).status_code == 400


def test_who_does_not_administer_or_lacks_a_scope_does_not_see_it(acme: Firm, webhook: Webhook) -> None:
    make_member(acme, "ann", Role.COMPLIANCE_OFFICER)
    make_member(acme, "nora", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    assert visitor("ann").get("/admin/webhooks/").status_code == 403
    assert visitor("ann").post(page(webhook), {"act": "pause"}).status_code == 403
    assert visitor("nora").get(page(webhook)).status_code == 404
    assert "hooks.example.com" not in visitor("nora").get("/admin/webhooks/").content.decode()


def test_what_is_paused_by_itself_is_on_the_start_page_of_administrators(acme: Firm, webhook: Webhook) -> None:
    make_member(acme, "ann", Role.COMPLIANCE_OFFICER)
    with open_scope(tenant=acme.id, reason="a test"):
        Webhook.objects.update(paused_at=webhook.created_at, pause_reason="failing")
    words = "A webhook was paused: nothing sent was taken."
    assert words in visitor("tom").get("/admin/").content.decode()
    assert words not in visitor("ann").get("/admin/").content.decode()


def test_a_test_of_a_paused_one_is_refused_in_words(acme: Firm, webhook: Webhook) -> None:
    with as_(_tom(acme)):
        webhook_test(webhook.id)
    tom = visitor("tom")
    tom.post(page(webhook), {"act": "pause"})
    answer = tom.post(page(webhook), {"act": "test"}, follow=True)
    assert "it is paused; resume it first" in answer.content.decode()


def _tom(firm: Firm) -> Principal:
    return make_member(firm, "tom", Role.TENANT_ADMIN)
