"""Who could reach what, of a key that acts for a person: no more than both the key and the person held then."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from apps.intents.access import AccessAnswer, Verdict, access_ask, access_json
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_create
from apps.tenants.services.members import grants_set, membership_grant, membership_revoke
from apps.tenants.services.people import membership_scopes_set, user_configure
from tests.factories import Firm, make_firm, make_member, make_personal_key
from tests.intents.test_access import asked, keys

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


def about(firm: Firm, by: Principal, **question: Any) -> AccessAnswer:
    with open_scope(tenant=firm.id, reason="a test"):
        prefix = ApiKey.objects.get(id=by.key_id).prefix
    return asked(firm, key=prefix, **question)


def test_it_reached_what_both_gave_and_both_stand_with_the_answer(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:beta"])
    answer = about(acme, key)
    assert (answer.verdict, keys(answer)) == (Verdict.COULD_REACH, ["fund:beta"])
    assert "the API key script (gbx_" in answer.sentence
    assert ", which acts for alice, as Analyst from " in answer.sentence
    assert [grant.scope.key for granted in answer.granted_by for grant in granted.grants] == ["fund:beta"]
    assert {grant.scope.key for granted in answer.bounded_by for grant in granted.grants} == {"fund:alpha", "fund:beta"}
    told = access_json(answer)
    assert told["subject"]["acts_for"] == "alice"
    assert [each["through"] for each in told["bounded_by"]] == ["membership"]


def test_the_person_is_named_in_a_note(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    notes = " ".join(about(acme, key).notes)
    assert "The key acts for alice" in notes
    assert "a deactivation of the account" in notes


@pytest.mark.django_db(transaction=True)
def test_the_answer_follows_the_person_s_grants_over_time(acme: Firm) -> None:
    """By the server's clock: with the membership, the database ends its keys."""
    make_member(acme, "alice", Role.ANALYST)
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    made = timezone.now()
    with open_scope(tenant=acme.id, reason="a test"):
        membership_scopes_set(Membership.objects.get(), scopes=[acme.scopes["fund:alpha"]])
    narrowed = timezone.now()
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get())
    left = timezone.now()
    with open_scope(tenant=acme.id, reason="a test"):
        user = User.objects.get_by_natural_key("alice")
        membership_grant(user=user, role=Role.ANALYST, scopes=[acme.root])
    back = timezone.now()
    assert keys(about(acme, key, at=made)) == ["firm:acme", "fund:alpha", "fund:beta"]
    assert keys(about(acme, key, at=narrowed)) == ["fund:alpha"]
    for at in (left, back):
        answer = about(acme, key, at=at)
        assert (answer.verdict, answer.scopes, answer.granted_by) == (Verdict.NOT_VALID, (), ())
        assert "the key was not valid then, but from " in answer.sentence


def test_a_key_without_a_grant_in_common_with_its_person_reached_nothing(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha"])
    with open_scope(tenant=acme.id, reason="a test"):
        membership_scopes_set(Membership.objects.get(), scopes=[acme.scopes["fund:beta"]])
    assert about(acme, key).verdict is Verdict.NO_SCOPE


def test_a_deactivated_person_is_noted(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    assert "deactivated today" not in " ".join(about(acme, key).notes)
    user = User.objects.get_by_natural_key("alice")
    user.is_active = False
    user_configure(user, administrator=user)
    assert "The account is deactivated today" in " ".join(about(acme, key).notes)


def test_by_a_key_of_their_own_a_person_asks_about_that_key(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha"])
    answer = asked(acme, principal=key)
    assert (answer.subject.id, keys(answer)) == (key.key_id, ["fund:alpha"])


def test_a_person_asks_about_their_own_keys_and_nobody_else_does_without_the_log(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.ANALYST)
    bob = make_member(acme, "bob", Role.ANALYST)
    auditor = make_member(acme, "arthur", Role.AUDITOR)
    key, _ = make_personal_key(acme, "alice", role=Role.ANALYST)
    for principal in (alice, auditor):
        assert about(acme, key, principal=principal).subject.id == key.key_id
    with pytest.raises(PermissionDeniedError):
        about(acme, key, principal=bob)


def test_a_person_s_own_answer_is_not_widened_by_their_keys(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.ANALYST, scopes=["fund:alpha"])
    make_personal_key(acme, "alice", role=Role.ANALYST, scopes=["fund:alpha"])
    with open_scope(tenant=acme.id, principal=alice):
        answer = access_ask()
    assert (answer.subject.id, answer.bounded_by, len(answer.granted_by)) == (alice.id, (), 1)


def test_an_ordinary_key_is_bounded_by_nobody(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        key, _ = api_key_create(name="portal", role=Role.ANALYST, scopes=[acme.root])
        grants_set(api_key=key, scopes=[acme.scopes["fund:alpha"]])
    answer = asked(acme, key=key.prefix)
    assert (keys(answer), answer.bounded_by, access_json(answer)["subject"]["acts_for"]) == (["fund:alpha"], (), None)
