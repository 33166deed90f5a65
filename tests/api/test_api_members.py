"""Members, invitations, keys and scopes by API: the admin's own rules, and a secret that is told once."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.core import mail
from django.db import connection
from django.http import HttpResponse
from django.test import TestCase
from django.utils import timezone

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.models import ApiKey, IdempotentRequest, Invitation, Membership, Scope, User
from apps.tenants.principals import Principal
from apps.tenants.roles import APPROVING_ROLES, Permission, Role, approvals
from apps.tenants.selectors.grants import user_principal
from apps.tenants.selectors.members import membership_revision
from apps.tenants.services.invitations import invitation_accept, invitation_link
from apps.tenants.services.people import membership_scopes_set
from tests.api.client import Api, openapi, person
from tests.api.test_api_access import BODIES, DOORS, Door, body_for, invitation_of, member_of
from tests.factories import (
    Firm,
    as_,
    make_firm,
    make_invitation,
    make_invited,
    make_key,
    make_member,
    make_personal_key,
    make_user,
)

pytestmark = pytest.mark.django_db

Json = dict[str, Any]
OF_THE_DIRECTORY = ("/api/v1/members/", "/api/v1/invitations/", "/api/v1/keys/", "/api/v1/scopes/")
DIRECTORY = [door for door in DOORS if door.path.startswith(OF_THE_DIRECTORY)]
# What gives somebody a way in that they had not: by nobody but a person who is signed in.
IN_PERSON = {
    ("post", "/api/v1/invitations/"),
    ("post", "/api/v1/keys/"),
    ("post", "/api/v1/keys/{key}/rotate/"),
    ("post", "/api/v1/members/{member}/confirm/"),
}


class Caller(NamedTuple):
    api: Api
    principal: Principal


def by_session(firm: Firm, role: Role) -> Caller:
    principal = make_member(firm, f"signed-in-{role.value}", role)
    return Caller(person(principal), principal)


def by_own_key(firm: Firm, role: Role) -> Caller:
    make_member(firm, f"by-key-{role.value}", role)
    principal, plain = make_personal_key(firm, f"by-key-{role.value}", role=role)
    return Caller(Api(plain), principal)


def by_firm_key(firm: Firm, role: Role) -> Caller:
    principal, plain = make_key(firm, role)
    return Caller(Api(plain), principal)


@pytest.fixture
def amy(acme: Firm) -> Caller:
    principal = make_member(acme, "amy", Role.TENANT_ADMIN)
    return Caller(person(principal), principal)


@pytest.fixture
def rita(acme: Firm) -> Caller:
    principal = make_member(acme, "rita", Role.REVIEWER)
    return Caller(person(principal), principal)


def events(firm: Firm, *actions: str) -> list[tuple[str, uuid.UUID | None]]:
    with open_scope(tenant=firm.id, reason="a test"):
        found = Event.objects.filter(action__in=actions).order_by("occurred_at", "id")
        return [(event.action, event.actor_id) for event in found]


def code_of(response: HttpResponse) -> tuple[int, str]:
    return response.status_code, response.json().get("code", "")


def waiting(firm: Firm, role: Role, *, by: Principal, scopes: tuple[str, ...] = ()) -> Membership:
    return make_invited(firm, f"jo-{uuid.uuid4().hex[:8]}", role, by=by, scopes=scopes)


# --- Who may: generated of roles, operations and ways to sign in ----------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("way", [by_session, by_own_key, by_firm_key])
def test_who_may_do_what_is_what_the_permission_table_says(
    acme: Firm, amy: Caller, way: Callable[[Firm, Role], Caller], role: Role
) -> None:
    caller = way(acme, role)
    wrong = []
    for door in DIRECTORY:
        expected = expected_of(door, caller.principal)
        answer = attempt(acme, amy.principal, door, caller.api)
        told = (answer.status_code, answer.json()["code"]) if answer.status_code >= 400 else (200, "")
        if told != expected:
            wrong.append(f"{door.method} {door.path}: {told}, and not {expected}: {answer.content[:300]!r}")
    assert not wrong, "\n".join(wrong)


def expected_of(door: Door, principal: Principal) -> tuple[int, str]:
    """What the table of roles, and what is withheld from keys, say of a principal at a door."""
    needed = [door.permission] if door.permission else []
    if door.path.endswith(("/confirm/", "/decline/")):
        needed += sorted(approvals(Role.DPO))
    for permission in needed:
        if not principal.may(permission):
            return 403, refusal_of(principal, permission)
    if (door.method, door.path) in IN_PERSON and not principal.is_signed_in:
        return 403, "tenants.not_in_person"
    return 200, ""


def refusal_of(principal: Principal, permission: Permission) -> str:
    """A role that would do, were it not a key that asks: then signing in is the remedy, and the answer says so."""
    is_withheld = principal._withheld(permission)
    return "tenants.withheld_from_key" if is_withheld else "tenants.permission_denied"


def attempt(firm: Firm, inviter: Principal, door: Door, api: Api) -> HttpResponse:
    """A request that would succeed, were it only allowed: each about something of its own."""
    decided = door.path.endswith(("/confirm/", "/decline/"))
    member = waiting(firm, Role.DPO, by=inviter) if decided else member_of(firm)
    ids = {
        "member": member.id,
        "invitation": invitation_of(firm).id,
        "key": make_key(firm)[0].id,
        "scope": firm.scopes["fund:beta"].id,
    }
    body = dict(body_for(door.path) or {})
    if "revision" in body:
        with open_scope(tenant=firm.id, reason="a test"):
            body["revision"] = membership_revision(member.id)
    if door.path == "/api/v1/scopes/" and body:
        body["key"] = f"fund:{uuid.uuid4().hex[:8]}"
    path = door.path.format(**ids)
    return api.get(path) if door.method == "get" else getattr(api, door.method)(path, body or None)


def test_the_operations_that_take_a_person_are_told_in_the_document() -> None:
    for method, path in IN_PERSON:
        operation = openapi()["paths"][re.sub(r"\{\w+\}", "{id}", path)][method]
        assert "Only a signed-in person can do this" in operation["description"], path
        assert operation["security"] == [{"session": []}], path


# --- Members --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_members_are_listed_filtered_and_sorted(acme: Firm, amy: Caller) -> None:
    make_member(acme, "zoe", Role.AUDITOR, scopes=["fund:beta"])
    make_invited(acme, "bob", Role.REVIEWER, by=amy.principal)

    def found(query: str) -> list[str]:
        return [each["username"] for each in amy.api.get(f"/api/v1/members/?{query}").json()["results"]]

    assert found("role=auditor&scope=fund:beta") == ["zoe"]
    assert found("state=waiting") == ["bob"]
    assert found("q=ZO") == ["zoe"]
    assert found(f"person_id={amy.principal.id}") == ["amy"]
    assert found("sort=username") == sorted(found("page_size=200"))
    assert found("sort=-username&page_size=1") == ["zoe"]
    first = amy.api.get("/api/v1/members/?sort=username&page_size=1").json()
    assert amy.api.get(first["next"].partition("testserver")[2]).json()["results"][0]["username"] > "amy"
    assert code_of(amy.api.get("/api/v1/members/?scope=fund:none")) == (400, "tenants.scope_not_granted")


@pytest.mark.slow
def test_a_member_s_scopes_are_changed_as_far_as_one_s_own_go(acme: Firm) -> None:
    nia = person(make_member(acme, "nia", Role.TENANT_ADMIN, scopes=["fund:alpha"]))
    made = make_member(acme, "zoe", Role.ANALYST, scopes=["fund:alpha", "fund:beta"])
    member = membership_of(acme, made)
    assert {name: nia.get(member).json()[name] for name in ("scopes", "hidden_scopes")} == {
        "scopes": ["fund:alpha"],
        "hidden_scopes": 1,
    }
    refused = nia.patch(member, {"scopes": ["fund:beta"]})
    assert (*code_of(refused), list(refused.json()["errors"])) == (400, "tenants.scope_not_granted", ["scopes"])
    amy = person(make_member(acme, "amy", Role.TENANT_ADMIN))
    assert amy.patch(member, {"scopes": ["fund:alpha"]}).json()["scopes"] == ["fund:alpha"]
    assert user_principal(User.objects.get_by_natural_key("zoe"), acme.id).scope_ids == frozenset(
        acme.scope_ids("fund:alpha")
    )


def membership_of(firm: Firm, principal: Principal) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return f"/api/v1/members/{Membership.objects.get(user_id=principal.id).id}/"


def test_what_was_changed_since_is_not_changed_again(acme: Firm, amy: Caller) -> None:
    member = f"/api/v1/members/{member_of(acme).id}/"
    tag = amy.api.get(member)["ETag"]
    assert amy.api.patch(member, {"scopes": ["fund:beta"]}, if_match=tag).status_code == 200
    assert code_of(amy.api.patch(member, {"scopes": ["fund:alpha"]}, if_match=tag)) == (412, "api.precondition_failed")


def test_a_membership_ends_once_and_is_changed_no_more(acme: Firm, amy: Caller) -> None:
    member = f"/api/v1/members/{member_of(acme).id}/"
    read = {"revision": amy.api.get(member).json()["revision"]}
    assert code_of(amy.api.post(f"{member}end/", {"revision": 99})) == (409, "tenants.membership_changed")
    ended = amy.api.post(f"{member}end/", read).json()
    assert (ended["state"], ended["scopes"]) == ("ended", [])
    assert code_of(amy.api.post(f"{member}end/", read)) == (409, "tenants.membership_settled")
    assert code_of(amy.api.patch(member, {"scopes": ["fund:beta"]})) == (409, "tenants.membership_settled")
    assert events(acme, "tenants.membership.revoked") == [("tenants.membership.revoked", amy.principal.id)]


# --- A role that approves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", APPROVING_ROLES)
def test_a_role_that_approves_waits_for_a_second_person(acme: Firm, amy: Caller, rita: Caller, role: Role) -> None:
    made = waiting(acme, role, by=amy.principal)
    path = f"/api/v1/members/{made.id}/"
    shown = rita.api.get(path).json()
    assert (shown["state"], shown["invited_by_id"]) == ("waiting", str(amy.principal.id))
    confirmed = rita.api.post(f"{path}confirm/", {"revision": shown["revision"]})
    assert (confirmed.status_code, confirmed.json()["state"]) == (200, "in_force")
    assert confirmed.json()["confirmed_by_id"] == str(rita.principal.id)
    assert events(acme, "tenants.membership.confirmed") == [("tenants.membership.confirmed", rita.principal.id)]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["confirm", "decline"])
def test_what_was_changed_since_it_was_read_is_not_decided_on(acme: Firm, amy: Caller, rita: Caller, step: str) -> None:
    """An administrator widens what the second person is about to agree to."""
    made = waiting(acme, Role.REVIEWER, by=amy.principal, scopes=("fund:alpha",))
    path = f"/api/v1/members/{made.id}/"
    read = {"revision": rita.api.get(path).json()["revision"]}
    with as_(amy.principal):
        membership_scopes_set(made, scopes=[acme.root])
    assert code_of(rita.api.post(f"{path}{step}/", read)) == (409, "tenants.membership_changed")
    assert rita.api.get(path).json()["state"] == "waiting"
    assert rita.api.step(f"{path}{step}/").status_code == 200


@pytest.mark.parametrize("step", ["confirm", "decline", "end"])
def test_no_step_goes_without_what_was_read(acme: Firm, amy: Caller, step: str) -> None:
    made = waiting(acme, Role.REVIEWER, by=amy.principal)
    for body in ({}, {"revision": None}, {"revision": "2"}, {"revision": 2, "unheard_of": 1}):
        refused = amy.api.post(f"/api/v1/members/{made.id}/{step}/", body)
        assert (refused.status_code, refused.json()["code"]) == (400, "api.invalid"), body


@pytest.mark.slow
def test_whoever_invited_and_whoever_is_above_them_agree_to_nothing(acme: Firm, amy: Caller) -> None:
    make_member(acme, "amy", Role.REVIEWER)
    both = person(amy.principal)
    made = waiting(acme, Role.REVIEWER, by=amy.principal)
    assert code_of(both.step(f"/api/v1/members/{made.id}/confirm/")) == (409, "tenants.same_hands")
    make_invited(acme, "anna", Role.TENANT_ADMIN, by=amy.principal)
    anna = user_principal(User.objects.get_by_natural_key("anna"), acme.id)
    below = waiting(acme, Role.REVIEWER, by=anna)
    assert code_of(both.step(f"/api/v1/members/{below.id}/confirm/")) == (409, "tenants.invited_by_themselves")


def test_of_a_role_in_force_nothing_is_decided(acme: Firm, amy: Caller, rita: Caller) -> None:
    made = member_of(acme)
    for step in ("confirm", "decline"):
        answer = rita.api.step(f"/api/v1/members/{made.id}/{step}/")
        assert code_of(answer) == (409, "tenants.membership_settled")


# --- Invitations ----------------------------------------------------------------------------------------------------

ASKED = {"email": "bob@example.com", "role": "analyst", "scopes": ["fund:alpha"]}


def test_an_invitation_is_mailed_and_its_secret_is_in_no_answer(acme: Firm, amy: Caller) -> None:
    with TestCase.captureOnCommitCallbacks(execute=True):
        made = amy.api.post("/api/v1/invitations/", ASKED, idempotency_key="once")
    assert made.status_code == 201
    letter = str(mail.outbox[-1].body)
    secret = re.search(r"/invitation/([\w-]+)/", letter) or re.search(r"/([\w-]{40,})/", letter)
    assert secret is not None
    assert mail.outbox[-1].to == ["bob@example.com"]
    shown = amy.api.get(made["Location"])
    listed = amy.api.get("/api/v1/invitations/?state=waiting&role=analyst")
    assert (shown.json()["email"], shown.json()["state"], shown.json()["sent_at"] is None) == (
        "bob@example.com",
        "waiting",
        False,
    )
    for answer in (made, shown, listed):
        assert secret.group(1) not in answer.content.decode()
    # It works, once.
    assert invitation_accept(secret=secret.group(1), user=make_user("bob")).role == Role.ANALYST
    assert (
        amy.api.get(made["Location"]).json() | {"email": "", "state": "accepted"}
        == amy.api.get(made["Location"]).json()
    )


def test_inviting_tells_nothing_of_accounts(acme: Firm, bolt: Firm, amy: Caller) -> None:
    """Of this firm's, of another's, of nobody's: the same answer but for what is random."""
    make_member(acme, "bob", Role.ANALYST)
    make_member(bolt, "ben", Role.ANALYST)

    def answer(name: str) -> tuple[int, Json, int]:
        with connection.execute_wrapper(counting := Counting()):
            told = amy.api.post("/api/v1/invitations/", {**ASKED, "email": f"{name}@example.com"})
        body = told.json()
        return told.status_code, {name: body[name] for name in body.keys() - {"id", "created_at"}}, counting.queries

    answer("first")  # what a session asks once
    answers = [answer(name) for name in ("bob", "ben", "nobody")]
    assert answers == [answers[0]] * 3


class Counting:
    def __init__(self) -> None:
        self.queries = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        self.queries += 1
        return execute(sql, params, many, context)


def test_an_invitation_sent_twice_is_one_and_its_mailbox_is_not_kept(acme: Firm, amy: Caller) -> None:
    first, second = (amy.api.post("/api/v1/invitations/", ASKED, idempotency_key="once") for _ in range(2))
    assert (first.json(), second["Idempotent-Replayed"]) == (second.json(), "true")
    with open_scope(tenant=acme.id, reason="a test"):
        assert Invitation.objects.count() == 1
    assert "bob@" not in kept(acme)


def test_an_invitation_is_sent_again_and_withdrawn(acme: Firm, amy: Caller) -> None:
    made, _ = make_invitation(acme, "bob@example.com", Role.ANALYST, by=amy.principal)
    path = f"/api/v1/invitations/{made.id}/"
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert amy.api.post(f"{path}send/").status_code == 200
    assert [letter.to for letter in mail.outbox] == [["bob@example.com"]]
    assert amy.api.post(f"{path}withdraw/").json()["state"] == "withdrawn"
    assert amy.api.get(path).json()["email"] == ""
    for step in ("send", "withdraw"):
        assert code_of(amy.api.post(f"{path}{step}/")) == (409, "tenants.invitation_settled")
    assert events(acme, "tenants.invitation.withdrawn") == [("tenants.invitation.withdrawn", amy.principal.id)]


@pytest.mark.parametrize(
    ("field", "value"),
    [("email", "bob"), ("email", "b,ob@example.com"), ("role", "owner"), ("scopes", []), ("scopes", ["fund:none"])],
)
def test_what_can_t_be_invited_is_refused_at_its_field(acme: Firm, amy: Caller, field: str, value: Any) -> None:
    refused = amy.api.post("/api/v1/invitations/", {**ASKED, field: value})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])


# --- Keys -----------------------------------------------------------------------------------------------------------

MADE = {"name": "Portal of Jo Doe", "role": "analyst", "scopes": ["fund:alpha"], "expires_at": None}


def kept(firm: Firm) -> str:
    """All that is kept for repeated requests, as the database holds it."""
    with open_scope(tenant=firm.id, reason="a test"):
        return json.dumps(list(IdempotentRequest.objects.values()), default=str)


def test_a_key_is_told_once_and_works(acme: Firm, amy: Caller) -> None:
    made = amy.api.post("/api/v1/keys/", MADE, idempotency_key="once")
    secret = made.json()["secret"]
    assert made.status_code == 201
    assert Api(secret).get("/api/v1/me/").json()["scopes"] == ["fund:alpha"]
    again = amy.api.post("/api/v1/keys/", MADE, idempotency_key="once")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert again.json() == {**made.json(), "secret": None}
    with open_scope(tenant=acme.id, reason="a test"):
        assert ApiKey.objects.filter(name=MADE["name"]).count() == 1
    shown = [amy.api.get(path).content.decode() for path in (made["Location"], "/api/v1/keys/")]
    hidden = secret.split("_", 2)[2]
    assert all(hidden not in text for text in (again.content.decode(), kept(acme), *shown))
    assert "Jo Doe" not in kept(acme)
    assert events(acme, "tenants.api_key.created")[-1] == ("tenants.api_key.created", amy.principal.id)


@pytest.mark.parametrize("role", Role)
def test_a_key_never_decides_as_the_second_person(acme: Firm, amy: Caller, role: Role) -> None:
    secret = amy.api.post("/api/v1/keys/", {**MADE, "role": role.value}).json()["secret"]
    held = set(Api(secret).get("/api/v1/me/").json()["permissions"])
    assert held.isdisjoint(each.value for each in approvals(role))


def test_a_key_reaches_no_scope_that_its_maker_does_not(acme: Firm) -> None:
    nia = person(make_member(acme, "nia", Role.TENANT_ADMIN, scopes=["fund:alpha"]))
    for scope in ("fund:beta", "firm:acme", "fund:none"):
        refused = nia.post("/api/v1/keys/", {**MADE, "scopes": ["fund:alpha", scope]})
        assert code_of(refused) == (400, "tenants.scope_not_granted")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not ApiKey.objects.filter(name=MADE["name"]).exists()


def test_a_key_that_has_ended_already_is_not_made(acme: Firm, amy: Caller) -> None:
    refused = amy.api.post("/api/v1/keys/", {**MADE, "expires_at": "2020-01-01T00:00:00Z"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["expires_at"])


def test_a_key_is_renamed_revoked_and_listed(acme: Firm, amy: Caller) -> None:
    made = amy.api.post("/api/v1/keys/", MADE).json()
    path = f"/api/v1/keys/{made['id']}/"
    tag = amy.api.get(path)["ETag"]
    renamed = amy.api.patch(path, {"name": "Portal", "reason": "No names."}, if_match=tag)
    assert (renamed.status_code, amy.api.get(path).json()["name"]) == (200, "Portal")
    refused = amy.api.patch(path, {"name": "Another", "reason": "Late."}, if_match=tag)
    assert code_of(refused) == (412, "api.precondition_failed")
    assert amy.api.post(f"{path}revoke/").json()["state"] == "revoked"
    assert amy.api.post(f"{path}revoke/").status_code == 200
    assert code_of(Api(made["secret"]).get("/api/v1/me/")) == (401, "tenants.invalid_api_key")

    def found(query: str) -> list[str]:
        return [each["id"] for each in amy.api.get(f"/api/v1/keys/?{query}").json()["results"]]

    assert found("ended=true&q=porTAL") == found(f"prefix={made['prefix']}") == [made["id"]]
    assert made["id"] not in found("ended=false")
    told = events(acme, "tenants.api_key.renamed", "tenants.api_key.revoked")
    assert told == [(f"tenants.api_key.{verb}", amy.principal.id) for verb in ("renamed", "revoked")]


def test_a_key_is_rotated_and_the_old_one_works_on_for_a_while(acme: Firm, amy: Caller) -> None:
    made = amy.api.post("/api/v1/keys/", MADE).json()
    path = f"/api/v1/keys/{made['id']}/rotate/"
    ends = (timezone.now() + timedelta(days=30)).isoformat()
    successor = amy.api.post(path, {"overlap_hours": 1, "expires_at": ends}, idempotency_key="once")
    again = amy.api.post(path, {"overlap_hours": 1, "expires_at": ends}, idempotency_key="once")
    assert again.json() == {**successor.json(), "secret": None}
    assert successor.json()["rotated_from_id"] == made["id"]
    assert successor.json()["expires_at"] is not None
    assert [Api(each).get("/api/v1/me/").status_code for each in (made["secret"], successor.json()["secret"])] == [
        200,
        200,
    ]
    amy.api.post(f"/api/v1/keys/{made['id']}/revoke/")
    refused = amy.api.post(path, {"overlap_hours": 1, "expires_at": None})
    assert code_of(refused) == (409, "tenants.key_ended")


def test_a_person_s_key_is_revoked_by_an_administrator_and_rotated_by_nobody_else(acme: Firm, amy: Caller) -> None:
    make_member(acme, "zoe", Role.ANALYST)
    principal, plain = make_personal_key(acme, "zoe", role=Role.ANALYST)
    path = f"/api/v1/keys/{principal.key_id}/"
    assert amy.api.get(path).json()["person_id"] == str(principal.id)
    rotated = amy.api.post(f"{path}rotate/", {"overlap_hours": 1, "expires_at": None})
    assert code_of(rotated) == (403, "tenants.not_in_person")
    amy.api.step(f"{membership_of(acme, principal)}end/")
    assert amy.api.get(path).json()["state"] == "revoked"
    assert Api(plain).get("/api/v1/me/").status_code == 401


# --- Scopes ---------------------------------------------------------------------------------------------------------


def test_a_scope_is_made_below_another_and_reached_at_once(acme: Firm) -> None:
    """With a person's own key: making a scope is withheld from no key."""
    make_member(acme, "amy", Role.TENANT_ADMIN)
    api = Api(make_personal_key(acme, "amy", role=Role.TENANT_ADMIN)[1])
    asked = {"key": "fund:gamma", "name": "Gamma", "parent": "fund:alpha"}
    made, again = (api.post("/api/v1/scopes/", asked, idempotency_key="once") for _ in range(2))
    assert (made.status_code, again.json(), again["Idempotent-Replayed"]) == (201, made.json(), "true")
    assert api.get(made["Location"]).json() == made.json() | {"parent": "fund:alpha"}
    assert [each["key"] for each in api.get("/api/v1/scopes/?parent=fund:alpha").json()["results"]] == ["fund:gamma"]
    assert code_of(api.post("/api/v1/scopes/", asked)) == (409, "tenants.scope_key_taken")


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [({"key": "Gamma"}, 400, "key"), ({"parent": "fund:none"}, 400, "parent"), ({"name": " "}, 400, "name")],
)
def test_what_can_t_be_a_scope_is_refused_at_its_field(
    acme: Firm, amy: Caller, change: Json, status: int, field: str
) -> None:
    asked = {"key": "fund:gamma", "name": "Gamma", "parent": "fund:alpha", **change}
    refused = amy.api.post("/api/v1/scopes/", asked)
    assert (refused.status_code, list(refused.json()["errors"])) == (status, [field])


def test_a_hidden_scope_s_key_is_taken_and_nothing_else_is_told_of_it(acme: Firm) -> None:
    nia = person(make_member(acme, "nia", Role.TENANT_ADMIN, scopes=["fund:alpha"]))
    asked = {"key": "fund:beta", "name": "Beta", "parent": "fund:alpha"}
    refused = nia.post("/api/v1/scopes/", asked)
    assert (*code_of(refused), refused.json()["errors"]) == (
        409,
        "tenants.scope_key_taken",
        {"key": ["This key is taken. Choose another."]},
    )


def test_a_scope_is_renamed_and_the_tenant_s_own_key_stays(acme: Firm, amy: Caller) -> None:
    path = f"/api/v1/scopes/{acme.scopes['fund:beta'].id}/"
    tag = amy.api.get(path)["ETag"]
    renamed = amy.api.patch(path, {"key": "fund:delta", "reason": "A new name."}, if_match=tag)
    assert (renamed.status_code, renamed.json()["key"], renamed.json()["name"]) == (200, "fund:delta", "Beta")
    assert code_of(amy.api.patch(path, {"name": "X", "reason": "Late."}, if_match=tag)) == (
        412,
        "api.precondition_failed",
    )
    root = f"/api/v1/scopes/{acme.root.id}/"
    assert code_of(amy.api.patch(root, {"key": "firm:other", "reason": "A new name."})) == (
        409,
        "tenants.root_scope_key",
    )
    assert amy.api.patch(root, {"name": "Acme Group", "reason": "A new name."}).status_code == 200
    assert amy.api.patch(root, {"reason": "Nothing."}).status_code == 400
    assert events(acme, "tenants.scope.renamed") == [("tenants.scope.renamed", amy.principal.id)] * 2


# --- Other tenants --------------------------------------------------------------------------------------------------


def test_nothing_of_another_tenant_is_changed_from_here(acme: Firm, amy: Caller) -> None:
    """The answers alike are in test_api_access.py; here, that nothing happened."""
    other = make_firm("cella")
    member, invitation = member_of(other), invitation_of(other)
    key, _ = make_key(other)
    paths = {"member": member.id, "invitation": invitation.id, "key": key.id, "scope": other.root.id}
    before = state_of(other)
    for door in DIRECTORY:
        if "{" in door.path and door.method != "get":
            answer = getattr(amy.api, door.method)(door.path.format(**paths), body_for(door.path))
            assert answer.status_code == 404, door
    assert state_of(other) == before


def state_of(firm: Firm) -> list[Json]:
    with open_scope(tenant=firm.id, reason="a test"):
        return [row for model in (Membership, Invitation, ApiKey, Scope) for row in model.objects.values()]


def test_every_write_of_the_directory_is_tried_with_a_body_of_its_own() -> None:
    """A door that took another's body would be refused for the wrong reason."""
    assert {end for end in BODIES if end.startswith(("/members/", "/keys/", "/scopes/", "/invitations/"))} <= {
        end for door in DIRECTORY for end in BODIES if door.path.endswith(end)
    }


def test_a_link_that_was_sent_again_ends_the_one_before(acme: Firm, amy: Caller) -> None:
    made, _ = make_invitation(acme, "bob@example.com", Role.ANALYST, by=amy.principal)
    before = invitation_link(acme.id, made.id)
    with TestCase.captureOnCommitCallbacks(execute=True):
        amy.api.post(f"/api/v1/invitations/{made.id}/send/")
    assert before not in str(mail.outbox[-1].body)
