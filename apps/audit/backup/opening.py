"""Marking a database as one that may be served, where nothing was put back: after its first migration."""

from __future__ import annotations

import logging

import psycopg

from apps.audit.backup.gate import identity_of
from apps.audit.tombstones.place import tombstone_place
from apps.errors import ApplicationError

logger = logging.getLogger("glassbox.audit")

# By their sizes: an administrator who is no superuser does not see past the wall.
_STATE = r"""
    SELECT (SELECT system_identifier::text FROM pg_control_system()), d.oid::text,
           'public.audit_event'::regclass::oid::text, 'public.tenants_tenant'::regclass::oid::text,
           pg_relation_size('public.tenants_tenant') > 0, pg_relation_size('public.audit_tombstonemark') > 0,
           -- The release that knows tombstones came this moment, and not with a backup.
           (SELECT max(m.applied) > now() - interval '10 minutes' FROM django_migrations m
             WHERE m.app = 'audit' AND m.name LIKE '%\_tombstones')
      FROM pg_database d WHERE d.datname = current_database()
"""


def open_where_nothing_is_erased(admin_url: str, database: str) -> None:
    """A hook of every migration (apps.tenants.provisioning.on_migrated).

    A database that never had a tenant may be served, and so may one that has just been brought to the release that
    knows tombstones, where none was written yet. Any other that the tombstones' place does not know was put back, and
    waits for its replay.
    """
    with psycopg.connect(admin_url, dbname=database) as connection:
        row = connection.execute(_STATE).fetchone()
    if row is None:
        return
    *names, has_tenants, has_tombstones, is_upgraded = row
    identity = identity_of(list(names))
    try:
        place = tombstone_place()
        if place.is_served(identity):
            return
        if not has_tenants or (is_upgraded and not has_tombstones and place.is_new()):
            place.serve(identity)
    except ApplicationError as error:
        # What is not marked is refused when it is to be served.
        logger.warning("the database could not be marked as one that may be served: %s", error)
