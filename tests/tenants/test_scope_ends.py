"""What outlives a scope: nothing, however its transaction ends; and nothing that was to outlive it is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import DatabaseError, InternalError, ProgrammingError, connection, transaction

from apps.audit.models import Event, Outcome
from apps.retrieval.events import REJECTED
from apps.tenants.context import current_scope, open_identity, open_scope, record_failure
from apps.tenants.errors import NoScopeError
from apps.tenants.models import Scope
from apps.tenants.tokens import IDENTITY_SETTING, SCOPE_SETTING, Identity
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


@pytest.fixture
def by_hand() -> Iterator[None]:
    """A connection on which nothing is committed but by hand."""
    transaction.set_autocommit(False)
    yield
    transaction.rollback()
    transaction.set_autocommit(True)


def settings_now() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(current_setting(%s, true), ''), coalesce(current_setting(%s, true), '')",
            [SCOPE_SETTING, IDENTITY_SETTING],
        )
        scope, identity = cursor.fetchone()
        return scope, identity


@pytest.mark.usefixtures("by_hand")
def test_a_scope_ends_where_its_transaction_goes_on(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        assert Scope.objects.exists()
    assert settings_now() == ("", "")
    with pytest.raises(ProgrammingError, match="no scope is open"), transaction.atomic():
        list(Scope._base_manager.all())


@pytest.mark.usefixtures("by_hand")
def test_an_identity_ends_where_its_transaction_goes_on(acme: Firm) -> None:
    with open_identity(Identity(directory=acme.id)):
        assert Scope._base_manager.exists()
    assert settings_now() == ("", "")


def break_quietly() -> None:
    """As code that takes an error of the database for an answer, without a savepoint: all before it is undone."""
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")


def test_a_scope_whose_work_was_undone_does_not_end_as_if_it_were_done(acme: Firm) -> None:
    done: list[str] = []
    with pytest.raises(InternalError), open_scope(tenant=acme.id, reason="a test"):  # noqa: PT012 - in this order
        transaction.on_commit(lambda: done.append("told"))
        break_quietly()
    assert done == []
    assert settings_now() == ("", "")


def test_an_identity_whose_work_was_undone_does_not_end_as_if_it_were_done(acme: Firm) -> None:
    with pytest.raises(InternalError), open_identity(Identity(directory=acme.id)):
        break_quietly()
    assert settings_now() == ("", "")


def fail(code: str) -> None:
    record_failure(action=REJECTED, core={"code": code, "length_chars": 1}, outcome=Outcome.REFUSED)


def failures(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        return Event.objects.filter(action=REJECTED).count()


def test_what_fails_after_the_commit_is_recorded(acme: Firm) -> None:
    def afterwards() -> None:
        with pytest.raises(NoScopeError):
            current_scope()
        with open_scope(tenant=acme.id, reason="afterwards"):
            fail("late")

    with open_scope(tenant=acme.id, reason="a test"):
        transaction.on_commit(afterwards)
    assert failures(acme) == 1


def test_a_failure_is_recorded_in_the_tenant_that_it_is_of(acme: Firm) -> None:
    bolt = make_firm("bolt")
    with open_scope(tenant=acme.id, reason="a test"), open_scope(tenant=bolt.id, reason="another"):
        fail("of bolt")
    assert (failures(acme), failures(bolt)) == (0, 1)
