"""Marking a database as one that may be served, where nothing was put back: after its first migration."""

from __future__ import annotations

import logging

import psycopg

from apps.audit.log.tombstone_place import tombstone_place
from apps.erasure.tombstones.gate import identity_of
from apps.errors import ApplicationError

logger = logging.getLogger("glassbox.audit")

# By its size: an administrator who is no superuser does not see past the wall.
_STATE = """
    SELECT (SELECT system_identifier::text FROM pg_control_system()), d.oid::text,
           'public.audit_event'::regclass::oid::text, 'public.tenants_tenant'::regclass::oid::text,
           pg_relation_size('public.tenants_tenant') > 0
      FROM pg_database d WHERE d.datname = current_database()
"""


def open_where_nothing_is_erased(admin_url: str, database: str) -> None:
    """A hook of every migration (apps.tenants.provisioning.on_migrated).

    A database that never had a tenant may be served. Any other that the tombstones' place does not know was put
    back, and waits for its replay.
    """
    with psycopg.connect(admin_url, dbname=database) as connection:
        row = connection.execute(_STATE).fetchone()
    if row is None:
        return
    *names, has_tenants = row
    identity = identity_of(list(names))
    try:
        place = tombstone_place()
        if not has_tenants and not place.is_served(identity):
            place.serve(identity)
    except ApplicationError as error:
        # What is not marked is refused when it is to be served.
        logger.warning("the database could not be marked as one that may be served: %s", error)
