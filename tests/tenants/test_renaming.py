"""Scopes and keys get another name where one holds a person's: with a reason, recorded without either name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_authenticate, api_key_rename, api_key_revoke
from apps.tenants.services.tenants import scope_rename
from tests.factories import Firm, as_, make_key, make_member
from tests.raising import raises_code
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

OLD, WHY = "Zaunkönig", "An erasure asks for it."


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.TENANT_ADMIN)


def told(firm: Firm, action: str) -> dict[str, dict[str, object]]:
    with open_scope(tenant=firm.id, reason="a test"):
        return dict(Event.objects.get(action=action).payload)


def test_a_scope_gets_another_name_and_key_and_what_hangs_on_it_stays(acme: Firm, alice: Principal) -> None:
    scope = acme.scopes["fund:alpha"]
    member = make_member(acme, "ann", Role.ANALYST, scopes=["fund:alpha"])
    with as_(alice):
        scope_rename(ScopeId(scope.id), key="fund:zaun", name=OLD, reason=WHY)
    with as_(member):
        assert [each.key for each in Scope.objects.all()] == ["fund:zaun"]
    payload = told(acme, "tenants.scope.renamed")
    assert payload["core"] == {"fields": "key,name"}
    assert payload["actor"]["reason"] == WHY
    assert OLD not in str(payload)


def test_a_key_gets_another_name_and_goes_on(acme: Firm, alice: Principal) -> None:
    _, plain = make_key(acme, Role.ANALYST)
    with as_(alice):
        key = ApiKey.objects.get()
        api_key_rename(key.id, name="Portal", reason=WHY)
        assert ApiKey.objects.get().name == "Portal"
    assert api_key_authenticate(plain).id == key.id
    payload = told(acme, "tenants.api_key.renamed")
    assert (payload["core"], payload["actor"]["reason"]) == ({"fields": "name"}, WHY)
    assert key.name not in str(payload)


def test_what_is_wrong_is_said(acme: Firm, alice: Principal) -> None:
    alpha, root = ScopeId(acme.scopes["fund:alpha"].id), ScopeId(acme.root.id)
    make_key(acme, Role.ANALYST)
    ann = make_member(acme, "ann", Role.ANALYST)
    with as_(alice):
        key = ApiKey.objects.get()
    tries: list[tuple[Principal, Callable[[], object], str]] = [
        (alice, lambda: scope_rename(alpha, key="fund:alpha", name="x", reason=" "), "tenants.reason_missing"),
        (alice, lambda: scope_rename(alpha, key="fund:beta", name="x", reason=WHY), "tenants.scope_key_taken"),
        (alice, lambda: scope_rename(root, key="firm:other", name="x", reason=WHY), "tenants.root_scope_key"),
        (ann, lambda: scope_rename(alpha, key="fund:x", name="x", reason=WHY), "tenants.permission_denied"),
        (ann, lambda: api_key_rename(key.id, name="x", reason=WHY), "tenants.permission_denied"),
        (alice, lambda: api_key_rename(key.id, name="x", reason=""), "tenants.reason_missing"),
    ]
    for principal, act, code in tries:
        with as_(principal), raises_code(code):
            act()
    with as_(alice), raises_code("tenants.key_not_found"):
        api_key_rename(alpha, name="x", reason=WHY)


def test_a_revoked_key_gets_another_name_and_changes_in_nothing_else(acme: Firm, alice: Principal) -> None:
    _, plain = make_key(acme, Role.ANALYST)
    with as_(alice):
        key = ApiKey.objects.get()
        api_key_revoke(key)
        ended = ApiKey.objects.get()
        admin = Visitor("alice")
    assert any(link.endswith(f"{key.id}/rename/") for link in admin.open("tenants_apikey_change", key.id).links)
    with as_(alice):
        api_key_rename(key.id, name="Portal", reason=WHY)
        renamed = ApiKey.objects.get()
        assert (renamed.name, renamed.revoked_at) == ("Portal", ended.revoked_at)
        # revoked_at itself is stamped once, and stays.
        for change in ({"expires_at": timezone.now()}, {"last_used_at": timezone.now()}):
            with pytest.raises(DatabaseError, match="the name alone changes"), transaction.atomic():
                ApiKey.objects.update(**change)
        ApiKey.objects.update(revoked_at=None)
        assert ApiKey.objects.get().revoked_at == ended.revoked_at
    with pytest.raises(InvalidKeyError):
        api_key_authenticate(plain)
    with as_(make_member(acme, "ann", Role.ANALYST)):
        assert ApiKey.objects.update(name="x") == 0


def test_the_pages_do_it(acme: Firm, alice: Principal) -> None:
    make_key(acme, Role.ANALYST)
    with as_(alice):
        key = ApiKey.objects.get()
    admin, scope = Visitor("alice"), acme.scopes["fund:alpha"]
    assert any(link.endswith(f"{scope.id}/rename/") for link in admin.open("tenants_scope_change", scope.id).links)
    taken = admin.send("tenants_scope_rename", scope.id, key="fund:beta", name="Beta", reason=WHY)
    assert "taken" in taken.errors_of("key")
    assert admin.send("tenants_scope_rename", scope.id, key="fund:gamma", name="Gamma", reason=WHY).status == 302
    assert "fund:gamma" in admin.open("tenants_scope_change", scope.id).text
    assert admin.send("tenants_apikey_rename", key.id, name="Portal", reason=WHY).status == 302
    assert "Portal" in admin.open("tenants_apikey_change", key.id).text
    assert Visitor("alice").send("tenants_apikey_rename", key.id, name="Portal", reason="").errors_of("reason")
    make_member(acme, "ann", Role.ANALYST)
    assert Visitor("ann").open("tenants_scope_rename", scope.id).status == 403
