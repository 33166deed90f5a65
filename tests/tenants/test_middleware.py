from __future__ import annotations

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from apps.audit.models import Event
from apps.tenants.context import open_scope, open_tenant_id
from apps.tenants.errors import InvalidKeyError
from apps.tenants.middleware import SESSION_TENANT, ScopeMiddleware
from apps.tenants.models import User
from apps.tenants.requests import access_of
from apps.tenants.roles import Role
from tests.factories import Firm, make_firm, make_key, make_member, make_user

pytestmark = pytest.mark.django_db


def _through(request: HttpRequest, user: User | None = None, session: dict[str, str] | None = None) -> HttpRequest:
    request.__dict__.update(user=user, session={} if session is None else session)
    seen: list[object] = []

    def view(inner: HttpRequest) -> HttpResponse:
        seen.append(open_tenant_id())
        return HttpResponse()

    ScopeMiddleware(view)(request)
    request.__dict__["seen"] = seen[0]
    return request


def test_a_key_opens_its_tenant_for_the_request(acme: Firm) -> None:
    _, plain = make_key(acme)
    request = _through(RequestFactory().get("/api/v1/me/", headers={"authorization": f"Bearer {plain}"}))
    assert request.__dict__["seen"] == acme.id
    assert open_tenant_id() is None


def test_a_wrong_key_opens_nothing_and_says_so(acme: Firm) -> None:
    request = _through(RequestFactory().get("/api/v1/me/", headers={"authorization": "Bearer gbx_wrong"}))
    assert isinstance(access_of(request).authentication_error, InvalidKeyError)
    assert request.__dict__["seen"] is None


def test_a_key_is_for_the_api_alone(acme: Firm) -> None:
    _, plain = make_key(acme)
    request = _through(RequestFactory().get("/admin/", headers={"authorization": f"Bearer {plain}"}))
    assert request.__dict__["seen"] is None


def test_a_member_works_in_the_tenant_that_the_session_names(acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(acme, "alice", Role.ANALYST)
    make_member(bolt, "alice", Role.AUDITOR)
    alice = User.objects.get_by_natural_key("alice")
    request = _through(RequestFactory().get("/admin/"), alice, {SESSION_TENANT: str(bolt.id)})
    assert request.__dict__["seen"] == bolt.id


def test_a_session_that_names_a_tenant_of_others_falls_back_to_an_own_one(acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(acme, "alice", Role.ANALYST)
    alice = User.objects.get_by_natural_key("alice")
    request = _through(RequestFactory().get("/admin/"), alice, {SESSION_TENANT: str(bolt.id)})
    assert request.__dict__["seen"] == acme.id


def test_a_superuser_without_a_membership_opens_nothing(acme: Firm) -> None:
    request = _through(RequestFactory().get("/admin/"), make_user("root", superuser=True))
    assert request.__dict__["seen"] is None


def test_signing_in_and_failing_to_are_events_of_the_tenant(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, password="correct horse battery")
    client = Client()
    assert not client.login(username="alice", password="wrong")
    assert client.login(username="alice", password="correct horse battery")
    with open_scope(tenant=acme.id, reason="a test"):
        actions = Event.objects.filter(action__startswith="tenants.session").order_by("id")
        assert [(event.action, event.outcome) for event in actions] == [
            ("tenants.session.login_failed", "failed"),
            ("tenants.session.login", "success"),
        ]
