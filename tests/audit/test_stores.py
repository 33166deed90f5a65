"""What every store of personal data must do, whichever it is: count, clear in parts, and touch nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection, connections
from django.test import TransactionTestCase, override_settings
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from apps.corpus.models import Document
from apps.corpus.reader.contracts import PagePicture
from apps.corpus.services.page_image_cache import DrawnPage, keep
from apps.erasure.contracts import Store, Target, TargetType
from apps.erasure.registry import stores
from apps.tenants.context import open_scope
from tests.audit.removal_world import (
    ANN,
    BEA,
    RemovalWorld,
    as_eraser,
    every_row,
    given_in_redis,
    make_removal_world,
    naming,
)
from tests.corpus.ingesting import remote_profile
from tests.isolation.harness import sql
from tests.model_server import ModelServer

TYPES = [type for type in TargetType if type is not TargetType.EVENT_GROUP]
# Of which types a store must hold something in the world. What is missing here must count zero.
HOLDS = {
    "audit.restrictions": {TargetType.DOCUMENT},
    "audit.payloads": set(),
    "audit.access_packages": set(TargetType),
    "corpus.answers_kept": {TargetType.DOCUMENT},
    "corpus.job_actors": {TargetType.USER},
    "retrieval.answers_just_given": set(TargetType),
    "retrieval.kept_answers": set(TargetType),
    "retrieval.sent_questions": set(TargetType) - {TargetType.DOCUMENT},
    "research.runs": set(TargetType) - {TargetType.DOCUMENT},
    "research.steps": set(TargetType),
    "retrieval.evaluation_authors": {TargetType.USER},
    "retrieval.impact_requesters": {TargetType.USER},
    "retrieval.evaluation_runs": {TargetType.TENANT},
    "intents.absences": {TargetType.USER, TargetType.TENANT},
    "intents.approvers": {TargetType.USER},
    "intents.certified_grants": {TargetType.SCOPE, TargetType.TENANT},
    "intents.certified_reasons": {TargetType.USER},
    "intents.recertifications": {TargetType.TENANT},
    "intents.comment_authors": {TargetType.USER},
    "intents.comments": {TargetType.TENANT},
    "intents.notices": {TargetType.USER, TargetType.TENANT},
    "intents.policies": {TargetType.TENANT},
    "audit.data_keys": {TargetType.TENANT},
    "audit.holds": {TargetType.TENANT},
    "audit.log_contents": {TargetType.TENANT},
    "audit.retention": {TargetType.TENANT},
    "audit.webhooks": {TargetType.TENANT},
    "tenants.tenant": {TargetType.TENANT},
    "tenants.scopes": {TargetType.SCOPE, TargetType.TENANT},
    "tenants.requests": {TargetType.USER, TargetType.SCOPE, TargetType.TENANT},
    "tenants.access_grants": {TargetType.USER, TargetType.SCOPE, TargetType.TENANT},
    **{
        f"tenants.{name}": {TargetType.USER, TargetType.TENANT}
        for name in ("rate_counters", "access_accounts", "access_keys", "access_memberships")
    },
}
# These go by an event of the log, once that is sealed: test_tenant_erasure.py.
BY_THE_LOG = {"audit.data_keys", "audit.log_contents"}
IN_REDIS = {"tenants.rate_counters", "retrieval.answers_just_given", "corpus.page_images"}
# To forget what is known of the one request that has ended, to find the packages, to remove them.
MORE_QUERIES = {"audit.access_packages": 3}
OF_DOCUMENTS = {TargetType.DOCUMENT, TargetType.SCOPE, TargetType.TENANT}


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[RemovalWorld]:
    """Committed once: each test looks at it in a transaction that is rolled back."""
    with django_db_blocker.unblock(), ModelServer() as server:
        profile = {**settings.GLASSBOX_EMBEDDING_PROFILES, "local": remote_profile(server)}
        with override_settings(GLASSBOX_EMBEDDING_PROFILES=profile):
            try:
                yield make_removal_world()
            finally:
                connections["default"].close()
                TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
                cache.clear()


@pytest.fixture(autouse=True)
def _counters(world: RemovalWorld) -> None:
    """Redis is not rolled back."""
    given_in_redis(world)
    for firm in (world.acme, world.bolt):
        with open_scope(tenant=firm.id, reason="a test"):
            documents = list(Document.objects.all())
        for each in documents:
            keep(
                DrawnPage(
                    tenant_id=firm.id,
                    scope_id=each.scope_id,
                    document_id=each.id,
                    content_sha256=each.content_sha256,
                    page=1,
                    scale=2,
                ),
                PagePicture(image=b"", width_pt=1.0, height_pt=1.0, text="", boxes=[]),
            )


def cleared(store: Store, targets: list[Target], *, limit: int) -> int:
    """In parts, until nothing of them can be removed. Returns: how many were."""
    total = 0
    for _ in range(1_000):
        removed = store.clear(targets, limit=limit)
        if not removed:
            return total
        assert removed <= limit
        total += removed
    raise AssertionError(f"{store.key} does not come to an end")


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("store", stores(), ids=lambda store: store.key)
def test_a_store_counts_clears_in_parts_and_touches_nothing_else(
    world: RemovalWorld, store: Store, type: TargetType
) -> None:
    holds = HOLDS.get(store.key, OF_DOCUMENTS)
    target, other = world.target(type), world.other(type)
    # The run names this target alone: what a store finds of it, the database takes for covered by it.
    with as_eraser(world.acme, target):
        before, others, rows = store.count([target]), store.count([other]), every_row()
        assert bool(before) == (type in holds), before
        assert store.count([]) == 0
        if store.key in BY_THE_LOG:
            assert store.clear([target], limit=10) == 0
            assert store.count([target]) == before
            return
        assert cleared(store, [target], limit=2) == before
        assert store.count([target]) == 0
        assert store.clear([target], limit=2) == 0
        # Nothing of another target, and not one row more than was counted.
        assert store.count([other]) == others
        now = every_row()
        changed = {table: len(rows[table] - now[table]) for table in rows if rows[table] != now[table]}
        assert sum(changed.values()) == (before if store.key not in IN_REDIS else 0)
        assert len(changed) <= len(getattr(store, "tables", ["its own"]))
        assert all(len(now[table]) <= len(rows[table]) for table in rows)


@pytest.mark.parametrize("store", stores(), ids=lambda store: store.key)
def test_a_store_counts_a_thing_once_that_two_targets_name(world: RemovalWorld, store: Store) -> None:
    with as_eraser(world.acme):
        tenant = store.count([world.target(TargetType.TENANT)])
        scope = store.count([world.target(TargetType.SCOPE)])
        document = store.count([world.target(TargetType.DOCUMENT)])
        assert store.count([world.target(TargetType.SCOPE), world.target(TargetType.DOCUMENT)]) == max(scope, document)
        if tenant:
            assert store.count([world.target(each) for each in (TargetType.TENANT, TargetType.SCOPE)]) == tenant


@pytest.mark.parametrize("store", stores(), ids=lambda store: store.key)
def test_a_store_holds_nothing_of_another_tenants_things(world: RemovalWorld, store: Store) -> None:
    with as_eraser(world.bolt):
        targets = [world.target(type) for type in TYPES]
        rows = every_row()
        assert store.count(targets) == 0
        assert store.clear(targets, limit=10) == 0
        assert every_row() == rows


def test_a_store_declares_the_types_of_which_it_holds_something() -> None:
    assert {store.key: set(store.types) for store in stores()} == {  # type: ignore[attr-defined]
        store.key: HOLDS.get(store.key, OF_DOCUMENTS) or {TargetType.EVENT_GROUP} for store in stores()
    }


def remove(targets: list[Target], *, limit: int = 5) -> None:
    """As a run does: one store after the other, each part as if it were committed by itself."""
    for store in stores():
        while store.clear(targets, limit=limit):
            sql("SET CONSTRAINTS ALL IMMEDIATE")
            sql("SET CONSTRAINTS ALL DEFERRED")
        if store.key not in BY_THE_LOG:
            assert store.count(targets) == 0, store.key


@pytest.mark.parametrize("name", ["alpha", "alpha-2", "beta"])
def test_a_document_that_is_removed_is_named_by_no_row_of_any_table(world: RemovalWorld, name: str) -> None:
    document = world.documents[name]
    with as_eraser(world.acme):
        rows = every_row()
        assert {"corpus_document", "corpus_chunk", "tenants_idempotentrequest"} <= naming(rows, str(document)).keys()
        remove([Target(type=TargetType.DOCUMENT, id=document)])
        now = every_row()
        assert naming(now, str(document)) == {}
        rest = [each for key, each in world.documents.items() if key != name]
        assert [naming(now, str(each)).keys() for each in rest] == [
            naming(rows, str(each)).keys() - ({"retrieval_policyimpact"} if name == "beta" and i == 1 else set())
            for i, each in enumerate(rest)
        ]


def test_an_evaluation_question_stays_as_long_as_a_version_of_its_document_does(world: RemovalWorld) -> None:
    versions = [Target(type=TargetType.DOCUMENT, id=world.documents[name]) for name in ("alpha", "alpha-2")]
    for targets, left in ((versions[:1], 2), (versions[1:], 2), (versions, 1)):
        with as_eraser(world.acme):
            remove(targets)
            assert len(every_row()["retrieval_evaluationquery"]) == left


def test_a_person_who_is_removed_is_named_by_no_row_but_those_that_stay_with_a_ground(world: RemovalWorld) -> None:
    with as_eraser(world.acme):
        tables = naming(every_row(), BEA)
        assert {
            "corpus_ingestjob",
            "intents_policyapproval",
            "intents_reviewcomment",
            "retrieval_evaluationquery",
            "retrieval_policyimpact",
            "tenants_user",
        } <= tables.keys()
        remove([world.target(TargetType.USER)])
        now = every_row()
        assert naming(now, BEA) == {}
        assert naming(now, ANN).keys() >= tables.keys()
        (account,) = [row for row in now["tenants_user"] if f"erased-{world.bea.id}" in row]
        assert "example.com" not in account


def test_an_account_that_another_tenant_has_stays_until_that_one_is_the_last(world: RemovalWorld) -> None:
    ann = world.other(TargetType.USER)
    with as_eraser(world.acme):
        remove([ann])
        now = every_row()
        assert naming(now, ANN).keys() == {"tenants_user"}
        assert naming(now, str(ann.id))["tenants_membership"] == 1
        # What is Bolt's: a membership and a key with their grants; and the account, which is Bolt's alone from now on.
        with open_scope(tenant=world.bolt.id, reason="a test"):
            found = {store.key: store.count([ann]) for store in stores()}
        assert {key for key, count in found.items() if count} == {
            "tenants.access_accounts",
            "tenants.access_grants",
            "tenants.access_keys",
            "tenants.access_memberships",
        }


def test_an_administrator_of_the_platform_keeps_the_account(world: RemovalWorld) -> None:
    bea = world.target(TargetType.USER)
    with as_eraser(world.acme):
        sql("RESET ROLE")
        sql("UPDATE tenants_user SET is_superuser = true WHERE id = %s", bea.id)
        sql("SET LOCAL ROLE glassbox_eraser")
        remove([bea])
        assert naming(every_row(), BEA).keys() == {"tenants_user"}


def test_a_scope_is_removed_with_all_below_it_and_leaves_a_row_without_a_name(world: RemovalWorld) -> None:
    with as_eraser(world.acme):
        rows = every_row()
        remove([world.target(TargetType.SCOPE)])
        now = every_row()
        for key in ("fund:beta", "fund:gamma"):
            id = str(world.acme.scopes[key].id)
            assert naming(now, id).keys() == {"tenants_scope"}
            (row,) = [row for row in now["tenants_scope"] if row.startswith(f"({id},")]
            assert f"erased:{id}" in row
            assert naming(now, str(world.documents[key.partition(":")[2]])) == {}
        kept = str(world.acme.scopes["fund:alpha"].id)
        assert naming(now, kept) == naming(rows, kept)


def test_a_tenant_leaves_its_log_and_rows_without_names(world: RemovalWorld) -> None:
    with as_eraser(world.acme):
        rows = every_row()
        remove([world.target(TargetType.TENANT)], limit=50)
        now = every_row()
        left = naming(now, str(world.acme.id)).keys()
        assert left == {"tenants_scope", "tenants_tenant"}
        (row,) = [row for row in now["tenants_tenant"] if str(world.acme.id) in row]
        assert "acme" not in row.lower()
        assert naming(now, BEA) == {}
        bolt = str(world.bolt.id)
        assert naming(now, bolt) == naming(rows, bolt)
        counted = {store.key: store.count([world.target(TargetType.TENANT)]) for store in stores()}
        assert {key for key, count in counted.items() if count} == BY_THE_LOG


def test_to_count_and_to_clear_a_part_cost_a_query_each(world: RemovalWorld) -> None:
    for type in (TargetType.DOCUMENT, TargetType.USER):
        with as_eraser(world.acme):
            for store in stores():
                # One asks for each person by itself, the other asks Redis.
                if store.key in {"tenants.access_accounts", *IN_REDIS}:
                    continue
                holds = type in HOLDS.get(store.key, OF_DOCUMENTS)
                with CaptureQueriesContext(connection) as queries:
                    store.count([world.target(type)])
                    store.clear([world.target(type)], limit=3)
                assert len(queries) == (2 + MORE_QUERIES.get(store.key, 0) if holds else 0), store.key
