"""The wall itself, tried with SQL as the role that serves requests."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from django.db import InternalError, ProgrammingError, connection, transaction
from pytest_django import DjangoAssertNumQueries

from apps.corpus.models import Document
from apps.tenants.context import open_identity, open_scope, signing_key
from apps.tenants.models import Membership, Scope, Tenant
from apps.tenants.roles import Role
from apps.tenants.tokens import TOKEN_LIFE_SECONDS, Bearer, Identity, scope_token
from tests.corpus.ingesting import ingest
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def bolt() -> Firm:
    return make_firm("bolt")


def test_the_role_is_an_ordinary_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user"
        )
        assert cursor.fetchone() == ("glassbox_api", False, False, False)


def test_without_a_scope_every_tenant_table_raises(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)  # a policy is asked about rows: an empty table has nothing to hide
    for model in (Tenant, Scope, Membership):
        with pytest.raises(ProgrammingError, match="no scope is open"), transaction.atomic():
            list(model._base_manager.all())


def test_a_scope_shows_its_own_tenant_alone(acme: Firm, bolt: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute("SELECT slug FROM tenants_tenant")
        assert cursor.fetchall() == [("acme",)]


def test_a_narrow_scope_shows_no_other_scope(acme: Firm) -> None:
    with open_scope(tenant=acme.id, scopes=acme.scope_ids("fund:alpha"), reason="a test"):
        assert [scope.key for scope in Scope._base_manager.all()] == ["fund:alpha"]


def test_the_scope_ends_with_its_block(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        assert Scope.objects.count() == 3
    with pytest.raises(ProgrammingError, match="no scope is open"), transaction.atomic():
        Scope.objects.count()


def test_a_nested_scope_gives_the_outer_one_back(acme: Firm, bolt: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        with open_scope(tenant=bolt.id, reason="a test"):
            assert Tenant.objects.get().slug == "bolt"
        assert Tenant.objects.get().slug == "acme"


def test_a_nested_scope_that_fails_gives_the_outer_one_back(acme: Firm, bolt: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        with pytest.raises(ZeroDivisionError), open_scope(tenant=bolt.id, reason="a test"):
            _ = 1 / 0
        assert Tenant.objects.get().slug == "acme"


def identity() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('glassbox.identity', true)")
        return str(cursor.fetchone()[0] or "")


def test_the_directory_that_names_a_scope_s_own_is_closed_within_it(acme: Firm, bolt: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        assert identity() == ""
    with open_identity(Identity(directory=bolt.id)):
        outer = identity()
        with open_scope(tenant=acme.id, reason="a test"):
            assert identity() == outer != ""
        assert identity() == outer


def test_a_scope_within_a_transaction_costs_few_statements(
    acme: Firm, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Beside the two of its savepoint: what was there, the directory, its scopes, the scope, and what was there."""
    with django_assert_num_queries(7), open_scope(tenant=acme.id, reason="a test"):
        pass
    with django_assert_num_queries(5), open_scope(tenant=acme.id, scopes=[], reason="a test"):
        pass


@pytest.mark.parametrize(
    ("token", "message"),
    [
        ("nonsense", "malformed"),
        ("s|k1|1|1|9999999999|00000000-0000-0000-0000-000000000000|||00", "forged"),
        ("s|unknown|1|1|9999999999|00000000-0000-0000-0000-000000000000|||00", "known key"),
    ],
)
def test_a_made_up_token_opens_nothing(acme: Firm, token: str, message: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('glassbox.scope', %s, true)", [token])
        with pytest.raises(ProgrammingError, match=message), transaction.atomic():
            cursor.execute("SELECT count(*) FROM tenants_scope")


def bearer() -> Bearer:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid(), authz.transaction_mark()")
        backend_pid, mark = cursor.fetchone()
    return Bearer(backend_pid=backend_pid, transaction=mark)


def refused(acme: Firm, token_bearer: Bearer, *, match: str, now: float | None = None) -> None:
    token = scope_token(
        key=signing_key(), bearer=token_bearer, tenant=acme.id, scopes=acme.scope_ids("fund:alpha"), now=now
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('glassbox.scope', %s, true)", [token])
        with pytest.raises(ProgrammingError, match=match), transaction.atomic():
            cursor.execute("SELECT count(*) FROM tenants_scope")


def test_an_expired_token_opens_nothing(acme: Firm) -> None:
    with transaction.atomic():
        refused(acme, bearer(), match="expired", now=time.time() - TOKEN_LIFE_SECONDS - 2)


def test_a_token_of_another_connection_opens_nothing(acme: Firm) -> None:
    with transaction.atomic():
        refused(acme, replace(bearer(), backend_pid=1), match="another connection")


def test_a_token_of_another_transaction_opens_nothing(acme: Firm) -> None:
    with transaction.atomic():
        refused(acme, replace(bearer(), transaction="1700000000000000"), match="another transaction")


def test_the_signing_keys_can_t_be_read(acme: Firm) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic(), connection.cursor() as c:
        c.execute("SELECT * FROM authz.signing_key")


def test_a_row_can_t_be_moved_to_another_tenant(acme: Firm, bolt: Firm) -> None:
    ingest(acme)
    with (
        open_scope(tenant=acme.id, reason="a test"),
        pytest.raises((ProgrammingError, InternalError), match="row-level security"),
        transaction.atomic(),
    ):
        Document._base_manager.update(tenant_id=bolt.id)
