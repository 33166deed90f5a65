from __future__ import annotations

import psycopg
import pytest
from django.conf import settings
from django.db import ProgrammingError, connection, transaction

from apps.audit.digests import epoch, keyed_digest
from apps.audit.errors import UnregisteredActionError
from apps.audit.models import Event
from apps.audit.registry import event_classes
from apps.audit.services import record
from apps.tenants.context import open_scope
from apps.tenants.errors import NoScopeError
from apps.tenants.ids import TenantId
from apps.tenants.roles import Role
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm, make_member
from tests.raising import raises_code

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


def test_an_event_tells_who_did_what_in_which_scopes(acme: Firm) -> None:
    alice = make_member(acme, "alice", Role.TENANT_ADMIN)
    scope = acme.scope_ids("fund:alpha")
    with open_scope(tenant=acme.id, principal=alice):
        event = record(action="tenants.scope.created", core={"key": "fund:alpha"}, scopes=scope)
        assert (event.actor_kind, event.actor_id, event.actor_label) == ("user", alice.id, "alice")
        assert event.scope_ids == scope
        assert event.payload == {"core": {"key": "fund:alpha"}}


def test_an_unregistered_action_raises(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), pytest.raises(UnregisteredActionError):
        record(action="tenants.scope.painted", core={})


def test_a_field_that_nobody_registered_raises(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"), raises_code("audit.unregistered_field", match=r"core\.colour"):
        record(action="tenants.scope.created", core={"colour": "red"})


def test_without_a_scope_nothing_is_recorded(acme: Firm) -> None:
    with pytest.raises(NoScopeError):
        record(action="tenants.scope.created", core={"key": "x"})


def test_an_act_whose_event_fails_does_not_happen(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        before = Event.objects.count()
        with pytest.raises(UnregisteredActionError):
            _act_and_fail()
        assert Event.objects.count() == before


def _act_and_fail() -> None:
    with transaction.atomic():
        record(action="tenants.scope.created", core={"key": "x"})
        record(action="tenants.scope.painted", core={})


def test_a_reader_without_the_scope_does_not_see_the_event(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        event = record(action="tenants.scope.created", core={"key": "x"}, scopes=acme.scope_ids("fund:alpha"))
    with open_scope(tenant=acme.id, scopes=acme.scope_ids("fund:beta"), reason="a test"):
        assert not Event.objects.filter(id=event.id).exists()
    with open_scope(tenant=acme.id, scopes=acme.scope_ids("fund:alpha"), reason="a test"):
        assert Event.objects.filter(id=event.id).exists()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET action = 'x'",
        "DELETE FROM audit_event",
        "UPDATE audit_payload SET terms = '{}'",
        "DELETE FROM audit_payload",
        "UPDATE audit_datakey SET kek_id = 'x'",
        "DELETE FROM audit_datakey",
    ],
)
def test_the_runtime_role_can_t_change_the_past(acme: Firm, statement: str) -> None:
    with (
        open_scope(tenant=acme.id, reason="a test"),
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_event SET action = 'x'",
        "UPDATE audit_payload SET terms = '{}'",
        "DELETE FROM audit_payload",
        "TRUNCATE audit_event, audit_payload, audit_webhookdelivery, audit_webhookattempt",
        "TRUNCATE audit_payload",
        "UPDATE audit_datakey SET epoch = 'x'",
        "DELETE FROM audit_datakey",
        "TRUNCATE audit_payload, audit_datakey, audit_webhook, audit_webhookdelivery, audit_webhookattempt",
    ],
)
def test_not_even_a_superuser_changes_it_in_passing(statement: str) -> None:
    make_firm("acme")
    with (
        psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as superuser,
        pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"append-only|are kept"),
    ):
        superuser.execute(statement)


def test_equal_questions_of_two_tenants_or_epochs_have_different_digests(acme: Firm) -> None:
    bolt = make_firm("bolt")
    digests = {
        keyed_digest("What is the drawdown?", tenant=tenant, epoch=period)
        for tenant in (acme.id, TenantId(bolt.id))
        for period in ("2024Q1", "2024Q2")
    }
    assert len(digests) == 4


def test_an_epoch_is_a_calendar_quarter(acme: Firm) -> None:
    assert epoch(acme.tenant.created_at) == f"{acme.tenant.created_at.year}Q{(acme.tenant.created_at.month + 2) // 3}"


def test_every_registered_event_has_a_ground_and_a_term() -> None:
    assert event_classes()
    assert all(known.legal_basis and known.retention_years > 0 for known in event_classes())
