"""The wall against the ORM: managers, expressions, relations and lookups that forget, or leave out, the filter.

The ordinary managers add the open tenant to every query; where an attack uses one, what it is after lies in another
scope of the same tenant, so that it is the database that is tried.
"""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.apps import apps
from django.db import DatabaseError, connections, transaction
from django.db.models import Count, Exists, F, FilteredRelation, Max, OuterRef, Prefetch, Q, Subquery
from django.db.models.expressions import RawSQL
from django.utils import timezone

from apps.audit.models import Attestation
from apps.corpus.models import EMBEDDING_MODELS, Chunk, Document, Page, SourceFile
from apps.intents.models import GoldenExample, GoldenVector
from apps.tenants.context import ScopeContext, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import ApiKey, Grant, IdempotentRequest, Membership, Scope, Tenant, User
from apps.tenants.models.base import TenantModel
from tests.audit.acting import as_worker, sealed
from tests.audit.proving import certified
from tests.conftest import admin_dsn
from tests.isolation.harness import KEPT_BY_TWO, changed, held, sql, wall_down
from tests.isolation.world import World, canary

HIDDEN_DAY = dt.date(1987, 10, 19)
BOLT = canary("bolt", "firm")
BETA = canary("acme", "fund:beta")
TENANT_MODELS = [model for model in apps.get_models() if issubclass(model, TenantModel)]


@pytest.fixture(scope="module", autouse=True)
def _furnished(world: World) -> None:
    """A row of Bolt in each table that taking documents in leaves empty, and a date that one hidden document has."""
    with open_scope(tenant=world.acme.id, reason="a test"):
        Document.objects.filter(id=world.document("acme", "fund:beta")).update(published_on=HIDDEN_DAY)
    with open_scope(tenant=world.bolt.id, reason="a test") as context:
        chunk = Chunk.objects.filter(is_parent=False).first()
        own = {"tenant_id": context.tenant_id}
        for dimension, model in EMBEDDING_MODELS.items():
            model.objects.create(
                **own,
                scope_id=chunk.scope_id,
                document_id=chunk.document_id,
                chunk=chunk,
                kind=chunk.kind,
                model="made up",
                vector=[0.0] * dimension,
            )
        example = GoldenExample.objects.first()
        GoldenVector.objects.create(**own, example=example, model="made up", vector=[0.0] * 384)
        IdempotentRequest.objects.create(
            **own,
            principal_kind="user",
            principal_id=uuid4(),
            key_digest="0" * 64,
            request_digest="0" * 64,
            subject_id=uuid4(),
            replayable=False,
            status_code=201,
            expires_at=timezone.now() + dt.timedelta(days=1),
        )


@pytest.fixture(scope="module", autouse=True)
def _logged(world: World) -> None:
    """Enough events in both logs for a subtree, a checkpoint, and a removal, so that no tenant table is empty."""
    for firm in (world.acme, world.bolt):
        sealed(firm, 256)
        certified(firm)
        with as_worker(), open_scope(tenant=firm.id, reason="a test"):
            Attestation.objects.create(
                tenant_id=firm.id, size=1, kind="cosignature", by="w", content="x", told_at=timezone.now()
            )
        _restored(firm.id)


def _restored(tenant_id: TenantId) -> None:
    """What a restore brought back and what was signed of it, past the rules of when these are written."""
    name = connections["default"].settings_dict["NAME"]
    with psycopg.connect(admin_dsn(), dbname=name) as administrator:
        administrator.execute("SET session_replication_role = replica")
        administrator.execute(
            "WITH made AS (INSERT INTO audit_restoration (tenant_id, restore_id, ordinal, through, state, runs, "
            "came_back, targets, leaves, manifest, error_code, verification, end_events) "
            "VALUES (%s, uuidv7(), 0, 1, 'removing', '[]', '{}', 0, '{}', %s, '', '{}', '{}') "
            "RETURNING tenant_id, id) "
            "INSERT INTO audit_supplement (tenant_id, number, restoration_id, outcome, event_id, leaf_index, size, "
            "root, body, note) SELECT tenant_id, 1, id, 'proved', uuidv7(), 0, 1, '', '{}', '' FROM made",
            [tenant_id, "0" * 64],
        )


def as_amy(world: World) -> AbstractContextManager[ScopeContext]:
    """All of Acme: what is hidden from her is Bolt's."""
    return open_scope(tenant=world.acme.id, principal=world.people["amy"])


def as_ann(world: World) -> AbstractContextManager[ScopeContext]:
    """Acme's fund alpha alone: the rest of Acme is hidden too."""
    return open_scope(tenant=world.acme.id, principal=world.people["ann"])


# --- forgotten filters ---


def test_a_manager_without_the_tenant_filter_finds_nothing_of_another_tenant(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            return list(Document._base_manager.all())

    held(attack, loot=BOLT)


def test_the_ordinary_manager_finds_nothing_of_another_scope(world: World) -> None:
    def attack() -> list[Document]:
        with as_ann(world):
            return list(Document.objects.all())

    brought = held(attack, loot=BETA)
    assert canary("acme", "fund:alpha") in brought


@pytest.mark.parametrize("model", TENANT_MODELS, ids=lambda model: model._meta.label)
def test_no_tenant_table_shows_a_row_of_another_tenant(world: World, model: type[TenantModel]) -> None:
    def attack() -> list[Any]:
        with as_amy(world):
            return list(model._base_manager.values_list("tenant_id", flat=True))

    held(attack, loot=str(world.bolt.id))


def test_the_table_of_tenants_shows_the_own_row_alone(world: World) -> None:
    def attack() -> list[Tenant]:
        with as_amy(world):
            return list(Tenant.objects.all())

    assert "slug=acme" in held(attack, loot="slug=bolt")


def test_the_table_of_accounts_shows_the_tenants_members_alone(world: World) -> None:
    def attack() -> list[Any]:
        with as_amy(world):
            return [f"account={each}" for each in User._base_manager.values_list("username", flat=True)]

    assert "account=ann" in held(attack, loot="account=ben")


def test_addresses_of_accounts_are_told_to_nobody_else_even_without_the_policies(world: World) -> None:
    with wall_down(), as_amy(world):
        assert set(User._base_manager.values_list("email", flat=True)) == {None, "amy@example.com"}


@pytest.mark.parametrize(("model", "column"), [(Scope, "id"), (Document, "scope_id"), (SourceFile, "scope_id")])
def test_no_scoped_table_shows_a_row_of_another_scope(world: World, model: type[TenantModel], column: str) -> None:
    def attack() -> list[Any]:
        with as_ann(world):
            return list(model.objects.values_list(column, flat=True))

    held(attack, loot=str(world.scope_id("acme", "fund:beta")))


@pytest.mark.parametrize("model", [Document, Scope, Membership, ApiKey, Grant])
def test_a_filter_that_names_the_other_tenant_finds_nothing(world: World, model: type[TenantModel]) -> None:
    def attack() -> dict[str, int]:
        with as_amy(world):
            return {"found any": model._base_manager.filter(tenant_id=world.bolt.id).exists()}

    held(attack, loot="found any=True")


# --- SQL by way of the ORM ---


def test_raw_finds_nothing_of_another_tenant(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            return list(Document.objects.raw("SELECT * FROM corpus_document"))

    held(attack, loot=BOLT)


@pytest.mark.parametrize(
    "extra",
    [
        {"where": ["corpus_document.tenant_id = %s OR true"], "params": [str(uuid4())]},
        {"select": {"stolen": "SELECT string_agg(title, ' ') FROM corpus_document"}},
        {"tables": ["corpus_page"], "select": {"stolen": "corpus_page.text"}, "where": ["true"]},
    ],
    ids=["where", "select", "tables"],
)
def test_extra_finds_nothing_of_another_tenant(world: World, extra: dict[str, Any]) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            return list(Document._base_manager.extra(**extra))

    held(attack, loot=BOLT)


def test_an_annotation_in_sql_finds_nothing_of_another_tenant(world: World) -> None:
    def attack() -> list[Any]:
        with as_amy(world):
            stolen = RawSQL("SELECT string_agg(title, ' ') FROM corpus_document WHERE true OR id = %s", [uuid4()])
            return list(Tenant.objects.annotate(stolen=stolen).values_list("stolen", flat=True))

    held(attack, loot=BOLT)


def test_a_subquery_finds_nothing_of_another_scope(world: World) -> None:
    def attack() -> list[Any]:
        with as_ann(world):
            titles = Document._base_manager.exclude(scope_id=OuterRef("id")).order_by("-title").values("title")[:1]
            return list(Scope.objects.annotate(stolen=Subquery(titles)).values_list("stolen", flat=True))

    held(attack, loot="kestrelbolt")


@pytest.mark.parametrize("word", [BOLT, BETA])
def test_exists_does_not_tell_of_a_hidden_word(world: World, word: str) -> None:
    def attack() -> list[str]:
        with as_ann(world):
            known = Exists(Page._base_manager.filter(text__contains=word))
            return [f"known={scope.known}" for scope in Scope.objects.annotate(known=known)]

    held(attack, loot="known=True")


def test_a_filtered_relation_finds_nothing_of_another_tenant(world: World) -> None:
    def attack() -> list[Any]:
        with as_amy(world):
            joined = FilteredRelation("chunks", condition=Q(chunks__is_parent=False) | Q(chunks__number__gt=0))
            return list(Document._base_manager.annotate(any_chunk=joined).values_list("any_chunk__text"))

    held(attack, loot=BOLT)


@pytest.mark.parametrize("combine", ["union", "intersection", "difference"])
def test_combined_queries_find_nothing_of_another_scope(world: World, combine: str) -> None:
    def attack() -> list[Any]:
        with as_ann(world):
            hidden = Document._base_manager.filter(title__contains=BETA).values_list("title")
            match combine:
                case "union":
                    return list(Document.objects.values_list("title").union(hidden))
                case "intersection":
                    return list(Document._base_manager.values_list("title").intersection(hidden))
                case _:
                    return list(hidden.difference(Document.objects.filter(kind="made up").values_list("title")))

    held(attack, loot=BETA)


# --- counts and values ---


def test_counts_are_of_visible_rows(world: World) -> None:
    def attack() -> dict[str, int]:
        with as_ann(world):
            return {"documents": Document.objects.count()}

    assert held(attack, loot="documents=9") == "documents=3"


def test_counts_by_value_are_of_visible_rows(world: World) -> None:
    def attack() -> list[str]:
        with as_amy(world):
            counted = Document._base_manager.order_by().values("tenant_id").annotate(documents=Count("id"))
            return [f"{row['tenant_id']}: {row['documents']}" for row in counted]

    held(attack, loot=f"{world.bolt.id}: 9")


def test_an_annotated_count_follows_no_relation_to_hidden_rows(world: World) -> None:
    def attack() -> list[str]:
        with as_ann(world):
            children = Scope._base_manager.filter(parent_id=OuterRef("parent_id")).order_by().values("parent_id")
            siblings = Subquery(children.annotate(counted=Count("id")).values("counted"))
            return [f"siblings={row.siblings}" for row in Scope.objects.annotate(siblings=siblings)]

    assert held(attack, loot="siblings=2") == "siblings=1"


def test_an_aggregate_reads_no_hidden_value(world: World) -> None:
    def attack() -> dict[str, Any]:
        with as_ann(world):
            return Document.objects.filter(kind="run").aggregate(last=Max("title"))

    held(attack, loot=canary("acme", "firm"))


def test_distinct_values_are_of_visible_rows(world: World) -> None:
    def attack() -> list[Any]:
        with as_ann(world):
            return list(Document.objects.order_by("filename").values_list("filename", flat=True).distinct())

    held(attack, loot=BETA)


def test_dates_are_of_visible_rows(world: World) -> None:
    def attack() -> list[Any]:
        with as_ann(world):
            return list(Document.objects.dates("published_on", "day"))

    held(attack, loot=str(HIDDEN_DAY))


# --- single rows by what names them ---


def test_in_bulk_finds_nothing_by_hidden_ids(world: World) -> None:
    wanted = [*world.documents.values()]

    def attack() -> dict[Any, Document]:
        with as_ann(world):
            return Document._base_manager.in_bulk(wanted)

    held(attack, loot=BETA)


def test_a_hidden_row_is_not_locked(world: World) -> None:
    def attack() -> list[Document]:
        with as_ann(world):
            return list(Document.objects.select_for_update().filter(id=world.document("acme", "fund:beta")))

    held(attack, loot=BETA)


def test_a_hidden_instance_can_t_be_refreshed(world: World) -> None:
    def attack() -> Document:
        with as_ann(world):
            made_up = Document(id=world.document("acme", "fund:beta"), tenant_id=world.acme.id)
            made_up.refresh_from_db()
            return made_up

    assert "DoesNotExist" in held(attack, loot=BETA)


@pytest.mark.parametrize("method", ["get_or_create", "update_or_create"])
def test_a_hidden_key_gets_no_row(world: World, method: str) -> None:
    def attack() -> Any:
        with as_ann(world) as context:
            page, _ = getattr(Page.objects, method)(
                document_id=world.document("acme", "fund:beta"),
                number=1,
                defaults={"tenant_id": context.tenant_id, "scope_id": world.scope_id("acme", "fund:alpha")},
            )
            return page

    held(attack, loot=BETA, alone=(KEPT_BY_TWO,))


# --- relations ---


def test_select_related_follows_no_key_to_a_hidden_parent(world: World) -> None:
    def attack() -> list[str]:
        with as_ann(world):
            return [str(scope.parent) for scope in Scope.objects.select_related("parent")]

    held(attack, loot="firm:acme")


def test_prefetching_follows_no_key_to_a_hidden_parent(world: World) -> None:
    def attack() -> list[str]:
        with as_ann(world):
            scopes = Scope.objects.prefetch_related(Prefetch("parent", Scope._base_manager.all()))
            return [str(scope.parent) for scope in scopes]

    held(attack, loot="firm:acme")


def test_a_join_follows_no_key_to_a_hidden_row(world: World) -> None:
    def attack() -> list[Any]:
        with as_ann(world):
            return list(Grant.objects.values_list("scope__key", "scope__parent__key"))

    held(attack, loot="firm:acme")


@pytest.mark.parametrize("hidden", [("acme", "fund:beta"), ("bolt", "fund:alpha")])
@pytest.mark.parametrize("follow", ["select_related", "prefetch_related", "attribute"])
def test_a_row_that_is_made_to_point_at_a_hidden_one_does_not_bring_it(
    world: World, hidden: tuple[str, str], follow: str
) -> None:
    """Until the commit checks it, a foreign key may point anywhere; test_inference shows that it can't stay so."""

    def attack() -> list[str]:
        with as_ann(world):
            own = Page.objects.filter(document_id=world.document("acme", "fund:alpha"))
            own.update(document_id=world.document(*hidden), number=F("number") + 1000)
            moved = Page.objects.filter(number__gt=1000)
            pages = moved if follow == "attribute" else getattr(moved, follow)("document")
            return [page.document.title for page in pages]

    held(attack, loot=canary(*hidden), alone=(KEPT_BY_TWO,))


@pytest.mark.parametrize("related", ["chunks", "pages", "source_files", "jobs", "postings"])
def test_the_relations_of_a_hand_made_instance_are_empty(world: World, related: str) -> None:
    def attack() -> list[str]:
        with as_ann(world):
            made_up = Document(id=world.document("acme", "fund:beta"), tenant_id=world.acme.id)
            return [f"scope {row.scope_id}" for row in getattr(made_up, related).all()]

    held(attack, loot=str(world.scope_id("acme", "fund:beta")))


# --- writes ---


def test_update_changes_no_hidden_row(world: World) -> None:
    def attack() -> str:
        with as_ann(world):
            return f"changed={Document.objects.filter(id=world.document('acme', 'fund:beta')).update(company='Ann')}"

    assert held(attack, loot="changed=1", alone=(KEPT_BY_TWO,)) == "changed=0"


@pytest.mark.parametrize("where", ["another scope", "another tenant"])
def test_update_moves_no_row_over_the_wall(world: World, where: str) -> None:
    there = _over_the_wall(world, where)

    def attack() -> str:
        with as_ann(world):
            return f"moved={Page._base_manager.filter(scope_id=world.scope_id('acme', 'fund:alpha')).update(**there)}"

    assert "row-level security" in held(attack, loot="moved=3", alone=(KEPT_BY_TWO,))


def test_bulk_update_moves_no_row_over_the_wall(world: World) -> None:
    def attack() -> str:
        with as_ann(world):
            pages = list(Page.objects.filter(scope_id=world.scope_id("acme", "fund:alpha")))
            for page in pages:
                page.scope_id = world.scope_id("acme", "fund:beta")
            return f"moved={Page.objects.bulk_update(pages, ['scope'])}"

    assert "row-level security" in held(attack, loot="moved=3", alone=(KEPT_BY_TWO,))


@pytest.mark.parametrize("where", ["another scope", "another tenant"])
def test_bulk_create_puts_no_row_behind_the_wall(world: World, where: str) -> None:
    there = _over_the_wall(world, where)

    def attack() -> str:
        with as_ann(world):
            document = world.document("bolt" if where == "another tenant" else "acme", "fund:beta")
            made = Page.objects.bulk_create([Page(**there, document_id=document, number=99, text="planted")])
            return f"planted={len(made)}"

    assert "row-level security" in held(attack, loot="planted=1", alone=(KEPT_BY_TWO,))


def _over_the_wall(world: World, where: str) -> dict[str, Any]:
    slug = "bolt" if where == "another tenant" else "acme"
    return {"tenant_id": world.firm(slug).id, "scope_id": world.scope_id(slug, "fund:beta")}


def test_a_hidden_instance_is_not_saved_over(world: World) -> None:
    target = world.document("acme", "fund:beta")

    def attack() -> str:
        with as_ann(world):
            made_up = Document.objects.get(id=world.document("acme", "fund:alpha"))
            made_up.id, made_up.slug, made_up.series_id, made_up.company = target, "made-up", uuid4(), "Ann"
            try:
                # Without created_at, which nobody changes, so that the policies alone stand in the way.
                made_up.save(update_fields=["slug", "series_id", "company"])
            except DatabaseError as error:
                return str(error)
            return "saved over"

    assert "did not affect any rows" in held(attack, loot="saved over", alone=(KEPT_BY_TWO,))


@pytest.mark.parametrize("raw", [False, True], ids=["delete", "raw delete"])
def test_delete_removes_no_hidden_row(world: World, raw: bool) -> None:
    target = world.document("acme", "fund:beta")

    def attack() -> str:
        with as_ann(world):
            rows = SourceFile._base_manager.filter(document_id=target)
            removed = rows._raw_delete(rows.db) if raw else rows.delete()[0]
        return f"removed={removed}, {left_of(world, SourceFile, document_id=target)}"

    assert held(attack, loot="removed=1, left=0", alone=(KEPT_BY_TWO,)) == "removed=0, left=1"


def test_a_hand_made_instance_deletes_no_hidden_row(world: World) -> None:
    target = world.document("acme", "fund:beta")

    def attack() -> str:
        with as_ann(world):
            _, removed = Document(id=target, tenant_id=world.acme.id).delete()
        return f"removed={removed.get('corpus.Document', 0)}, {left_of(world, Document, id=target)}"

    assert held(attack, loot="removed=1, left=0", alone=(KEPT_BY_TWO,)) == "removed=0, left=1"


def left_of(world: World, model: type[TenantModel], **rows: Any) -> str:
    """What whoever may see everything of Acme finds after the attack, in the same transaction."""
    with open_scope(tenant=world.acme.id, reason="look after an attack"):
        return f"left={model.objects.filter(**rows).count()}"


# --- queries that outlive their scope ---


def test_a_query_that_runs_after_its_scope_raises(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            lazy = Document.objects.all()
        return list(lazy)

    assert "no scope is open" in held(attack, loot=canary("acme", "firm"))


def test_a_query_that_runs_in_another_tenants_scope_finds_nothing(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            lazy = Document.objects.all()
        with open_scope(tenant=world.bolt.id, principal=world.people["ben"]):
            return list(lazy)

    assert held(attack, loot=canary("acme", "firm")) == ""


def test_a_pickled_query_carries_no_scope(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            pickled = pickle.dumps(Document.objects.all().query)
        with as_ann(world):
            again = Document._base_manager.all()
            again.query = pickle.loads(pickled)  # noqa: S301 - made a line above
            return list(again)

    brought = held(attack, loot=BETA)
    assert canary("acme", "fund:alpha") in brought


def test_an_iterator_that_begins_after_its_scope_raises(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            rows = Document.objects.all().iterator(chunk_size=1)
        return list(rows)

    assert "no scope is open" in held(attack, loot=canary("acme", "firm"))


def test_an_iterator_ends_with_the_transaction_of_its_scope(world: World) -> None:
    def left_over() -> tuple[Document, list[Document]]:
        with as_amy(world):
            rows = Document.objects.all().iterator(chunk_size=1)
            first = next(rows)
        return first, list(rows)

    with transaction.atomic():  # the control: while the transaction lasts, so does the cursor
        assert len(left_over()[1]) == 8
    with pytest.raises(DatabaseError, match="does not exist"):
        left_over()


def test_an_iterator_of_one_scope_reads_nothing_of_the_next(world: World) -> None:
    def attack() -> list[Document]:
        with as_ann(world):
            rows = Document._base_manager.all().iterator(chunk_size=1)
            first = next(rows)
        with open_scope(tenant=world.bolt.id, principal=world.people["ben"]):
            return [first, *rows]

    brought = held(attack, loot=BOLT)
    assert canary("acme", "fund:alpha") in brought


def test_explain_shows_the_work_for_visible_rows_alone(world: World) -> None:
    def attack() -> str:
        with as_ann(world):
            hidden = Document.objects.filter(title__contains=BETA)
            # The rows that come out of the topmost node: the filter ran before it.
            return str(hidden.explain(analyze=True, timing=False, costs=False)).splitlines()[0]

    held(attack, loot="(actual rows=3.00")


# --- other connections ---


def test_the_owner_of_the_tables_sees_nothing_without_a_scope(world: World) -> None:
    def attack() -> list[Document]:
        return list(Document.objects.using("owner"))

    assert "no scope is open" in held(attack, loot=BOLT, without=_unforced)


def test_a_scope_of_one_connection_opens_nothing_on_another(world: World) -> None:
    def attack() -> list[Document]:
        with as_amy(world):
            return list(Document._base_manager.using("owner"))

    assert "no scope is open" in held(attack, loot=BOLT, without=_unforced)


@contextmanager
def _unforced() -> Iterator[None]:
    """The owner as it would be without FORCE, under both of its names."""
    ordinary = connections["owner"]
    with changed("ALTER TABLE corpus_document NO FORCE ROW LEVEL SECURITY"):
        sql("SET LOCAL ROLE glassbox_owner")
        connections["owner"] = connections["default"]
        try:
            yield
        finally:
            connections["owner"] = ordinary
