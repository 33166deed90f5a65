"""What was read can be named with a write: nothing is done to what was changed since."""

from __future__ import annotations

import pytest
from django.urls import get_resolver

from apps.corpus.models import Document
from apps.intents.models import PolicyVersion
from apps.tenants.api.preconditions import TaggedView
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api, openapi, person
from tests.factories import Firm, as_, make_member

pytestmark = pytest.mark.django_db


def test_a_thing_has_a_tag_that_changes_with_it(analyst: Api, acme: Firm) -> None:
    address = f"/api/v1/documents/{analyst.upload().json()['id']}/"
    first, second = analyst.get(address), analyst.get(address)
    assert first["ETag"] == second["ETag"] != ""
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=first.json()["id"]).update(title="Another")
    assert analyst.get(address)["ETag"] != first["ETag"]


def test_what_is_known_already_is_not_sent_again(analyst: Api) -> None:
    address = f"/api/v1/documents/{analyst.upload().json()['id']}/"
    tag = analyst.get(address)["ETag"]
    known = analyst.get(address, if_none_match=tag)
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", tag)
    assert analyst.get(address, if_none_match='"another"').status_code == 200


def test_what_was_changed_since_is_not_removed(acme: Firm) -> None:
    analyst = person(make_member(acme, "alice", Role.TENANT_ADMIN))
    address = f"/api/v1/documents/{analyst.upload().json()['id']}/"
    tag = analyst.get(address)["ETag"]
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.update(title="Another")
    refused = analyst.delete(address, if_match=tag)
    assert (refused.status_code, refused.json()["code"]) == (412, "api.precondition_failed")
    now = analyst.get(address)
    assert analyst.delete(address, if_match=f'"old", {now["ETag"]}').status_code == 204


def test_what_was_done_with_a_tag_is_answered_again_with_it(acme: Firm) -> None:
    """The same request, sent again because its answer was lost: the tag is an old one by then."""
    admin = person(make_member(acme, "alice", Role.TENANT_ADMIN))
    address = f"/api/v1/documents/{admin.upload().json()['id']}/"
    sent = {"if_match": admin.get(address)["ETag"], "idempotency_key": "once"}
    first, second = admin.delete(address, **sent), admin.delete(address, **sent)
    assert (first.status_code, second.status_code) == (204, 204)
    assert second["Idempotent-Replayed"] == "true"


def test_a_draft_that_was_changed_since_is_not_discarded(acme: Firm) -> None:
    olivia = make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)
    officer = person(olivia)
    draft = officer.post("/api/v1/policy/versions/", {"reason": "A change."}).json()["version_id"]
    address = f"/api/v1/policy/versions/{draft}/"
    tag = officer.get(address)["ETag"]
    with as_(olivia):
        PolicyVersion.objects.filter(id=draft).update(reason="Another change.")
    assert officer.delete(address, if_match=tag).status_code == 412
    assert officer.delete(address, if_match=officer.get(address)["ETag"]).status_code == 204


def test_what_is_not_there_is_not_there_with_a_tag_either(admin: Api) -> None:
    address = "/api/v1/documents/00000000-0000-7000-8000-000000000000/"
    assert admin.delete(address, if_match='"x"').status_code == 404


def test_every_tagged_view_is_in_the_document() -> None:
    tagged = {
        f"/api/{route.pattern}".replace("<uuid:id>", "{id}")
        for api in get_resolver().url_patterns
        if str(api.pattern) == "api/"
        for route in api.url_patterns
        if issubclass(getattr(route.callback, "cls", object), TaggedView)
    }
    documented = {
        path
        for path, operations in openapi()["paths"].items()
        if "304" in operations.get("get", {"responses": {}})["responses"]
    }
    assert tagged == documented != set()
    for path in documented:
        assert "ETag" in openapi()["paths"][path]["get"]["responses"]["200"]["headers"]
