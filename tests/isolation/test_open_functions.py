"""What PostgreSQL lets everybody call: each function is shut (rights.CLOSED_FUNCTIONS) or was looked at and listed.

A function that a new release brings is in neither, and is named here: close it, or list it in open_functions.txt.
Looked at: all that are not immutable, without the machinery of types, operators and triggers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.isolation.harness import changed, held, sql

pytestmark = pytest.mark.usefixtures("committed_ground")

_LIST = Path(__file__).with_name("open_functions.txt")
_CALLABLE = """
    SELECT DISTINCT p.proname::text FROM pg_proc p
     WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.provolatile <> 'i' AND p.prokind IN ('f', 'p')
       AND has_function_privilege('glassbox_api', p.oid, 'EXECUTE')
       AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND NOT 'cstring'::regtype = ANY (p.proargtypes::oid[])
       AND p.prorettype <> ALL ('{trigger,event_trigger,cstring,internal,fdw_handler,index_am_handler,table_am_handler,
                                  language_handler,tsm_handler}'::regtype[])
       AND NOT EXISTS (SELECT FROM pg_operator o WHERE o.oprcode = p.oid)
       AND NOT EXISTS (SELECT FROM pg_type t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend))
     ORDER BY 1
"""


def callable_now() -> set[str]:
    return {name for (name,) in sql(_CALLABLE)}


def test_every_open_function_was_looked_at() -> None:
    assert callable_now() - set(_LIST.read_text(encoding="utf-8").split()) == set()


def test_the_list_names_nothing_that_is_shut_or_gone() -> None:
    assert set(_LIST.read_text(encoding="utf-8").split()) - callable_now() == set()


@pytest.mark.parametrize(
    ("call", "function"),
    [
        ("pg_current_wal_insert_lsn()", "pg_current_wal_insert_lsn()"),
        ("pg_current_snapshot()", "pg_current_snapshot()"),
        ("txid_current_snapshot()", "txid_current_snapshot()"),
        ("age('3'::xid)", "age(xid)"),
        ("checkpoint_lsn FROM pg_control_checkpoint()", "pg_control_checkpoint()"),
        ("pg_relation_filepath('corpus_chunk')", "pg_relation_filepath(regclass)"),
        ("pg_postmaster_start_time()", "pg_postmaster_start_time()"),
        ("currtid2('public.django_migrations', '(0,1)')", "currtid2(text, tid)"),
        ("pg_logical_emit_message(false, 'x', 'x')", "pg_logical_emit_message(boolean, text, text, boolean)"),
    ],
)
def test_what_tells_of_others_is_shut(call: str, function: str) -> None:
    brought = held(
        lambda: sql(f"SELECT 'it told', {call}"),
        loot="it told",
        without=lambda: changed(f"GRANT EXECUTE ON FUNCTION pg_catalog.{function} TO PUBLIC"),
    )
    assert "permission denied" in brought
