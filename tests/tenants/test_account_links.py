"""A forgotten password and a new mailbox: links by mail that work once, and tell nobody whether there is an account."""

from __future__ import annotations

import re

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.cache import cache
from django.test import Client

from apps.audit.models import Event
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import UserId
from apps.tenants.models import AccountLink, User
from apps.tenants.roles import Role
from apps.tenants.selectors.people import mailbox_confirmed_at
from apps.tenants.services.account_links import forget_expired_links, mailbox_link_send, password_link_send
from apps.tenants.tokens import Identity
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member, make_user
from tests.tenants.test_attempts import counted
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db(transaction=True)

OLD, NEW = "the old password 1", "a password of their own"


@pytest.fixture(autouse=True)
def _counted_from_nothing() -> None:
    cache.delete_many(counted())


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    make_member(firm, "bob", Role.ANALYST, password=OLD)
    return firm


def link_in_last_letter() -> str:
    found = re.search(r"http://localhost:8000(/\S+)", str(mail.outbox[-1].body))
    assert found is not None
    return found.group(1)


def bob() -> User:
    return User.objects.get_by_natural_key("bob")


def ask(name: str, client: Client | None = None) -> Page:
    return Page((client or Client()).post("/password/", {"username": name}))


def set_password(client: Client, password: str = NEW) -> Page:
    return Page(client.post("/password/set/", {"password1": password, "password2": password}))


def test_the_same_is_answered_whether_there_is_such_an_account(acme: Firm) -> None:
    known, unknown = ask("bob"), ask("dora")
    said, also_said = (
        re.sub(rf'{name}|nonce="[^"]+"', "", page.response.content.decode())
        for name, page in (("bob", known), ("dora", unknown))
    )
    assert said == also_said
    assert known.status == unknown.status == 200
    # Whoever answers writes nothing: a worker looks the name up.
    assert mail.outbox == []


def test_a_password_is_set_once_by_the_link_and_ends_every_session(acme: Firm) -> None:
    elsewhere = Visitor("bob")
    password_link_send("BOB")
    assert mail.outbox[-1].to == ["bob@example.com"]
    path = link_in_last_letter()
    first, second = Client(), Client()
    for client in (first, second):
        assert "You set the password of the account bob" in Page(client.get(path, follow=True)).text
    assert set_password(first).status == 302
    assert set_password(second, "yet another password 1").status == 410
    assert Client().login(username="bob", password=NEW)
    assert not Client().login(username="bob", password=OLD)
    assert elsewhere.open("index").status == 302
    with open_scope(tenant=acme.id, reason="a test"):
        events = Event.objects.filter(action__startswith="tenants.user.password").order_by("id")
        assert [each.action for each in events] == ["tenants.user.password_asked", "tenants.user.password_set"]


def test_looking_at_a_link_uses_nothing_up(acme: Firm) -> None:
    password_link_send("bob")
    for _ in range(3):
        assert Client().get(link_in_last_letter(), follow=True).status_code == 200
    assert Client().login(username="bob", password=OLD)


def test_an_unknown_link_looks_like_one_that_was_used(acme: Firm) -> None:
    password_link_send("bob")
    client = Client()
    client.get(link_in_last_letter())
    set_password(client)
    used = Page(Client().get(link_in_last_letter(), follow=True))
    unknown = Page(Client().get("/password/set/never-made/", follow=True))
    assert (used.status, used.text) == (unknown.status, unknown.text) == (410, unknown.text)


def test_a_weak_password_is_refused_and_the_link_stays(acme: Firm) -> None:
    password_link_send("bob")
    client = Client()
    client.get(link_in_last_letter())
    assert "too short" in set_password(client, "short").text
    assert set_password(client).status == 302


def test_no_letter_goes_to_a_name_that_nobody_has_or_an_account_that_is_shut(acme: Firm) -> None:
    with open_identity(Identity(user=UserId(bob().id))):
        User.objects.filter(username="bob").update(is_active=False)
    password_link_send("bob")
    password_link_send("dora")
    assert mail.outbox == []


def test_asking_too_often_is_refused_alike_for_every_name(acme: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_SIGN_IN_FAILURES = 2
    for name in ("bob", "dora"):
        assert [ask(name).status for _ in range(3)] == [200, 200, 429]


def test_a_new_mailbox_is_the_accounts_once_its_link_is_opened_there(acme: Firm) -> None:
    visitor = Visitor("bob")
    page = visitor.send("my_account", email="new@example.com", password="wrong")
    assert page.errors_of("password")
    visitor.send("my_account", email="new@example.com", password=OLD)
    assert mail.outbox[-1].to == ["new@example.com"]
    assert bob().email == "bob@example.com"
    client = Client()
    assert "becomes the address of the account bob" in Page(client.get(link_in_last_letter(), follow=True)).text
    assert bob().email == "bob@example.com"
    client.post("/mailbox/")
    assert bob().email == "new@example.com"
    assert mailbox_confirmed_at(bob()) is not None


def test_a_password_link_confirms_the_mailbox_that_it_was_sent_to(acme: Firm) -> None:
    assert mailbox_confirmed_at(bob()) is None
    password_link_send("bob")
    client = Client()
    client.get(link_in_last_letter())
    set_password(client)
    assert mailbox_confirmed_at(bob()) is not None


def test_a_link_is_kept_while_it_works(acme: Firm) -> None:
    mailbox_link_send(bob(), email="bob@example.com")
    forget_expired_links()
    with open_identity(Identity(user=UserId(bob().id))):
        assert AccountLink.objects.count() == 1


def test_the_platforms_administrator_learns_no_password_and_changes_no_address(acme: Firm) -> None:
    make_user("chief", superuser=True)
    make_member(acme, "chief", Role.AUDITOR)
    chief = Visitor("chief")
    page = chief.send("tenants_user_new_password", bob().id)
    assert page.status == 302
    assert mail.outbox[-1].to == ["bob@example.com"]
    chief.send(
        "tenants_user_change", bob().id, first_name="Bob", last_name="", email="chief@example.com", is_active="on"
    )
    assert bob().email == "bob@example.com"
