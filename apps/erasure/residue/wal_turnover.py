"""Have the write-ahead log written over, until none of its pages is older than a moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg

from apps.erasure.residue.access import Access, ServerFiles, server_files
from apps.erasure.residue.wal import stale_pages

# A segment that is done with is not removed but renamed, to be written over later: until then it holds what it held.
# So each segment that lies there has to be gone through once. max_wal_size says how many there may be: 128 of 16 MB in
# the embedded server, and twice as many pass while that settles.
_SEGMENTS_AT_ONCE = 8
_ROUNDS = 64


def turn_over_wal(access: Access) -> str:
    """Switch segments and make checkpoints until every page was written after this call began.

    Returns: what stands in the way, or nothing. Without the server's files the same is done, by number, unseen.
    """
    files = server_files(access)
    with access.connect() as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
        if row is None:
            raise AssertionError("a function returns a row")
        start = int(row[0])
        for _ in range(_ROUNDS):
            # Each switch ends a segment and fills what is left of it with zeros.
            try:
                for _ in range(_SEGMENTS_AT_ONCE):
                    connection.execute("SELECT pg_logical_emit_message(false, 'glassbox', 'turnover')")
                    connection.execute("SELECT pg_switch_wal()")
                connection.execute("CHECKPOINT")
            except psycopg.errors.InsufficientPrivilege:
                return "this needs a superuser, or the right to call pg_switch_wal and membership in pg_checkpoint"
            if files is None:
                continue
            if _stale_segment(files, before=start) is None:
                return ""
        if files is None:
            return "the WAL files can't be read: they were overwritten, but not checked"
        kept = "; ".join(wal_kept_elsewhere(connection)) or "something keeps it"
        return f"{_stale_segment(files, before=start)} still holds what is older: {kept}"


def _stale_segment(files: ServerFiles, *, before: int) -> str | None:
    """One that has a page from before a log position, in use or waiting to be used again."""
    for path in files.walk("pg_wal"):
        segment = len(path.rpartition("/")[2]) == 24
        if segment and stale_pages(b"".join(files.read(path)), before=before):
            return path
    return None


def wal_kept_elsewhere(connection: psycopg.Connection[Any]) -> Iterator[str]:
    """Who else has, or keeps, what was in WAL."""
    row = connection.execute(
        "SELECT current_setting('archive_mode') <> 'off', current_setting('wal_keep_size') <> '0', "
        "(SELECT count(*) FROM pg_stat_replication), (SELECT count(*) FROM pg_replication_slots)"
    ).fetchone()
    archives, keeps, replicas, slots = row or (False, False, 0, 0)
    if archives:
        yield "archived WAL: remove it where it is kept, once no backup needs it"
    if keeps:
        yield "wal_keep_size keeps segments for replicas"
    if replicas:
        yield f"replicas ({replicas}): they follow automatically, and have their own disks"
    if slots:
        yield f"replication slots ({slots}) keep WAL until it is fetched"
