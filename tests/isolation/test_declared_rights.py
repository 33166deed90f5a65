"""The eraser has the rights that declarations give, and a new table needs its isolation and its declaration alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import connection, migrations, models
from django.db.migrations.state import ProjectState

from apps.erasure import registry
from apps.erasure.contracts import Store, Target, TargetType
from apps.erasure.declarations.classified import Classified, classified_as
from apps.erasure.personal_data.classification import findings
from apps.erasure.personal_data.places import everything
from apps.erasure.registry import classified
from apps.erasure.stores.declared import store_of
from apps.tenants.columns import ID, SCOPE, TENANT
from apps.tenants.context import open_scope
from apps.tenants.eraser_operations import EmptyOnlyTargets
from apps.tenants.eraser_rights import give_rights
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation
from apps.tenants.personal_data import Fields, PersonalData, Phase, RowStore, Sort, declarations
from apps.tenants.personal_data.eraser import declared_rights, tables_of_tenant
from apps.tenants.personal_data.stores import rows_of_document
from tests.audit.removal_world import RemovalWorld, make_removal_world, under_way
from tests.isolation.harness import changed, outcome, sql

_POLICIES: Final = "SELECT p::text FROM pg_policies p ORDER BY 1"
_RIGHTS: Final = """
    SELECT attrelid::regclass::text, attname::text, attacl::text FROM pg_attribute WHERE attacl IS NOT NULL
    UNION ALL
    SELECT oid::regclass::text, '', array(SELECT unnest(relacl)::text ORDER BY 1)::text FROM pg_class
     WHERE relacl IS NOT NULL
     ORDER BY 1, 2
"""
_OF_TABLE: Final = """
    SELECT array_agg(privilege_type || ' ' || column_name ORDER BY 1) FILTER (WHERE column_name IS NOT NULL),
           has_table_privilege('glassbox_eraser', %s, 'DELETE')
      FROM information_schema.column_privileges WHERE grantee = 'glassbox_eraser' AND table_name = %s
"""

BOOKMARKS: Final = PersonalData(
    Fields("id tenant scope document", Sort.NONE, because="Ids."),
    Fields("note", Sort.FREE_TEXT, because="Somebody wrote it.", cleared_by="corpus.bookmarks"),
    stores=(rows_of_document("corpus.bookmarks", "Bookmarks", Phase.DERIVED),),
)


@pytest.fixture(scope="module")
def world(committed_ground: None) -> RemovalWorld:
    return make_removal_world()


def give(*declared: tuple[type[models.Model], PersonalData]) -> None:
    """Give what all models declare, and these."""
    sql("RESET ROLE")
    give_rights(connection.connection, declared_rights([*declarations(), *declared]), tables_of_tenant())


def make_bookmarks() -> type[models.Model]:
    """Run a migration of a new table as docs/extend/table.md has it, in the open transaction, as the tables' owner."""
    bookmark = migrations.CreateModel(
        "Bookmark",
        fields=[
            ("id", ID),
            ("tenant", TENANT),
            ("scope", SCOPE),
            ("document", TenantForeignKey("corpus.document", models.CASCADE, related_name="bookmarks")),
            ("note", models.CharField(max_length=200)),
        ],
    )
    state = ProjectState.from_apps(apps)
    bookmark.state_forwards("corpus", state)
    model = state.apps.get_model("corpus", "Bookmark")
    sql("RESET ROLE")
    sql("SET LOCAL ROLE glassbox_owner")
    with connection.schema_editor(atomic=False) as editor:
        editor.create_model(model)
        EnableIsolation("Bookmark").database_forwards("corpus", editor, state, state)
    return model


def plant(world: RemovalWorld, document: str) -> None:
    sql(
        "INSERT INTO corpus_bookmark (id, tenant_id, scope_id, document_id, note) "
        "SELECT gen_random_uuid(), tenant_id, scope_id, id, 'Ask Bea' FROM corpus_document WHERE id = %s",
        world.documents[document],
    )


def left() -> int:
    sql("RESET ROLE")
    return int(sql("SELECT count(*) FROM corpus_bookmark")[0][0])


@pytest.mark.usefixtures("committed_ground")
def test_the_database_has_what_the_declarations_give() -> None:
    with changed():
        before = sql(_POLICIES), sql(_RIGHTS)
        give()
        assert (sql(_POLICIES), sql(_RIGHTS)) == before


@pytest.mark.usefixtures("committed_ground")
@pytest.mark.parametrize(
    "drift",
    [
        "GRANT UPDATE (title) ON corpus_document TO glassbox_eraser",
        "REVOKE DELETE ON corpus_page FROM glassbox_eraser",
        "REVOKE SELECT (document_id) ON corpus_page FROM glassbox_eraser",
        "DROP POLICY removal_of_targets ON corpus_page",
        "DROP POLICY removal_delete ON tenants_membership",
        "ALTER POLICY emptying_of_targets ON tenants_scope USING (true)",
        "ALTER POLICY emptying_of_targets ON tenants_scope WITH CHECK (true)",
        "DROP POLICY end_of_tenant ON intents_policyversion",
    ],
)
def test_what_differs_from_the_declarations_is_found_and_put_right(drift: str) -> None:
    with changed():
        before = sql(_POLICIES), sql(_RIGHTS)
        sql("RESET ROLE")
        sql(drift)
        assert (sql(_POLICIES), sql(_RIGHTS)) != before
        give()
        assert (sql(_POLICIES), sql(_RIGHTS)) == before


@pytest.mark.usefixtures("committed_ground")
def test_a_table_that_no_store_clears_any_more_is_closed_again() -> None:
    with changed():
        rights = [each for each in declared_rights() if each.table != "corpus_page"]
        sql("RESET ROLE")
        give_rights(connection.connection, rights)
        assert sql("SELECT has_table_privilege('glassbox_eraser', 'corpus_page', 'DELETE')") == [(False,)]


def test_a_new_table_needs_its_isolation_and_its_declaration_alone(
    world: RemovalWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(BOOKMARKS.stores[0], "corpus_bookmark")
    target = Target(type=TargetType.DOCUMENT, id=world.documents["alpha"])

    def clear(store: Store) -> tuple[int, int]:
        sql("SET LOCAL ROLE glassbox_eraser")
        with open_scope(tenant=world.acme.id, reason="a test"):
            return store.count([target]), store.clear([target], limit=10)

    monkeypatch.setitem(registry._stores, store.key, store)
    entries = [
        classified_as(f"corpus_bookmark.{field}", fields)
        for fields in BOOKMARKS.fields
        for field in _columns(fields.names)
    ]
    with changed():
        model = make_bookmarks()
        sql("RESET ROLE")
        assert {each.name for each in _unclassified()} == {store.key, *(entry.name for entry in entries)}
        assert _unclassified(*entries) == []
        for document in ("alpha", "beta"):
            plant(world, document)
        # Before `migrate` has read the declaration, the eraser has no right at all.
        sql("SET LOCAL ROLE glassbox_eraser")
        assert "permission denied" in outcome(lambda: sql("DELETE FROM corpus_bookmark"))
        sql("RESET ROLE")
        give((model, BOOKMARKS))
        assert sql(_OF_TABLE, "corpus_bookmark", "corpus_bookmark") == [
            (["SELECT document_id", "SELECT id", "SELECT scope_id", "SELECT tenant_id"], True)
        ]
        # Without a run it finds the row and removes nothing; nor does it read what somebody wrote.
        assert clear(store) == (1, 0)
        with open_scope(tenant=world.acme.id, reason="a test"):
            assert "permission denied" in outcome(lambda: sql("SELECT note FROM corpus_bookmark"))
        assert left() == 2
        for statement in under_way(world.acme, target):
            sql(statement)
        # Of what the run names it removes the row, however it asks; the other document's stays.
        sql("SET LOCAL ROLE glassbox_eraser")
        with open_scope(tenant=world.acme.id, reason="a test"):
            assert sql("DELETE FROM corpus_bookmark RETURNING document_id") == [(target.id,)]
        assert left() == 1
        plant(world, "alpha")
        assert clear(store) == (1, 1)
        assert clear(store) == (0, 0)
        assert left() == 1


def test_an_answer_that_names_an_erased_scope_goes_although_it_lies_in_the_scope_above(world: RemovalWorld) -> None:
    scopes = {name: world.acme.scopes[f"fund:{name}"].id for name in ("alpha", "beta")}

    def gone(named: str) -> int:
        target = Target(type=TargetType.SCOPE, id=scopes[named])
        with changed(
            f"UPDATE tenants_idempotentrequest SET subject_id = '{scopes['beta']}', scope_ids = '{{}}', "
            f"principal_kind = 'api_key' WHERE tenant_id = '{world.acme.id}'",
            *under_way(world.acme, target),
        ):
            sql("SET LOCAL ROLE glassbox_eraser")
            with open_scope(tenant=world.acme.id, reason="a test"):
                return len(sql("DELETE FROM tenants_idempotentrequest RETURNING id"))

    assert gone("beta")
    assert not gone("alpha")


def _columns(names: str) -> list[str]:
    return [f"{name}_id" if name in ("tenant", "scope", "document") else name for name in names.split()]


def _unclassified(*entries: Classified) -> list[Any]:
    known = [*classified(), *entries]
    return [
        each for each in findings(everything(), known=known) if "bookmark" in each.name and "store" not in each.name
    ]


def test_a_run_that_names_ids_in_another_form_is_covered_too() -> None:
    """What a store is given becomes what a run names: as ids, as texts, in arrays, and scopes with those below."""
    rights = {each.table: each for each in declared_rights()}
    for each in rights.values():
        for clause in (each.deletes, each.empties, each.leaves):
            assert "%(" not in clause
            assert " t." not in clause
    assert "SELECT audit_removal_targets('document')::text" in rights["retrieval_policyimpact"].deletes
    assert "WITH RECURSIVE" not in rights["tenants_scope"].empties


def test_two_stores_that_empty_one_table_are_refused() -> None:
    class Model:
        _meta = SimpleNamespace(db_table="corpus_page", local_concrete_fields=())

    def store(key: str) -> RowStore:
        found_by = {TargetType.TENANT: "t.tenant_id = ANY (%(tenant)s::uuid[])"}
        return RowStore(key=key, label=key, phase=Phase.CACHES, found_by=found_by, emptied={"text": "''"})

    with pytest.raises(ValueError, match="two stores empty"):
        declared_rights([(Model, PersonalData(stores=(store("a"), store("b"))))])  # type: ignore[list-item]


@pytest.mark.usefixtures("committed_ground")
def test_what_an_operation_gives_is_taken_back() -> None:
    operation = EmptyOnlyTargets(
        "ApiKey", reads=("prefix",), updates=("name",), empties="id IS NULL", leaves="name = ''"
    )
    state = SimpleNamespace(apps=apps)
    with changed():
        sql("RESET ROLE")
        before = sql(_POLICIES), sql(_RIGHTS)
        with connection.schema_editor(atomic=False) as editor:
            operation.database_forwards("tenants", editor, state, state)
            assert sql("SELECT has_column_privilege('glassbox_eraser', 'tenants_apikey', 'name', 'UPDATE')") == [
                (True,)
            ]
            assert (sql(_POLICIES), sql(_RIGHTS)) != before
            operation.database_backwards("tenants", editor, state, state)
        assert (sql(_POLICIES), sql(_RIGHTS)) == before
