from __future__ import annotations

from uuid import uuid4

import pytest

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError, ScopeNotGrantedError, UnknownTenantError
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.models import Grant, Membership, Scope, User
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.grants import subtree, tenants_of_user, user_principal
from apps.tenants.services.members import grants_set, membership_revoke
from apps.tenants.services.tenants import scope_create
from tests.factories import Firm, make_firm, make_member, make_user

pytestmark = pytest.mark.django_db


def test_a_grant_on_the_root_reaches_every_scope_below(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.ANALYST)
    assert alice.scope_ids == frozenset(acme.scope_ids("firm:acme", "fund:alpha", "fund:beta"))


def test_a_grant_on_a_fund_reaches_that_fund_alone(acme: Firm) -> None:
    bob = make_member(acme, "bob", Role.ANALYST, scopes=["fund:alpha"])
    assert bob.scope_ids == frozenset(acme.scope_ids("fund:alpha"))


def test_charlie_who_has_no_membership_has_no_tenant(acme: Firm) -> None:
    charlie = make_user("charlie")
    assert tenants_of_user(UserId(charlie.id)) == ()
    with pytest.raises(UnknownTenantError):
        user_principal(charlie, acme.id)


def test_roles_in_one_tenant_are_none_in_another(acme: Firm) -> None:
    bolt = make_firm("bolt")
    make_member(acme, "alice", Role.TENANT_ADMIN)
    with pytest.raises(UnknownTenantError):
        user_principal(User.objects.get_by_natural_key("alice"), bolt.id)


def test_a_superuser_passes_no_wall(acme: Firm) -> None:
    root = make_user("root", superuser=True)
    assert tenants_of_user(UserId(root.id)) == ()


def test_a_revoked_membership_opens_nothing_and_is_kept(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get())
        assert Membership.objects.get().revoked_at is not None
        assert Grant.objects.filter(valid_to__isnull=True).count() == 0
    with pytest.raises(UnknownTenantError):
        user_principal(User.objects.get_by_natural_key("alice"), acme.id)


def test_changed_grants_keep_their_history_and_are_events(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    with open_scope(tenant=acme.id, reason="a test"):
        grants_set(membership=Membership.objects.get(), scopes=[acme.scopes["fund:beta"]])
        assert Grant.objects.count() == 2
        actions = Event.objects.filter(action__startswith="tenants.grant").order_by("id")
        assert [event.action for event in actions] == [
            "tenants.grant.given",
            "tenants.grant.given",
            "tenants.grant.ended",
        ]


def test_a_principal_can_t_open_a_scope_that_it_does_not_hold(acme: Firm) -> None:
    bob = make_member(acme, "bob", Role.ANALYST, scopes=["fund:alpha"])
    with (
        pytest.raises(ScopeNotGrantedError),
        open_scope(tenant=acme.id, principal=bob, scopes=acme.scope_ids("fund:beta")),
    ):
        pass


def test_a_new_scope_is_below_its_parent_for_who_holds_the_parent(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    with open_scope(tenant=acme.id, principal=alice):
        gamma = scope_create(key="fund:gamma", name="Gamma", parent=acme.root)
        assert not Scope.objects.filter(id=gamma.id).exists()
    again = user_principal(User.objects.get_by_natural_key("alice"), acme.id)
    assert gamma.id in again.scope_ids


def test_a_permission_that_no_role_gives_is_refused_with_the_roles_that_would(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.ANALYST)
    with pytest.raises(PermissionDeniedError, match="Tenant administrator"):
        alice.require(Permission.KEY_MANAGE)


def test_a_cycle_in_the_tree_ends() -> None:
    a, b = ScopeId(uuid4()), ScopeId(uuid4())
    assert subtree([a], [(a, b), (b, a)]) == {a, b}
