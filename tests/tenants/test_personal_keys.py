"""Keys that act for a person: who makes them, what they open, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.audit.models import Event
from apps.errors import ApplicationError
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.context import open_scope
from apps.tenants.errors import (
    InvalidKeyError,
    NotInPersonError,
    ScopeNotGrantedError,
    WithheldFromKeyError,
)
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.grants import actor_principal, key_principal, principal_now, user_principal
from apps.tenants.services.api_keys import api_key_authenticate, api_key_revoke, api_key_rotate
from apps.tenants.services.members import membership_grant, membership_revoke
from apps.tenants.services.people import membership_scopes_set, user_configure
from apps.tenants.services.personal_keys import personal_key_create, personal_key_rotate
from apps.tenants.streaming import scoped_stream
from tests.factories import Firm, make_firm, make_key, make_member, make_personal_key
from tests.raising import raises_code

pytestmark = pytest.mark.django_db

IN_90_DAYS = timedelta(days=90)


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.ANALYST)


def now(username: str, firm: Firm) -> Principal:
    return user_principal(User.objects.get_by_natural_key(username), firm.id)


def created(principal: Principal | None, firm: Firm, **changes: Any) -> tuple[ApiKey, str]:
    wanted = {
        "name": "script",
        "role": Role.ANALYST,
        "scopes": [firm.root],
        "expires_at": timezone.now() + IN_90_DAYS,
        **changes,
    }
    with open_scope(tenant=firm.id, principal=principal, reason="" if principal else "a test"):
        return personal_key_create(**wanted)


def signed_in_by(plain: str) -> Principal:
    return key_principal(api_key_authenticate(plain))


def me(plain: str, client: Client | None = None) -> Any:
    return (client or Client()).get("/api/v1/me/", headers={"authorization": f"Bearer {plain}"})


# --- Whom it acts for, and within what ------------------------------------------------------------------------------


def test_the_person_behind_a_key_is_read_in_few_statements(
    acme: Firm, alice: Principal, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    key = api_key_authenticate(created(alice, acme)[1])
    # Beside the five that open the directory and close it: tenant, person, memberships, both grants, and the tree once.
    with django_assert_num_queries(11):
        assert key_principal(key).scope_ids == alice.scope_ids


def test_a_key_acts_as_its_person_in_one_role_and_some_scopes(acme: Firm, alice: Principal) -> None:
    make_member(acme, "alice", Role.REVIEWER)
    principal, _ = make_personal_key(acme, "alice", role=Role.REVIEWER, scopes=["fund:alpha"])
    assert (principal.kind, principal.id) == (PrincipalKind.USER, alice.id)
    assert principal.label == "alice (key script)"
    assert principal.roles == {Role.REVIEWER}
    assert principal.scope_ids == frozenset(acme.scope_ids("fund:alpha"))
    assert f"user:{alice.id}" in principal.permissions
    assert "policy.approve" in principal.permissions
    assert "document.add" not in principal.permissions


def test_a_key_never_reaches_more_than_its_person_does_now(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    with open_scope(tenant=acme.id, reason="a test"):
        membership_scopes_set(Membership.objects.get(), scopes=[acme.scopes["fund:beta"]])
    assert signed_in_by(plain).scope_ids == frozenset(acme.scope_ids("fund:beta"))


def test_what_the_person_gains_later_the_key_does_not(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "alice", Role.COMPLIANCE_OFFICER)
    principal = signed_in_by(plain)
    assert principal.scope_ids == frozenset(acme.scope_ids("fund:alpha"))
    assert not principal.may(Permission.POLICY_EDIT)


@pytest.mark.parametrize("permission", [Permission.KEY_MANAGE, Permission.MEMBER_MANAGE, Permission.TENANT_MANAGE])
def test_an_administrator_s_key_manages_no_keys_members_or_settings(acme: Firm, permission: Permission) -> None:
    amy = make_member(acme, "amy", Role.TENANT_ADMIN)
    assert amy.may(permission)
    principal, _ = make_personal_key(acme, "amy", role=Role.TENANT_ADMIN)
    assert principal.may(Permission.DOCUMENT_DELETE)
    assert not principal.may(permission)
    assert permission.value not in principal.permissions
    with pytest.raises(WithheldFromKeyError, match="Sign in to do it"):
        principal.require(permission)


def test_only_a_person_who_is_signed_in_holds_the_claim_on_own_keys(acme: Firm, alice: Principal) -> None:
    by_key, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    of_the_tenant, _ = make_key(acme, Role.TENANT_ADMIN)
    assert "key.own" in alice.permissions
    assert "key.own" not in by_key.permissions | of_the_tenant.permissions


# --- Making one -----------------------------------------------------------------------------------------------------


def test_nobody_but_a_person_who_is_signed_in_makes_one(acme: Firm, alice: Principal) -> None:
    by_key, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    of_the_tenant, _ = make_key(acme, Role.TENANT_ADMIN)
    for principal in (by_key, of_the_tenant, None):
        with pytest.raises(NotInPersonError):
            created(principal, acme)


def test_a_role_that_the_person_lacks_is_refused_in_words(acme: Firm, alice: Principal) -> None:
    with raises_code("tenants.role_not_held", match=r"the role Reviewer here.*: Analyst"):
        created(alice, acme, role=Role.REVIEWER)


def test_a_scope_that_the_person_lacks_is_refused(acme: Firm) -> None:
    narrow = make_member(acme, "nia", Role.ANALYST, scopes=["fund:alpha"])
    with pytest.raises(ScopeNotGrantedError):
        created(narrow, acme, scopes=[acme.scopes["fund:beta"]])


@pytest.mark.parametrize("life", [None, timedelta(0), timedelta(seconds=-1), timedelta(days=365, minutes=1)], ids=str)
def test_it_ends_by_itself_within_a_year(acme: Firm, alice: Principal, life: timedelta | None) -> None:
    with raises_code("tenants.key_life", match="365 days"):
        created(alice, acme, expires_at=None if life is None else timezone.now() + life)


def test_a_year_is_not_empty(acme: Firm, alice: Principal) -> None:
    _, plain = created(alice, acme, expires_at=timezone.now() + timedelta(days=365))
    assert signed_in_by(plain).id == alice.id


def test_making_and_revoking_one_are_events_of_the_person(acme: Firm, alice: Principal) -> None:
    key, _ = created(alice, acme)
    with open_scope(tenant=acme.id, principal=alice):
        api_key_revoke(key)
        events = Event.objects.filter(action__startswith="tenants.api_key").order_by("occurred_at", "id")
        told = [(event.action, event.actor_id, event.payload["core"]["person_id"]) for event in events]
    assert told == [
        ("tenants.api_key.created", alice.id, str(alice.id)),
        ("tenants.api_key.revoked", alice.id, str(alice.id)),
    ]


# --- Using it -------------------------------------------------------------------------------------------------------


def test_me_tells_the_person_and_the_key(acme: Firm, alice: Principal) -> None:
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:beta"])
    told = me(plain).json()
    assert (told["kind"], told["id"], told["label"]) == ("user", str(alice.id), "alice (key script)")
    assert told["personal_key"]["name"] == "script"
    assert plain.startswith(f"gbx_{told['personal_key']['prefix']}_")
    assert (told["roles"], told["scopes"]) == (["analyst"], ["fund:beta"])


def test_me_names_no_personal_key_for_the_tenant_s_own(acme: Firm) -> None:
    _, plain = make_key(acme)
    told = me(plain).json()
    assert (told["kind"], told["personal_key"]) == ("api_key", None)


def test_the_header_needs_no_csrf_token_and_goes_before_a_session(acme: Firm, alice: Principal) -> None:
    """A session of the same browser asks for a token; the key beside it does not, and is who acts."""
    make_member(acme, "bob", Role.ANALYST)
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(User.objects.get_by_natural_key("bob"))
    empty = {"question": ""}
    refused = browser.post("/api/v1/query/", empty, content_type="application/json")
    assert (refused.status_code, "CSRF" in refused.content.decode()) == (403, True)
    by_key = browser.post(
        "/api/v1/query/", empty, content_type="application/json", headers={"authorization": f"Bearer {plain}"}
    )
    assert by_key.status_code == 400
    assert me(plain, browser).json()["label"] == "alice (key script)"


def test_the_admin_takes_no_key_for_a_session(acme: Firm, alice: Principal) -> None:
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    response = Client().get("/admin/", headers={"authorization": f"Bearer {plain}"})
    assert (response.status_code, "/login/" in response.headers.get("Location", "")) == (302, True)


def test_an_event_names_the_person_and_the_key_beside_them(acme: Firm, alice: Principal) -> None:
    make_member(acme, "alice", Role.TENANT_ADMIN)
    _, plain = make_personal_key(acme, "alice", role=Role.TENANT_ADMIN)
    asked = Client().get("/api/v1/policy/access/", headers={"authorization": f"Bearer {plain}"})
    assert asked.status_code == 200
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="intents.access.asked")
    assert (event.actor_kind, event.actor_id, event.actor_label) == ("user", alice.id, "alice (key script)")


def test_its_last_use_is_noted(acme: Firm, alice: Principal) -> None:
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    assert me(plain).status_code == 200
    assert api_key_authenticate(plain).last_used_at is not None


def test_more_keys_are_no_more_rate(acme: Firm, alice: Principal) -> None:
    make_member(acme, "bob", Role.ANALYST)
    counted = {
        PrincipalThrottle().get_cache_key(SimpleNamespace(user=principal), None)  # type: ignore[arg-type]
        for principal in (
            alice,
            make_personal_key(acme, "alice", role=Role.ANALYST)[0],
            make_personal_key(acme, "alice", role=Role.ANALYST)[0],
            make_personal_key(acme, "bob", role=Role.ANALYST)[0],
        )
    }
    assert len(counted) == 2


def test_an_answer_is_replayed_to_the_key_that_got_it_and_to_no_other_of_the_person(
    acme: Firm, alice: Principal
) -> None:
    def upload(plain: str) -> Any:
        form = {"file": SimpleUploadedFile("note.md", b"# A note"), "scope": "fund:alpha", "kind": "run"}
        headers = {"authorization": f"Bearer {plain}", "idempotency-key": "once"}
        return Client().post("/api/v1/documents/", form, headers=headers)

    _, one = make_personal_key(acme, "alice", role=Role.ANALYST)
    _, other = make_personal_key(acme, "alice", role=Role.ANALYST)
    assert upload(one).status_code in (201, 202)
    assert "Idempotent-Replayed" in upload(one).headers
    assert "Idempotent-Replayed" not in upload(other).headers


# --- How it ends ----------------------------------------------------------------------------------------------------


def revoked_by_its_person(firm: Firm, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, principal=now("alice", firm)):
        api_key_revoke(key)


def revoked_by_an_administrator(firm: Firm, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, principal=make_member(firm, "amy", Role.TENANT_ADMIN)):
        api_key_revoke(key)


def expired(firm: Firm, plain: str) -> None:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, principal=now("alice", firm)):
        personal_key_rotate(key, expires_at=timezone.now() + IN_90_DAYS, overlap=timedelta(0))


def membership_ended(firm: Firm, plain: str) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        for membership in Membership.objects.filter(user__username="alice", revoked_at__isnull=True):
            membership_revoke(membership)


def role_ended(firm: Firm, plain: str) -> None:
    """Still a member, in another role."""
    make_member(firm, "alice", Role.AUDITOR)
    with open_scope(tenant=firm.id, reason="a test"):
        membership_revoke(Membership.objects.get(user__username="alice", role=Role.ANALYST))


def account_deactivated(firm: Firm, plain: str) -> None:
    user = User.objects.get_by_natural_key("alice")
    user.is_active = False
    user_configure(user, administrator=user)


ENDS = (revoked_by_its_person, revoked_by_an_administrator, expired, membership_ended, role_ended, account_deactivated)
ends = pytest.mark.parametrize("end", ENDS, ids=lambda end: end.__name__)


@ends
def test_the_next_request_is_refused(acme: Firm, alice: Principal, end: Callable[[Firm, str], None]) -> None:
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    assert me(plain).status_code == 200
    end(acme, plain)
    refused = me(plain)
    assert (refused.status_code, refused.json()["code"]) == (401, "tenants.invalid_api_key")


@ends
def test_an_answer_that_is_being_sent_ends(acme: Firm, alice: Principal, end: Callable[[Firm, str], None]) -> None:
    principal, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    stream = scoped_stream(
        principal,
        [lambda: b"first", lambda: b"second"],
        scopes=[],
        permission=Permission.DOCUMENT_VIEW,
        cut_short=lambda error, sent_bytes: None,
    )
    assert next(stream) == b"first"
    end(acme, plain)
    with pytest.raises(InvalidKeyError):
        next(stream)


def test_a_session_s_answer_goes_on_when_a_key_of_the_person_ends(acme: Firm, alice: Principal) -> None:
    """The control: it is the key that ends, not the person."""
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    revoked_by_its_person(acme, plain)
    assert principal_now(alice) == alice


def test_the_actor_of_a_job_is_the_key_s_person_while_the_key_lives(acme: Firm, alice: Principal) -> None:
    principal, plain = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha"])
    assert alice.id is not None
    assert actor_principal(principal.kind, alice.id, acme.id, key_id=principal.key_id) == principal
    revoked_by_its_person(acme, plain)
    with pytest.raises(InvalidKeyError):
        actor_principal(principal.kind, alice.id, acme.id, key_id=principal.key_id)


def test_a_key_s_id_beside_somebody_else_is_nobody(acme: Firm, alice: Principal) -> None:
    bob = make_member(acme, "bob", Role.ANALYST)
    principal, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    with pytest.raises(InvalidKeyError):
        principal_now(replace(bob, key_id=principal.key_id))


# --- Rotating it ----------------------------------------------------------------------------------------------------


def rotated(firm: Firm, plain: str, by: Principal | None = None, **changes: Any) -> tuple[ApiKey, str]:
    key = api_key_authenticate(plain)
    with open_scope(tenant=firm.id, principal=by or now("alice", firm)):
        return personal_key_rotate(key, **{"expires_at": timezone.now() + IN_90_DAYS, **changes})


def test_rotating_gives_a_successor_in_the_same_name_and_an_end_to_the_old(acme: Firm, alice: Principal) -> None:
    before, plain = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha"])
    successor, new = rotated(acme, plain)
    assert replace(signed_in_by(new), key_id=before.key_id) == before
    assert successor.rotated_from_id == before.key_id
    ends_at = api_key_authenticate(plain).expires_at
    assert ends_at is not None
    assert ends_at <= timezone.now() + timedelta(hours=24)


def test_a_successor_leaves_out_what_the_person_no_longer_reaches(acme: Firm, alice: Principal) -> None:
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    with open_scope(tenant=acme.id, reason="a test"):
        membership_scopes_set(Membership.objects.get(), scopes=[acme.scopes["fund:beta"]])
    successor, new = rotated(acme, plain)
    with open_scope(tenant=acme.id, reason="a test"):
        assert list(successor.grants.values_list("scope_id", flat=True)) == acme.scope_ids("fund:beta")
        membership_scopes_set(Membership.objects.get(), scopes=[acme.scopes["fund:alpha"]])
    with raises_code("tenants.key_reaches_nothing"):
        rotated(acme, new)


@pytest.fixture
def refused(acme: Firm, alice: Principal) -> Callable[..., ApplicationError]:
    def attempt(act: Callable[[str], object]) -> ApplicationError:
        _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
        with pytest.raises(ApplicationError) as caught:
            act(plain)
        return caught.value

    return attempt


def test_nobody_else_rotates_it(acme: Firm, refused: Callable[..., ApplicationError]) -> None:
    amy = make_member(acme, "amy", Role.TENANT_ADMIN)
    make_member(acme, "amy", Role.ANALYST)

    def as_an_ordinary_one(plain: str) -> None:
        with open_scope(tenant=acme.id, principal=amy):
            api_key_rotate(api_key_authenticate(plain))

    assert isinstance(refused(lambda plain: rotated(acme, plain, by=amy)), NotInPersonError)
    assert isinstance(refused(as_an_ordinary_one), NotInPersonError)
    assert isinstance(refused(lambda plain: rotated(acme, plain, by=signed_in_by(plain))), NotInPersonError)


def test_one_that_has_ended_is_not_rotated(acme: Firm, alice: Principal) -> None:
    _, plain = make_personal_key(acme, "alice", role=Role.ANALYST)
    key = api_key_authenticate(plain)
    revoked_by_its_person(acme, plain)
    with open_scope(tenant=acme.id, principal=alice):
        key.refresh_from_db()
        with raises_code("tenants.key_ended"):
            personal_key_rotate(key, expires_at=timezone.now() + IN_90_DAYS)


def test_a_member_of_two_tenants_has_keys_of_each_alone(acme: Firm, alice: Principal) -> None:
    bolt = make_firm("bolt")
    make_member(bolt, "alice", Role.ANALYST)
    _, plain = make_personal_key(bolt, "alice", role=Role.ANALYST)
    with open_scope(tenant=bolt.id, reason="a test"):
        membership_revoke(Membership.objects.get())
    assert me(plain).status_code == 401
    with open_scope(tenant=acme.id, reason="a test"):
        user = User.objects.get_by_natural_key("alice")
        assert membership_grant(user=user, role=Role.ANALYST, scopes=[acme.root]).revoked_at is None
        assert not ApiKey.objects.exists()
