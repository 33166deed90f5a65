"""Passwords' hashes: with any SQL at all, nobody reads one but the comparison of that very account's password."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import authenticate

from apps.tenants.context import open_identity, open_scope
from apps.tenants.credentials import hash_of
from apps.tenants.ids import UserId
from apps.tenants.models import User
from apps.tenants.tokens import Identity
from tests.isolation.harness import changed, held, outcome, sql
from tests.isolation.world import PASSWORD, World

_OPEN = (
    "ALTER TABLE tenants_credential DISABLE ROW LEVEL SECURITY",
    "GRANT SELECT ON tenants_credential TO glassbox_api",
)
_UNCHECKED = """
    CREATE OR REPLACE FUNCTION public.tenants_password(account uuid) RETURNS text
    LANGUAGE sql SECURITY DEFINER RETURN (SELECT password FROM public.tenants_credential WHERE user_id = account)
"""


def _as_ann(world: World, statement: str, *parameters: Any) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return sql(statement, *parameters)

    return attack


def test_the_table_is_closed(world: World) -> None:
    hashed = hash_of(_id(world, "amy"))
    assert "$" in hashed
    statement = "SELECT password FROM tenants_credential"
    brought = held(_as_ann(world, statement), loot=hashed, without=lambda: changed(*_OPEN))
    assert "permission denied" in brought


def test_the_directory_shows_stamps(world: World) -> None:
    """What a colleague's transaction could read of everybody before; the control puts a hash back."""
    hashed = hash_of(_id(world, "amy"))
    back = (
        "ALTER TABLE tenants_user DROP CONSTRAINT user_holds_no_hash",
        "UPDATE tenants_user u SET password = c.password FROM tenants_credential c WHERE c.user_id = u.id",
    )
    shown = "GRANT SELECT (password) ON tenants_user TO glassbox_api"
    attack = _as_ann(world, "SELECT username || ' ' || password FROM tenants_user")
    brought = held(attack, loot=hashed, without=lambda: changed(shown, *back), alone=(shown,))
    assert "amy kept:" in brought


@pytest.mark.parametrize("whose", ["ann", "amy", "ben"])
def test_the_function_answers_no_scope_not_even_of_the_person(world: World, whose: str) -> None:
    hashed = hash_of(_id(world, whose))
    attack = _as_ann(world, "SELECT public.tenants_password(%s)", _id(world, whose))
    assert "for the account itself" in held(attack, loot=hashed, without=lambda: changed(_UNCHECKED, *_OPEN))


def test_a_token_of_one_account_reads_and_writes_no_other(world: World) -> None:
    amy, ben = _id(world, "amy"), _id(world, "ben")
    hashed = hash_of(ben)

    def read() -> Any:
        with open_identity(Identity(credential=amy, user=ben, username="ben", all_accounts=True)):
            return sql("SELECT public.tenants_password(%s)", ben)

    held(read, loot=hashed, without=lambda: changed(_UNCHECKED, *_OPEN))

    def write() -> Any:
        with open_identity(Identity(credential=amy, user=ben, username="ben", all_accounts=True)):
            return sql("SELECT public.tenants_password_keep(%s, 'known')", ben)

    assert "for the account itself" in outcome(write)
    assert hash_of(ben) == hashed


def test_a_hash_does_not_come_back_into_the_directory(world: World) -> None:
    def attack() -> Any:
        with open_identity(Identity(user=_id(world, "amy"))):
            return sql("UPDATE tenants_user SET password = 'md5$a$b' RETURNING 'written'")

    loosened = "ALTER TABLE tenants_user DROP CONSTRAINT user_holds_no_hash"
    held(attack, loot="written", without=lambda: changed(loosened))


def test_an_account_without_a_password_keeps_no_hash(world: World) -> None:
    user = User.objects.create_user("zoe", password=PASSWORD)
    assert authenticate(username="zoe", password=PASSWORD) is not None
    first = user.get_session_auth_hash()
    user.set_password("another good one")
    user.save(update_fields=["password"])
    assert user.get_session_auth_hash() != first
    assert (user.check_password(PASSWORD), user.check_password("another good one")) == (False, True)
    user.set_unusable_password()
    user.save(update_fields=["password"])
    assert hash_of(user.id) == ""
    assert not User.objects.get_by_natural_key("zoe").has_usable_password()
    assert authenticate(username="zoe", password="another good one") is None


def _id(world: World, username: str) -> UserId:
    found = world.people[username].id
    assert found is not None
    return UserId(found)
