"""Webhooks through the API: made, shown, changed, rotated, tested, deleted, by whom and how often."""

from __future__ import annotations

from typing import Any

import pytest

from apps.audit.models import Event, Webhook, WebhookDelivery
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.roles import Role
from tests.api.client import Api, person
from tests.factories import Firm, make_key, make_member

pytestmark = pytest.mark.django_db
BASE = "/api/v1/webhooks/"
BODY = {"url": "https://hooks.example.com/glassbox", "classes": ["corpus.document.ready"], "scopes": ["fund:alpha"]}


def made(api: Api, **changes: Any) -> dict[str, Any]:
    answer = api.post(BASE, {**BODY, **changes})
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_one_is_made_and_its_secret_told_once(acme: Firm, admin: Api) -> None:
    found = made(admin)
    assert found["secret"].startswith("whsec_")
    shown = admin.get(f"{BASE}{found['id']}/").json()
    assert shown == {name: value for name, value in found.items() if name != "secret"}
    assert shown["scopes"] == ["fund:alpha"]
    assert shown in admin.get(BASE).json()["results"]
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="audit.webhook.created", subject_id=found["id"])
        assert event.payload["core"]["host"] == "hooks.example.com"


def test_sent_twice_it_is_made_once_and_the_secret_is_stored_nowhere(acme: Firm, admin: Api) -> None:
    first = admin.post(BASE, BODY, idempotency_key="webhook-1").json()
    second = admin.post(BASE, BODY, idempotency_key="webhook-1").json()
    assert second == {**first, "secret": None}
    rotated = admin.post(f"{BASE}{first['id']}/rotate/", idempotency_key="webhook-2").json()
    assert rotated["secret"] not in (None, first["secret"])
    assert admin.post(f"{BASE}{first['id']}/rotate/", idempotency_key="webhook-2").json()["secret"] is None
    assert rotated["previous_secret_until"] is not None
    with open_scope(tenant=acme.id, reason="a test"):
        kept = str(list(IdempotentRequest.objects.values()))
        assert "hooks.example.com" in kept
        assert "whsec_" not in kept


@pytest.mark.parametrize(
    ("changes", "field", "code"),
    [
        ({"url": "http://hooks.example.com/"}, "url", "audit.webhook_url"),
        ({"url": "https://169.254.169.254/latest/"}, "url", "audit.webhook_url"),
        ({"classes": ["tenants.session.login"]}, "classes", "audit.webhook_class"),
        ({"scopes": ["fund:nobody"]}, "scopes", "tenants.scope_not_granted"),
    ],
)
def test_what_can_t_be_is_refused_beside_its_field(admin: Api, changes: dict[str, Any], field: str, code: str) -> None:
    answer = admin.post(BASE, {**BODY, **changes})
    assert answer.status_code == 400
    assert (answer.json()["code"], list(answer.json()["errors"])) == (code, [field])


def test_it_is_changed_paused_and_resumed_by_what_was_read(acme: Firm, admin: Api) -> None:
    id = made(admin)["id"]
    tag = admin.get(f"{BASE}{id}/")["ETag"]
    changed = admin.patch(f"{BASE}{id}/", {"paused": True, "classes": ["corpus.document.failed"]}, if_match=tag)
    assert (changed.json()["pause_reason"], changed.json()["classes"]) == ("person", ["corpus.document.failed"])
    assert admin.patch(f"{BASE}{id}/", {"paused": False}, if_match=tag).status_code == 412
    assert admin.post(f"{BASE}{id}/test/").json()["code"] == "audit.webhook_state"
    assert admin.patch(f"{BASE}{id}/", {"paused": False}).json()["paused_at"] is None
    assert admin.patch(f"{BASE}{id}/", {}).status_code == 400
    with open_scope(tenant=acme.id, reason="a test"):
        found = Event.objects.filter(subject_id=id).order_by("id").values_list("action", flat=True)
        assert [each.rpartition(".")[2] for each in found] == ["created", "changed", "paused", "resumed"]


def test_a_test_is_a_delivery_that_is_followed_and_sent_again(acme: Firm, admin: Api) -> None:
    id = made(admin)["id"]
    sent = admin.post(f"{BASE}{id}/test/")
    assert (sent.status_code, sent.json()["class"], sent.json()["state"]) == (202, "audit.webhook.tested", "waiting")
    assert [each["id"] for each in admin.get(f"{BASE}{id}/deliveries/").json()["results"]] == [sent.json()["id"]]
    assert admin.get(f"{BASE}{id}/deliveries/", {"state": "given_up"}).json()["results"] == []
    shown = admin.get(sent["Location"])
    assert shown.json() == {**sent.json(), "log": []}
    assert admin.post(f"{sent['Location']}redeliver/").status_code == 409


def test_one_that_is_deleted_is_gone(acme: Firm, admin: Api) -> None:
    id = made(admin)["id"]
    admin.post(f"{BASE}{id}/test/")
    assert admin.delete(f"{BASE}{id}/").status_code == 204
    assert admin.get(f"{BASE}{id}/").json()["code"] == "audit.webhook_not_found"
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Webhook.objects.filter(id=id).exists()
        assert not WebhookDelivery.objects.filter(webhook_id=id).exists()


@pytest.mark.slow
def test_there_are_at_most_twenty(bolt: Firm) -> None:
    api = Api(make_key(bolt, Role.TENANT_ADMIN)[1])
    for _ in range(20):
        made(api, scopes=[])
    assert api.post(BASE, {**BODY, "scopes": []}).json()["code"] == "audit.webhook_too_many"


def test_a_person_who_is_signed_in_sees_those_within_their_scopes(acme: Firm, admin: Api) -> None:
    narrow, wide = made(admin), made(admin, scopes=[])
    nora = person(make_member(acme, "nora-webhooks", Role.TENANT_ADMIN, scopes=["fund:alpha"]))
    ids = [each["id"] for each in nora.get(BASE).json()["results"]]
    assert narrow["id"] in ids
    assert wide["id"] not in ids
    assert nora.get(f"{BASE}{wide['id']}/").status_code == 404


def test_the_classes_are_named_in_words(admin: Api) -> None:
    classes = admin.get(f"{BASE}classes/").json()["results"]
    assert {"class": "corpus.document.ready", "label": "Document ready"} in classes
    assert not [
        each for each in classes if each["class"].startswith(("tenants.session.", "tenants.user.", "audit.webhook."))
    ]
