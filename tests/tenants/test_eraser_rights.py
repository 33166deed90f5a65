"""What EraserRights gives is taken back when its migration is undone, and nothing else with it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from apps.tenants.eraser_operations import EraserRights
from tests.isolation.harness import changed, sql

pytestmark = pytest.mark.django_db

_RIGHTS = """
    SELECT array_agg(privilege_type || ' ' || column_name ORDER BY privilege_type, column_name),
           has_table_privilege('glassbox_eraser', 'public.tenants_apikey', 'DELETE')
      FROM information_schema.column_privileges
     WHERE grantee = 'glassbox_eraser' AND table_name = 'tenants_apikey'
"""
_POLICIES = "SELECT polname::text FROM pg_policy WHERE polrelid = 'tenants_apikey'::regclass ORDER BY 1"


def test_what_it_gives_is_taken_back() -> None:
    operation = EraserRights("ApiKey", reads=("tenant_id", "id"), deletes=True, updates=("name",), policies=("delete",))
    state = SimpleNamespace(apps=apps)
    with changed("SELECT 1"):
        sql("RESET ROLE")
        sql("REVOKE ALL ON tenants_apikey FROM glassbox_eraser")
        sql("REVOKE SELECT (person_id, rotated_from_id) ON tenants_apikey FROM glassbox_eraser")
        sql("DROP POLICY removal_delete ON tenants_apikey")
        sql("DROP POLICY removal_delete_floor ON tenants_apikey")
        before = sql(_RIGHTS), sql(_POLICIES)
        with connection.schema_editor(atomic=False) as editor:
            operation.database_forwards("tenants", editor, state, state)
        assert sql(_RIGHTS) == [(["SELECT id", "SELECT tenant_id", "UPDATE name"], True)]
        assert {("removal_delete",), ("removal_delete_floor",)} <= set(sql(_POLICIES))
        with connection.schema_editor(atomic=False) as editor:
            operation.database_backwards("tenants", editor, state, state)
        assert (sql(_RIGHTS), sql(_POLICIES)) == before
        assert before[0] == [(None, False)]
