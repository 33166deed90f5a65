"""An invitation from the letter to the membership: who may accept it, how often, and until when."""

from __future__ import annotations

import re
from email.message import EmailMessage

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client

from apps.audit.models import Event
from apps.tenants.context import open_scope
from apps.tenants.errors import (
    InvitationEndedError,
)
from apps.tenants.models import AccountOrigin, Grant, Invitation, Membership, User
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.services.invitations import (
    forget_expired_invitations,
    invitation_accept,
    invitation_send,
    invited_account_create,
    member_invite,
)
from apps.tenants.services.members import membership_revoke
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_invitation, make_member, make_user
from tests.mail_server import MailServer
from tests.raising import raises_code
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "a password of their own"


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def link_in(letter: str) -> str:
    found = re.search(r"http://localhost:8000(/\S+)", letter)
    assert found is not None, letter
    return found.group(1)


def invited(firm: Firm, email: str = "bob@example.com", role: Role = Role.ANALYST) -> str:
    """What alice's invitation sends to the mailbox: the link's path."""
    alice = make_member(firm, "alice", Role.TENANT_ADMIN)
    with as_(alice):
        member_invite(email=email, role=role, scopes=[firm.scopes["fund:alpha"]])
    return link_in(str(mail.outbox[-1].body))


def open_link(client: Client, path: str) -> Page:
    return Page(client.get(path, follow=True))


def accept(client: Client, **fields: str) -> Page:
    return Page(client.post("/invitation/", fields))


def new_account(**changes: str) -> dict[str, str]:
    return {"first_name": "Bob", "last_name": "Baker", "password1": PASSWORD, "password2": PASSWORD, **changes}


def actions(firm: Firm) -> list[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        events = Event.objects.filter(action__startswith="tenants.invitation").order_by("id")
        return list(events.values_list("action", flat=True))


def test_a_new_person_sets_their_own_password_and_is_in(acme: Firm) -> None:
    path = invited(acme)
    client = Client()
    page = open_link(client, path)
    assert "You are invited to work in Acme as Analyst" in page.text
    assert path.rsplit("/", 2)[1] not in page.response.content.decode()
    response = accept(client, **new_account()).response
    assert response.headers["Location"] == "/admin/"
    bob = User.objects.get_by_natural_key("bob@example.com")
    assert (bob.get_full_name(), bob.email, bob.is_superuser) == ("Bob Baker", "bob@example.com", False)
    assert Client().login(username="bob@example.com", password=PASSWORD)
    principal = user_principal(bob, acme.id)
    assert principal.scope_ids == frozenset(acme.scope_ids("fund:alpha"))
    assert actions(acme) == [f"tenants.invitation.{verb}" for verb in ("created", "sent", "accepted")]
    with as_(principal):
        assert AccountOrigin.objects.values_list("mailbox_confirmed_at", flat=True).get(user_id=bob.id) is not None


def test_an_account_that_is_there_accepts_after_signing_in(acme: Firm) -> None:
    make_member(make_firm("bolt"), "bob", Role.DPO)
    path = invited(acme)
    visitor = Visitor("bob")
    assert "Accept as bob" in open_link(visitor, path).text
    accept(visitor)
    assert user_principal(User.objects.get_by_natural_key("bob"), acme.id).roles == {Role.ANALYST}


def test_it_works_once(acme: Firm) -> None:
    path = invited(acme)
    first, second = Client(), Client()
    for client in (first, second):
        open_link(client, path)
    assert accept(first, **new_account()).status == 302
    assert accept(second, **new_account()).status == 410
    assert open_link(Client(), path).status == 410


def test_looking_at_it_uses_nothing_up(acme: Firm) -> None:
    path = invited(acme)
    for _ in range(3):
        assert open_link(Client(), path).status == 200


def test_an_unknown_link_and_one_that_ended_look_alike(acme: Firm) -> None:
    path = invited(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        invitation = Invitation.objects.get()
    visitor = Visitor("alice")
    visitor.send("tenants_membership_withdraw", invitation.id)
    ended, unknown = open_link(Client(), path), open_link(Client(), "/invitation/never-made/")
    assert (ended.status, ended.text) == (unknown.status, unknown.text) == (410, unknown.text)


@pytest.mark.parametrize(
    ("field", "typed"),
    [("password2", "another password!"), ("password1", "short"), ("first_name", ""), ("last_name", "")],
)
def test_what_is_wrong_stands_beside_its_field_and_makes_nothing(acme: Firm, field: str, typed: str) -> None:
    path = invited(acme)
    client = Client()
    open_link(client, path)
    page = accept(client, **new_account(**{field: typed}))
    assert page.status == 200
    assert page.tree.xpath("//*[contains(@class, 'text-red')]")
    assert open_link(client, path).status == 200


def test_the_mailbox_of_an_account_that_is_there_makes_no_second_one(acme: Firm) -> None:
    make_user("bob@example.com")
    _, secret = make_invitation(acme, "BOB@example.com", Role.ANALYST, by=make_member(acme, "ann", Role.TENANT_ADMIN))
    with raises_code("tenants.account_name_taken"):
        invited_account_create(secret=secret, first_name="B", last_name="B", password=PASSWORD)


def test_a_role_that_approves_gives_nothing_before_it_is_confirmed(acme: Firm) -> None:
    path = invited(acme, role=Role.REVIEWER)
    client = Client()
    assert "a second person there must confirm it" in open_link(client, path).text
    page = accept(client, **new_account())
    assert "Until then it gives you no right" in page.text
    assert client.get("/admin/").status_code == 302


def test_nobody_invites_themselves_to_approve(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    _, secret = make_invitation(acme, "alice@example.com", Role.REVIEWER, by=alice)
    with raises_code("tenants.approves_for_themselves"):
        invitation_accept(secret=secret, user=User.objects.get_by_natural_key("alice"))


def test_a_role_that_is_held_is_not_given_twice(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    make_member(acme, "bob", Role.ANALYST)
    _, secret = make_invitation(acme, "bob@example.com", Role.ANALYST, by=alice)
    with raises_code("tenants.role_already_held"):
        invitation_accept(secret=secret, user=User.objects.get_by_natural_key("bob"))


@pytest.mark.parametrize("loss", ["role", "scope"])
def test_what_an_administrator_sent_who_lost_the_right_gives_nothing(acme: Firm, loss: str) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    _, secret = make_invitation(acme, "bob@example.com", Role.ANALYST, by=alice)
    with open_scope(tenant=acme.id, reason="a test"):
        membership = Membership.objects.get(user_id=alice.id)
        if loss == "role":
            membership_revoke(membership)
        else:
            Grant.objects.filter(membership=membership).update(valid_to=membership.created_at)
    with pytest.raises(InvitationEndedError):
        invitation_accept(secret=secret, user=make_user("bob"))


def test_a_new_letter_ends_the_link_of_the_one_before(acme: Firm) -> None:
    path = invited(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        invitation = Invitation.objects.get()
    Visitor("alice").send("tenants_membership_resend", invitation.id)
    assert open_link(Client(), path).status == 410
    assert open_link(Client(), link_in(str(mail.outbox[-1].body))).status == 200


def test_a_mail_server_that_refuses_undoes_nothing_and_is_shown(acme: Firm, settings: LazySettings) -> None:
    with MailServer() as server:
        server.refuse_recipient = "550 nobody"
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", server.port, False
        alice = make_member(acme, "alice", Role.TENANT_ADMIN)
        with as_(alice):
            invitation = member_invite(email="bob@example.com", role=Role.ANALYST, scopes=[acme.root])
        assert "Not sent" in Visitor("alice").open("tenants_membership_changelist").text
        server.refuse_recipient = ""
        invitation_send(acme.id, invitation.id)
        [letter] = server.received
        assert isinstance(letter, EmailMessage)
        assert "Invited until" in Visitor("alice").open("tenants_membership_changelist").text
        assert open_link(Client(), link_in(letter.get_content())).status == 200


def test_a_mailbox_is_forgotten_once_the_invitation_is_over(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    make_invitation(acme, "bob@example.com", Role.ANALYST, by=alice)
    with open_scope(tenant=acme.id, reason="a test"):
        forget_expired_invitations()
        assert Invitation.objects.get().email == "bob@example.com"
    _, secret = make_invitation(acme, "carl@example.com", Role.ANALYST, by=alice)
    invitation_accept(secret=secret, user=make_user("carl"))
    with open_scope(tenant=acme.id, reason="a test"):
        assert Invitation.objects.get(accepted_at__isnull=False).email == ""


# --- From the shell -------------------------------------------------------------------------------------------------


def shell(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    call_command("tenant", "member", "acme", *words)
    return capsys.readouterr().out


def test_the_operator_makes_the_first_administrators_link_and_no_password(
    acme: Firm, capsys: pytest.CaptureFixture[str]
) -> None:
    said = shell(capsys, "ann@example.com", "--role", "tenant_admin")
    assert "assword" not in said
    client = Client()
    open_link(client, link_in(said))
    assert accept(client, **new_account()).status == 302
    assert user_principal(User.objects.get_by_natural_key("ann@example.com"), acme.id).roles == {Role.TENANT_ADMIN}
    assert mail.outbox == []


def test_the_operator_gives_a_role_that_approves_to_the_first_two_alone(
    acme: Firm, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ann", "bob", "carl"):
        make_user(name)
    for name in ("ann", "bob"):
        assert "Reviewer" in shell(capsys, name, "--role", "reviewer")
    with pytest.raises(CommandError, match="2 people of this tenant can already confirm"):
        shell(capsys, "carl", "--role", "reviewer")
    with pytest.raises(CommandError, match="2 people of this tenant can already confirm"):
        shell(capsys, "carl", "--role", "dpo")
    assert "Analyst" in shell(capsys, "carl", "--role", "analyst")
