"""Mark a database as one that may be served after its first migration, if it was not restored."""

from __future__ import annotations

import logging

import psycopg

from apps.audit.log.tombstone_place import tombstone_place
from apps.erasure.tombstones.gate import identity_of
from apps.errors import ApplicationError

logger = logging.getLogger("glassbox.audit")

# The size of the table tells: row-level security hides its rows from an administrator who is no superuser.
_STATE = """
    SELECT (SELECT system_identifier::text FROM pg_control_system()), d.oid::text,
           'public.audit_event'::regclass::oid::text, 'public.tenants_tenant'::regclass::oid::text,
           pg_relation_size('public.tenants_tenant') > 0
      FROM pg_database d WHERE d.datname = current_database()
"""


def open_where_nothing_is_erased(admin_url: str, database: str) -> None:
    """Mark the database as servable if it never had a tenant.

    This is a hook of every migration (apps.tenants.registry.register_on_migrated). Any other database that the place of
    tombstones does not know was restored, and waits for its replay.
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
        # A database that is not marked is refused when it is to be served.
        logger.warning("the database could not be marked as one that may be served: %s", error)
