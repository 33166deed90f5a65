"""Migrations: every file of SQL is run by one, and all of them can be taken back and made again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.commands.migrate import Command
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from apps.tenants import provision
from apps.tenants.operations import RunSqlFile, undone
from tests.benchmarks.wall_databases import Databases, superuser
from tests.conftest import _migrate

_APPS: Final = Path(__file__).parents[2] / "apps"
_PROVISIONED: Final = {
    value for value in vars(provision).values() if isinstance(value, Path) and value.suffix == ".sql"
}
# What stands in the schema, as text: whose it is, who may do what, and what the database holds.
_STANDS: Final = """
    SELECT concat_ws(' ', proowner::regrole, pg_get_functiondef(oid)) FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'
    UNION ALL
    SELECT concat_ws(' ', oid::regprocedure, grantee::regrole, privilege_type)
      FROM pg_proc, aclexplode(proacl) WHERE pronamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', relname, relkind, relrowsecurity, relforcerowsecurity, reloptions::text) FROM pg_class
     WHERE relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', relname, grantee::regrole, privilege_type)
      FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT concat_ws(' ', attrelid::regclass, attname, attnum, format_type(atttypid, atttypmod), attnotnull, attstorage,
                     pg_get_expr(adbin, adrelid))
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attnum > 0 AND NOT attisdropped
       AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
    UNION ALL
    SELECT concat_ws(' ', attrelid::regclass, attname, grantee::regrole, privilege_type)
      FROM pg_attribute, aclexplode(attacl)
     WHERE attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
    UNION ALL
    SELECT p::text FROM pg_policies p
    UNION ALL
    SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
    UNION ALL
    SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
"""
# What Django's own apps made stays.
_LEFT: Final = """
    SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND relname !~ '^(auth|django)_'
    UNION ALL
    SELECT proname::text FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""
# What a database keeps that ran 0007 and 0012 of intents as earlier releases had them.
_EARLIER: Final = """
    SET ROLE glassbox_owner;
    CREATE FUNCTION intents_kind_held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    CREATE FUNCTION intents_right_held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    CREATE FUNCTION intents_version_in_force(of_tenant uuid) RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid';
    CREATE TRIGGER intents_kind_held_insert BEFORE INSERT ON corpus_document
        FOR EACH ROW EXECUTE FUNCTION intents_kind_held();
    CREATE TRIGGER intents_kind_held_update BEFORE UPDATE ON corpus_document
        FOR EACH ROW EXECUTE FUNCTION intents_kind_held();
    CREATE TRIGGER intents_right_held_insert BEFORE INSERT ON corpus_document
        FOR EACH ROW EXECUTE FUNCTION intents_right_held();
    CREATE TRIGGER intents_right_held_update BEFORE UPDATE ON corpus_document
        FOR EACH ROW EXECUTE FUNCTION intents_right_held();
    CREATE OR REPLACE FUNCTION intents_removal_held() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM public.intents_version_in_force(NULL); RETURN NULL; END $$;
    CREATE OR REPLACE FUNCTION intents_correction_held() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RETURN NEW; END $$;
"""


def test_every_file_of_sql_is_run_by_one_migration() -> None:
    run = [
        Path(apps.get_app_config(app).path, "sql", operation.name)
        for (app, _), migration in MigrationLoader(None).disk_migrations.items()
        for operation in migration.operations
        if isinstance(operation, RunSqlFile)
    ]
    assert len(run) == len(set(run))
    assert set(run) | _PROVISIONED == set(_APPS.glob("*/sql/*.sql"))
    assert not set(run) & _PROVISIONED


def test_what_a_file_made_is_dropped_and_what_it_gave_is_taken_back_the_last_first() -> None:
    text = """
        -- CREATE TABLE commented (id int);
        CREATE TABLE kept (id int);
        CREATE FUNCTION stays(what text) RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            CREATE TABLE inside (id int); -- of the body
        END
        $$;
        GRANT EXECUTE ON FUNCTION stays(text) TO glassbox_api;
        CREATE TRIGGER stays BEFORE UPDATE OF id ON kept
            FOR EACH ROW EXECUTE FUNCTION stays();
        CREATE POLICY seen ON kept FOR SELECT TO glassbox_api USING (true);
        GRANT SELECT (id),
            DELETE ON kept TO glassbox_api, glassbox_worker;
        ALTER TABLE kept ALTER COLUMN id SET STORAGE PLAIN;
    """
    assert undone(text) == [
        "REVOKE SELECT (id), DELETE ON kept FROM glassbox_api, glassbox_worker",
        "DROP POLICY IF EXISTS seen ON kept",
        "DROP TRIGGER IF EXISTS stays ON kept",
        "DROP FUNCTION stays CASCADE",
        "DROP TABLE kept CASCADE",
    ]


@contextmanager
def owned(database: str) -> Iterator[None]:
    """The owner's connection, at another database."""
    owner = connections["owner"]
    name = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = database
    try:
        yield
    finally:
        owner.close()
        owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = name


def ask(database: str, query: str) -> list[str]:
    with superuser(database) as connection:
        return sorted(text for (text,) in connection.execute(query).fetchall())


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_all_of_it_can_be_taken_back_and_made_again() -> None:
    with Databases() as databases:
        name = databases.copy("back")
        before = ask(name, _STANDS)
        with owned(name):
            # Without what `manage.py migrate` does besides: it asks for tables that are gone.
            call_command(Command(), "tenants", "zero", database="owner", verbosity=0, interactive=False)
        assert ask(name, _LEFT) == []
        _migrate(name)
        assert ask(name, _STANDS) == before


@pytest.mark.slow
@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_database_of_an_earlier_release_becomes_what_a_new_one_is() -> None:
    with Databases() as databases:
        name = databases.copy("earlier")
        new = ask(name, _STANDS)
        with owned(name):
            call_command(Command(), "intents", "0019", database="owner", verbosity=0, interactive=False)
        with superuser(name) as connection:
            connection.execute(_EARLIER)
        assert ask(name, _STANDS) != new
        _migrate(name)
        assert ask(name, _STANDS) == new
