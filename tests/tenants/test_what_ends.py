"""What ends with what it stands on: mailed links, keys that decide, and the step-up of a session."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.db import DatabaseError
from django.utils import timezone

from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.errors import LinkEndedError
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.roles import Permission, Role
from apps.tenants.second_factor.codes import has_factor
from apps.tenants.second_factor.resets import factor_reset_agree, factor_reset_ask
from apps.tenants.selectors.grants import key_principal, user_principal
from apps.tenants.selectors.people import user_by_name
from apps.tenants.services.account_links import (
    mailbox_confirm,
    mailbox_link_send,
    password_link_send,
    password_set_by_link,
)
from apps.tenants.services.api_keys import api_key_authenticate
from apps.tenants.services.invitations import invited_account_create
from apps.tenants.services.members import membership_revoke
from apps.tenants.services.personal_keys import personal_key_create
from tests.baked import baked
from tests.factories import Firm, as_, confirm, make_firm, make_invitation, make_invited, make_member
from tests.isolation.harness import sql
from tests.tenants.test_attempts import counted
from tests.tenants.test_second_factor import set_up
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "the old password 1", "a password of their own"


@pytest.fixture(autouse=True)
def _counted_from_nothing(settings: LazySettings) -> None:
    settings.GLASSBOX_REQUIRE_SECOND_FACTOR = True
    cache.delete_many(counted())


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    for name, role in (("amy", Role.TENANT_ADMIN), ("rita", Role.REVIEWER), ("rob", Role.REVIEWER)):
        make_member(firm, name, role, password=OLD)
    return firm


def secret_in_letter(number: int = -1) -> str:
    found = re.search(r"http://localhost:8000/\S+/(\S+)/\s", str(mail.outbox[number].body))
    assert found is not None
    return found.group(1)


def user(name: str) -> User:
    return User.objects.get_by_natural_key(name)


def test_a_password_that_is_set_ends_every_other_link_to_set_one(acme: Firm) -> None:
    """Somebody asked for one as well, and reads the mailbox or its copy: within the hour the account is theirs."""
    password_link_send("rita")
    theirs = secret_in_letter()
    password_link_send("rita")
    password_set_by_link(secret=secret_in_letter(), password=NEW)
    with pytest.raises(LinkEndedError):
        password_set_by_link(secret=theirs, password="the attacker's own 1")
    assert user("rita").check_password(NEW)


@pytest.mark.slow
def test_a_link_to_a_mailbox_that_the_account_left_sets_no_password(acme: Firm) -> None:
    """Rita leaves a mailbox that somebody else reads."""
    password_link_send("rita")
    theirs = secret_in_letter()
    mailbox_link_send(user("rita"), email="rita@elsewhere.example")
    mailbox_confirm(secret=secret_in_letter())
    assert user("rita").email == "rita@elsewhere.example"
    with pytest.raises(LinkEndedError):
        password_set_by_link(secret=theirs, password="the attacker's own 1")


@pytest.mark.slow
def test_a_password_that_is_set_ends_links_that_would_move_the_account_to_another_mailbox(acme: Firm) -> None:
    """Somebody who knew the password asked for it; the new password was set because they knew it."""
    mailbox_link_send(user("rita"), email="attacker@example.com")
    theirs = secret_in_letter()
    password_link_send("rita")
    password_set_by_link(secret=secret_in_letter(), password=NEW)
    with pytest.raises(LinkEndedError):
        mailbox_confirm(secret=theirs)
    assert user("rita").email == "rita@example.com"


def _stepped_up_key(firm: Firm) -> str:
    device, _ = set_up(firm, "rita")
    assert device
    with open_scope(tenant=firm.id, principal=replace(user_principal(user("rita"), firm.id), stepped_up=True)):
        _, plain = personal_key_create(
            name="script",
            role=Role.REVIEWER,
            scopes=[firm.root],
            expires_at=timezone.now() + timedelta(days=300),
        )
    return plain


def _may_decide(plain: str) -> bool:
    try:
        principal = key_principal(api_key_authenticate(plain))
    except ApplicationError:
        return False
    return principal.may_decide and principal.may(Permission.POLICY_APPROVE)


@pytest.mark.slow
def test_a_key_made_with_a_factor_decides_no_more_once_two_took_the_factor_away(acme: Firm) -> None:
    """The device was lost, with whoever has it; the key that was made with it goes on deciding for a year."""
    plain = _stepped_up_key(acme)
    assert _may_decide(plain)
    _taken_away(acme, "rita")
    assert not _may_decide(plain)


def _taken_away(firm: Firm, name: str) -> None:
    set_up(firm, "rob")
    with as_(user_principal(user("amy"), firm.id)):
        reset = factor_reset_ask(user(name), reason="stolen")
    with as_(replace(user_principal(user("rob"), firm.id), stepped_up=True)):
        assert factor_reset_agree(reset)


@pytest.mark.slow
def test_a_session_that_used_a_factor_decides_no_more_once_two_took_it_away(acme: Firm) -> None:
    """Nor once another one was set up, which this session has not used."""
    device, _ = set_up(acme, "rita")
    visitor = Visitor("rita")
    visitor.send("second_factor_code", code=device.code())
    first, second = (
        make_invited(acme, name, Role.DPO, by=user_principal(user("amy"), acme.id)) for name in ("dora", "doug")
    )
    assert visitor.send("tenants_membership_confirm", first.id).status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        assert Membership.objects.get(id=first.id).is_in_force
    _taken_away(acme, "rita")
    for _ in range(2):
        visitor.send("tenants_membership_confirm", second.id)
        with open_scope(tenant=acme.id, reason="a test"):
            assert not Membership.objects.get(id=second.id).is_in_force
        if not has_factor(user("rita")):
            set_up(acme, "rita")


@pytest.mark.slow
def test_the_database_lets_nobody_decide_by_a_factor_that_is_gone(acme: Firm) -> None:
    """With a token that was made before it went."""
    membership = make_invited(acme, "dora", Role.DPO, by=user_principal(user("amy"), acme.id))
    with (
        pytest.raises(DatabaseError, match="right after the second factor"),
        as_(replace(user_principal(user("rita"), acme.id), stepped_up=True)),
    ):
        sql("UPDATE tenants_membership SET confirmed_at = now() WHERE id = %s", membership.id)


def test_a_key_made_with_a_factor_decides_no_more_once_the_password_was_reset(acme: Firm) -> None:
    """ "Every session of the account ends": a key that acts for the person is as good as one, and lasts for a year."""
    plain = _stepped_up_key(acme)
    password_link_send("rita")
    password_set_by_link(secret=secret_in_letter(), password=NEW)
    assert not _may_decide(plain)


def test_nobody_signs_in_under_a_name_that_reads_as_somebody_elses(acme: Firm) -> None:
    """A fullwidth letter in the domain: another address, and the name that is made of it differs by a capital alone."""
    make_member(acme, "Rita@example.com", Role.REVIEWER, password=OLD)
    _, secret = make_invitation(
        acme, "rita@\N{FULLWIDTH LATIN SMALL LETTER E}xample.com", Role.ANALYST, by=user_principal(user("amy"), acme.id)
    )
    with contextlib.suppress(ApplicationError):
        invited_account_create(secret=secret, first_name="R", last_name="I", password="a long password 1")
    assert user_by_name("rita@example.com") is None


def test_nobody_gives_a_key_that_has_ended_another_life(acme: Firm) -> None:
    """Rita let a key end, since somebody else has it; an administrator with SQL makes it work again, for months."""
    with as_(user_principal(user("rita"), acme.id)):
        key, plain = personal_key_create(
            name="script", role=Role.REVIEWER, scopes=[acme.root], expires_at=timezone.now() + timedelta(days=1)
        )
    with as_(user_principal(user("rita"), acme.id)):
        ApiKey.objects.filter(id=key.id).update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(ApplicationError):
        api_key_authenticate(plain)
    with contextlib.suppress(DatabaseError), as_(user_principal(user("amy"), acme.id)):
        ApiKey.objects.filter(id=key.id).update(expires_at=timezone.now() + timedelta(days=300))
    with pytest.raises(ApplicationError):
        api_key_authenticate(plain)


@pytest.mark.slow
def test_a_key_made_before_somebody_left_does_not_come_back_with_them(acme: Firm) -> None:
    """Rita left, and her keys with her; she comes back, confirmed by rob. Nobody asked for the old keys."""
    plain = _stepped_up_key(acme)
    with as_(user_principal(user("amy"), acme.id)):
        membership_revoke(Membership.objects.get(user__username="rita"))
    assert not _may_decide(plain)
    membership = make_invited(acme, "rita", Role.REVIEWER, by=user_principal(user("amy"), acme.id))
    set_up(acme, "rob")
    confirm(membership, by=replace(user_principal(user("rob"), acme.id), stepped_up=True))
    assert not _may_decide(plain)


def test_keys_are_left_where_they_were(acme: Firm) -> None:
    """The control of the keys: untouched, it decides."""
    assert _may_decide(_stepped_up_key(acme))
    with open_scope(tenant=acme.id, reason="a test"):
        assert ApiKey.objects.get(name="script").with_second_factor
