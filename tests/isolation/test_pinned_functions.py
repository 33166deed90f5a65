"""Every function of the platform looks names up where it says, whatever path and temporary objects its caller has.

Generated from the catalogue: a function that a migration adds is asked the same. What a trigger or a policy calls runs
with its caller's path unless it is pinned, and pg_temp is looked through first unless it is named last.
"""

from __future__ import annotations

import pytest

from apps.tenants.catalogue.roles import SECURITY_DEFINERS
from tests.isolation.harness import changed, outcome, sql

pytestmark = pytest.mark.usefixtures("committed_ground")

_OURS = """
    SELECT n.nspname || '.' || p.proname, p.prosecdef, pg_get_userbyid(p.proowner)::text,
           (SELECT substr(each, 13) FROM unnest(p.proconfig) each WHERE each LIKE 'search\\_path=%'),
           has_schema_privilege(p.proowner, 'public', 'CREATE')
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname IN ('public', 'authz')
       AND NOT EXISTS (SELECT FROM pg_depend d
                        WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
     ORDER BY 1
"""
# A definer's body names the schema of whatever is not PostgreSQL's own.
_DEFINERS = ("pg_catalog, pg_temp",)
_OTHERS = (*_DEFINERS, "pg_catalog, public, pg_temp")


def loose() -> list[str]:
    """The functions that look names up elsewhere, or run with the rights of another role than the one listed."""
    found = sql(_OURS)
    assert len(found) > 100, "a broken test: it sees no functions"
    return [
        name
        for name, is_definer, owner, path, may_create in found
        if path not in (_DEFINERS if is_definer else _OTHERS)
        or (is_definer and (SECURITY_DEFINERS.get(name) != owner or may_create))
    ]


def test_every_function_is_pinned_and_every_definer_is_its_roles() -> None:
    assert loose() == []


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER FUNCTION public.intents_in_force(uuid) RESET search_path",
        "ALTER FUNCTION public.intents_replaced_held() SET search_path = pg_temp, pg_catalog",
        "ALTER FUNCTION public.intents_replaced_held() SET search_path = pg_catalog, public, pg_temp",
        "ALTER FUNCTION public.intents_replaced_held() OWNER TO glassbox_owner",
        "CREATE FUNCTION public.peek() RETURNS int LANGUAGE sql SECURITY DEFINER "
        "SET search_path = pg_catalog, pg_temp AS 'SELECT 1'",
    ],
)
def test_one_that_is_not_is_found(statement: str) -> None:
    with changed(statement):
        assert len(loose()) == 1


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker", "glassbox_auditor", "glassbox_eraser"])
def test_no_role_makes_what_could_stand_before_a_name(role: str) -> None:
    for statement in (
        "CREATE TEMP TABLE corpus_document (id uuid)",
        "CREATE FUNCTION pg_temp.intents_in_force(uuid) RETURNS uuid LANGUAGE sql AS 'SELECT $1'",
        "CREATE FUNCTION public.may(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        "CREATE SCHEMA before_all",
    ):
        with changed(f"SET LOCAL ROLE {role}"):
            sql(f"SET LOCAL ROLE {role}")
            assert "permission denied" in outcome(lambda statement=statement: sql(statement)), statement
