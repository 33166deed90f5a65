"""Two sessions at once: one has looked and not committed yet, or looks at what was, while the other one decides.

What a trigger asks of another row holds until its transaction ends, or it was asked in vain. A transaction that is
REPEATABLE READ sees for as long as it likes what was there when it began.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connections, transaction
from django.utils import timezone

from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_place
from apps.tenants.context import open_scope
from apps.tenants.ids import UserId
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.services.members import membership_revoke
from apps.tenants.services.personal_keys import personal_key_create
from tests.conftest import admin_dsn
from tests.factories import make_member
from tests.isolation.harness import outcome, sql
from tests.isolation.test_forged_events import as_person, call
from tests.isolation.world import World

DONE = "it was let through"
LEVELS = ("READ COMMITTED", "REPEATABLE READ")


def beside(act: Callable[[], Any]) -> str:
    """What becomes of an act in another session, which commits while this one is under way."""
    brought: list[str] = []

    def run() -> None:
        try:
            brought.append(outcome(act))
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert brought, "a broken test: the other session did not come back"
    return brought[0]


@contextmanager
def looking(level: str, person: Principal) -> Iterator[None]:
    """A transaction of a person's that has its snapshot already, and is rolled back."""
    with transaction.atomic():
        sql(f"SET TRANSACTION ISOLATION LEVEL {level}")
        with open_scope(tenant=person.tenant_id, principal=person):
            sql("SELECT count(*) FROM tenants_scope")
            yield
        transaction.set_rollback(True)


def in_time(statement: str, *parameters: Any) -> str:
    """Run it unless somebody else has what it needs, whom it does not wait for."""
    sql("SET LOCAL lock_timeout = '700ms'")
    sql(statement, *parameters)
    return DONE


def guarded() -> list[str]:
    """The tables whose rows a published document is found and quoted by, as the database knows them."""
    return [
        str(name)
        for (name,) in sql(
            "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgfoid = 'corpus_contents_by_two'::regproc "
            "ORDER BY 1"
        )
    ]


@contextmanager
def unpublished(world: World, document: UUID) -> Iterator[Callable[[], str]]:
    """A document that is being read still, and who publishes it."""
    with open_scope(tenant=world.acme.id, reason="a test"):
        ((status, since),) = sql("SELECT status, valid_from FROM corpus_document WHERE id = %s", document)
        sql("UPDATE corpus_document SET status = 'processing', valid_from = NULL WHERE id = %s", document)

    def publish() -> str:
        with open_scope(tenant=world.acme.id, reason="a test"):
            return in_time(
                "UPDATE corpus_document SET status = %s, valid_from = %s WHERE id = %s", status, since, document
            )

    try:
        yield publish
    finally:
        with open_scope(tenant=world.acme.id, reason="a test"):
            sql("UPDATE corpus_document SET status = %s, valid_from = %s WHERE id = %s", status, since, document)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_is_changed_in_a_document_while_it_is_published(world: World, level: str) -> None:
    """A job in Ann's name changes rows of one that it may change still, and commits after it is searchable."""
    document = world.document("acme", "fund:alpha")
    ann = replace(world.people["ann"], runs_job_of=document)
    tables = guarded()
    tried, through = set(), []
    for table in tables:
        # A job of a published document goes on changing, and is not deleted.
        change = "DELETE FROM {}" if table == "corpus_ingestjob" else "UPDATE {} SET tenant_id = tenant_id"
        change = f"{change.format(table)} WHERE document_id = '{document}' RETURNING '{DONE}'"
        act = partial(sql, change)
        for is_first in (True, False):
            with unpublished(world, document) as publish, looking(level, ann):
                if is_first:
                    changed = outcome(act)
                    tried |= {table} if DONE in changed else set()
                    published = beside(publish)
                else:
                    published = beside(publish)
                    assert published == DONE, published
                    changed = outcome(act)
                if DONE in changed and published == DONE:
                    through.append((table, "before" if is_first else "after"))
    assert len(tried) > 3, f"a broken test: of {tables} she changed {tried}"
    assert not through


def own_upload(world: World, person: Principal) -> UUID:
    """A document that this person brought, and that never was searchable. The event is of the same transaction."""
    with transaction.atomic():
        with open_scope(tenant=world.acme.id, reason="a test"):
            ((copy,),) = sql(
                "INSERT INTO corpus_document SELECT (jsonb_populate_record(d, jsonb_build_object('id', uuidv7(), "
                "'status', 'failed', 'valid_from', NULL, 'slug', %s::text, 'version', 99 + n, "
                "'created_at', clock_timestamp()))).* "
                "FROM corpus_document d, (SELECT count(*) FROM corpus_document) c (n) WHERE id = %s RETURNING id",
                uuid4().hex,
                world.document("acme", "fund:alpha"),
            )
        as_person(person, call(world, "corpus.document.received", subject=copy).made)()
    return UUID(str(copy))


@pytest.mark.parametrize("level", LEVELS)
def test_what_is_held_meanwhile_is_not_discarded(world: World, level: str) -> None:
    """Amy may discard what she brought, until somebody holds it: her transaction began before that."""
    amy, dan = world.people["amy"], world.people["dan"]
    document = own_upload(world, amy)
    assert dan.id is not None

    def hold() -> str:
        with open_scope(tenant=world.acme.id, principal=dan):
            hold_place(
                matter="A dispute",
                ground="Commercial code",
                owner_id=dan.id,
                review_on=timezone.now().date() + timedelta(days=90),
                targets=[Target(type=TargetType.DOCUMENT, id=document)],
            )
        return DONE

    discard = f"DELETE FROM corpus_document WHERE id = '{document}' RETURNING '{DONE}'"
    with looking("READ COMMITTED", amy):
        assert DONE in outcome(partial(sql, discard)), "a broken test: she may not discard it at all"
    with looking(level, amy):
        assert beside(hold) == DONE
        assert DONE not in outcome(partial(sql, discard))


NEXT_VERSION = (
    "INSERT INTO corpus_document SELECT (jsonb_populate_record(d, jsonb_build_object('id', uuidv7(), 'status', "
    "'received', 'valid_from', NULL, 'valid_to', NULL, 'page_count', 0, 'chunk_count', 0, 'term_count', 0, "
    "'slug', uuidv7()::text, 'version', {version}))).* FROM corpus_document d WHERE id = '{document}' "
    f"RETURNING '{DONE}'"
)


def test_no_document_is_written_by_the_policy_that_was_in_force_when_its_transaction_began(world: World) -> None:
    """The control: who sees what comes into force writes it."""
    ann, document = world.people["ann"], world.document("acme", "fund:alpha")
    write = partial(sql, NEXT_VERSION.format(version=700, document=document))
    with looking("READ COMMITTED", ann):
        assert DONE in outcome(write)
    with looking("REPEATABLE READ", ann):
        assert "which policy comes into force" in outcome(write)


def test_two_next_versions_of_a_document_see_each_other(world: World) -> None:
    """Ann's would replace a version of another kind that nobody has committed yet, without the right to correct it."""
    ann, amy, document = world.people["ann"], world.people["amy"], world.document("acme", "fund:alpha")
    other = partial(in_time, NEXT_VERSION.format(version=701, document=document))
    with looking("READ COMMITTED", amy):
        assert DONE in outcome(partial(sql, NEXT_VERSION.format(version=700, document=document)))
        assert "lock timeout" in beside(as_person(ann, other))


def decisions(request: UUID) -> dict[str, str]:
    """What who manages privacy decides about a request that is assessed."""
    return {
        "of a place": f"UPDATE audit_inventoryhit SET decision = decision WHERE request_id = '{request}'",
        "of a document": f"UPDATE audit_inventorytreatment SET treatment = treatment WHERE request_id = '{request}'",
    }


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_is_decided_of_a_request_while_it_goes_on(world: World, level: str) -> None:
    """The decision waits for its commit, or looks at what was, while the request leaves its assessment."""
    with open_scope(tenant=world.acme.id, reason="a test"):
        ((request, officer),) = sql(
            "SELECT r.id, r.received_by_id FROM audit_erasurerequest r WHERE purpose = 'erasure' AND EXISTS ("
            "SELECT FROM audit_inventorytreatment t WHERE t.request_id = r.id) LIMIT 1"
        )
    person = user_principal(User.objects.get_by_id(UserId(officer)), world.acme.id)

    def goes(state: str) -> str:
        with open_scope(tenant=world.acme.id, principal=person):
            return in_time("UPDATE audit_erasurerequest SET state = %s WHERE id = %s", state, request)

    through = []
    for name, change in decisions(request).items():
        act = partial(sql, f"{change} RETURNING '{DONE}'")
        for is_first in (True, False):
            try:
                with looking(level, person):
                    if is_first:
                        changed = outcome(act)
                        assert DONE in changed, f"a broken test: {changed}"
                        gone = beside(partial(goes, "identity_pending"))
                    else:
                        gone = beside(partial(goes, "identity_pending"))
                        assert gone == DONE, gone
                        changed = outcome(act)
                    if DONE in changed and gone == DONE:
                        through.append((name, "before" if is_first else "after"))
            finally:
                goes("assessing")
    assert not through


@pytest.mark.parametrize("is_guarded", [False, True])
def test_a_key_that_was_made_while_its_membership_ended_does_not_come_back(world: World, is_guarded: bool) -> None:
    """What ends a person's keys sees those that are committed. Kay is let in again, and the key is an old one."""
    kay = make_member(world.acme, f"kay-{is_guarded}", Role.ANALYST)

    def end() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            membership_revoke(Membership.objects.get(user_id=kay.id))
        return DONE

    with open_scope(tenant=world.acme.id, principal=kay):
        life = timezone.now() + timedelta(days=1)
        key, _ = personal_key_create(name="kept", role=Role.ANALYST, scopes=[world.acme.root], expires_at=life)
        assert beside(end) == DONE
    with nullcontext() if is_guarded else without("tenants_personal_keys_begin", "tenants_membership"):
        make_member(world.acme, f"kay-{is_guarded}", Role.ANALYST)
    with open_scope(tenant=world.acme.id, reason="a test"):
        assert (ApiKey.objects.get(id=key.id).revoked_at is not None) is is_guarded


@contextmanager
def without(trigger: str, table: str) -> Iterator[None]:
    """A control: what is committed meanwhile is committed without this trigger."""
    name = connections["default"].settings_dict["NAME"]
    with psycopg.connect(admin_dsn(), dbname=name, autocommit=True) as administrator:
        administrator.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
        try:
            yield
        finally:
            administrator.execute(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")
