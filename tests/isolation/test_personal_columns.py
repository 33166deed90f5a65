"""What is personal of an account: with any SQL a colleague reads a name, and no address, sign-in or standing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import UserId
from apps.tenants.models import Membership, User
from apps.tenants.rights import ORDINARY_ROLES
from apps.tenants.tokens import Identity
from tests.isolation.harness import changed, held, outcome, sql
from tests.isolation.world import World

SHOWN = ("first_name", "id", "is_active", "last_name", "opened_again_at", "username")
PERSONAL = ("date_joined", "email", "is_staff", "is_superuser", "last_login", "password")
_GRANTED = "GRANT SELECT ON tenants_user TO glassbox_api"
_ANYBODY = (
    "CREATE OR REPLACE FUNCTION authz.knows(account uuid, username text) RETURNS boolean LANGUAGE sql RETURN true"
)


@pytest.fixture(scope="module", autouse=True)
def _marked(world: World) -> None:
    """Something to read in every one of the columns."""
    for name in ("amy", "ann", "ben"):
        with open_identity(Identity(user=_id(world, name))):
            sql("UPDATE tenants_user SET last_login = now() WHERE id = %s", _id(world, name))


def _id(world: World, name: str) -> UserId:
    found = world.people[name].id
    assert found is not None
    return UserId(found)


def _as(world: World, name: str, statement: str, *parameters: Any) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people[name]):
            return sql(statement, *parameters)

    return attack


@pytest.mark.parametrize("column", PERSONAL)
@pytest.mark.parametrize("who", ["ann", "amy"])
def test_no_member_reads_the_column_of_anybody(who: str, column: str, world: World) -> None:
    """Nor does an administrator of the tenant: none of their pages shows it."""
    attack = _as(world, who, f"SELECT 'read ' || count({column}) FROM tenants_user WHERE username = 'ann'")
    brought = held(attack, loot="read 1", without=lambda: changed(_GRANTED))
    assert "permission denied" in brought


@pytest.mark.parametrize(
    "asking",
    [
        "SELECT t FROM tenants_user t",
        "SELECT 1 FROM tenants_user WHERE email > 'a'",
        "SELECT 1 FROM tenants_user ORDER BY last_login",
        "UPDATE tenants_user SET first_name = email",
        "UPDATE tenants_user SET first_name = first_name RETURNING email",
        "INSERT INTO tenants_user (username) VALUES ('x') ON CONFLICT (id) DO UPDATE SET email = EXCLUDED.email",
        "SELECT email FROM tenants_user FOR UPDATE",
    ],
)
def test_nor_by_another_way(asking: str, world: World) -> None:
    assert "permission denied" in outcome(_as(world, "ann", asking))


@pytest.mark.parametrize("column", PERSONAL)
def test_the_function_answers_the_account_itself_alone(column: str, world: World) -> None:
    asking = "SELECT count(tenants_of_account(%s, %s, %s)) || ' told'"
    attack = _as(world, "ann", asking, _id(world, "amy"), "amy", column)
    held(attack, loot="1 told", without=lambda: changed(_ANYBODY))
    assert "1 told" in outcome(_as(world, "ann", asking, _id(world, "ann"), "ann", column))


def test_a_name_that_the_token_knows_opens_no_other_account(world: World) -> None:
    """The name is an argument: it has to be the account's own."""

    def attack() -> Any:
        with open_identity(Identity(username="ann")):
            asking = "SELECT tenants_of_account(%s, 'ann', 'last_login') IS NULL"
            return sql(asking, _id(world, "amy")), sql(asking, _id(world, "ann"))

    assert outcome(attack) == "True False"


def test_each_role_reads_the_columns_that_it_needs() -> None:
    found = {
        role: tuple(
            column
            for (column,) in sql(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = 'tenants_user'::regclass AND attnum > 0 "
                "AND has_column_privilege(%s, attrelid, attnum, 'SELECT') ORDER BY 1",
                role,
            )
        )
        for role in ORDINARY_ROLES
    }
    # Who erases tells accounts apart by these: the platform's administrators keep theirs.
    erasing = ("id", "is_superuser", "username")
    assert found == {
        "glassbox_api": SHOWN,
        "glassbox_worker": SHOWN,
        "glassbox_auditor": (),
        "glassbox_eraser": erasing,
    }


def test_the_application_reads_a_colleague_without_them(world: World) -> None:
    with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
        ann = Membership.objects.select_related("user").get(user__username="ann").user
        assert ann.username == "ann"
        assert [getattr(ann, name) for name in PERSONAL] == [None] * len(PERSONAL)
        assert not User.objects.filter(last_login__isnull=False).exclude(username="amy").exists()
        own = User.objects.get(username="amy")
    assert own.last_login is not None
    assert own.password.startswith("kept:")


def test_a_sign_in_reads_its_account_and_no_other(world: World) -> None:
    with open_identity(Identity(username="ann")):
        assert User.objects.get(username="ann").last_login is not None
    with open_identity(Identity(all_accounts=True)):
        assert User.objects.filter(last_login__isnull=False).count() == 3
