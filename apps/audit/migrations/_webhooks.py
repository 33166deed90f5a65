"""What the database holds of webhooks, whoever writes. Part of migration 0039.

The wall is by all scopes of the endpoint: whoever lacks one sees neither it nor what was sent to it, and nobody makes
one in scopes that they do not hold. A delivery names its endpoint and its event each with its scopes, by foreign keys,
and a check holds the event's within the endpoint's: no row, the platform's own included, sends an event further.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.isolation_sql import POLICY_ROLES
from apps.tenants.operations import PREDICATES, Isolating, IsolationLevel

_ROLES = "glassbox_api, glassbox_worker"
_REMOVER = "glassbox_remover"
_CHANGED = {
    "audit_webhook": (
        "url, actions, sealed, data_key_id, previous_until, paused_at, pause_reason, cursor, failures, failing_since, "
        "delivered_at, given_up_at, next_attempt_at, lease_owner, lease_until"
    ),
    "audit_webhookdelivery": "state, attempts, earlier, next_attempt_at, ended_at",
    "audit_webhookattempt": "duration_ms, status, error",
}
_TOLD_TO_AUDITORS = (
    "id, tenant_id, actions, scope_ids, created_at, paused_at, pause_reason, cursor, failures, failing_since, "
    "delivered_at, given_up_at, next_attempt_at"
)
_MANAGES = "(SELECT authz.may('tenant.manage'))"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"
_WRITERS = {
    "audit_webhook": {"INSERT": _MANAGES, "UPDATE": _MANAGES, "DELETE": _MANAGES},
    "audit_webhookdelivery": {"INSERT": _MANAGES, "UPDATE": _MANAGES, "DELETE": _MANAGES},
    # What was sent is the platform's to say; it goes with its endpoint.
    "audit_webhookattempt": {"INSERT": _PLATFORM, "UPDATE": _PLATFORM, "DELETE": _MANAGES},
}
_KEYS = (
    (
        "audit_webhookdelivery_webhook_fk",
        "audit_webhookdelivery",
        "(tenant_id, webhook_id, scope_ids)",
        "audit_webhook (tenant_id, id, scope_ids)",
    ),
    (
        "audit_webhookdelivery_event_fk",
        "audit_webhookdelivery",
        "(tenant_id, event_id, event_scope_ids)",
        "audit_event (tenant_id, id, scope_ids)",
    ),
    (
        "audit_webhookattempt_delivery_fk",
        "audit_webhookattempt",
        "(tenant_id, delivery_id, scope_ids)",
        "audit_webhookdelivery (tenant_id, id, scope_ids)",
    ),
)


def _checks(table: str, command: str, clause: str) -> str:
    using = f" USING ({clause})" if command != "INSERT" else ""
    check = f" WITH CHECK ({clause})" if command != "DELETE" else ""
    # Asked before the one of isolation: PostgreSQL goes by their names.
    return (
        f"CREATE POLICY administers_{command.lower()} ON {table} AS RESTRICTIVE FOR {command} TO PUBLIC{using}{check}"
    )


def _end_of_tenant() -> list[str]:
    """As RemovedWithTenant, for tables that are read by scopes: within the scopes that are open, which are all then."""
    predicate = PREDICATES[IsolationLevel.SCOPES]
    return [
        statement
        for table in _CHANGED
        for statement in (
            f"CREATE POLICY end_of_tenant ON {table} AS PERMISSIVE FOR DELETE TO {_REMOVER} USING ({predicate})"
            if table == "audit_webhook"
            else f"CREATE POLICY end_of_tenant ON {table} AS PERMISSIVE FOR ALL TO {_REMOVER} "
            f"USING ({predicate}) WITH CHECK ({predicate})",
            f"GRANT SELECT (tenant_id, id), DELETE ON {table} TO {_REMOVER}",
            f"GRANT SELECT (tenant_id, id) ON {table} TO glassbox_eraser",
        )
    ]


def _no_end_of_tenant() -> list[str]:
    return [
        statement
        for table in _CHANGED
        for statement in (
            f"REVOKE SELECT (tenant_id, id) ON {table} FROM glassbox_eraser",  # noqa: S608 (constants)
            f"REVOKE SELECT (tenant_id, id), DELETE ON {table} FROM {_REMOVER}",  # noqa: S608 (constants)
            f"DROP POLICY end_of_tenant ON {table}",
        )
    ]


def _reads(more: str) -> list[str]:
    """Who reads endpoints has a policy of its own, since the clock asks for those of all tenants."""
    roles = ", ".join(filter(None, (*POLICY_ROLES, more)))
    return [f"ALTER POLICY isolation_read ON audit_webhook TO {roles}"]


class GuardWebhooks(Isolating):
    """Keys by scopes, rights by column, and who may write, for all three tables."""

    def describe(self) -> str:
        return "Guard webhooks"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        # A foreign key reads both of its tables, and FORCE would make the owner need a scope for that.
        tables = ("audit_event", *_CHANGED)
        for table in tables:
            schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        for name, table, columns, target in _KEYS:
            schema_editor.execute(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY {columns} REFERENCES {target}"
            )
        for table in tables:
            schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        for table, columns in _CHANGED.items():
            schema_editor.execute(f"GRANT UPDATE ({columns}), DELETE ON {table} TO {_ROLES}")
            for command, clause in _WRITERS[table].items():
                schema_editor.execute(_checks(table, command, clause))
        for statement in (*_end_of_tenant(), *_reads(_REMOVER)):
            schema_editor.execute(statement)
        # All but what may be as good as a password.
        schema_editor.execute("REVOKE SELECT ON audit_webhook FROM glassbox_auditor")
        schema_editor.execute(f"GRANT SELECT ({_TOLD_TO_AUDITORS}) ON audit_webhook TO glassbox_auditor")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        statement = f"REVOKE SELECT ({_TOLD_TO_AUDITORS}) ON audit_webhook FROM glassbox_auditor"  # noqa: S608 (constants)
        schema_editor.execute(statement)
        for statement in (*_reads(""), *_no_end_of_tenant()):
            schema_editor.execute(statement)
        for table, columns in _CHANGED.items():
            for command in _WRITERS[table]:
                schema_editor.execute(f"DROP POLICY administers_{command.lower()} ON {table}")
            schema_editor.execute(f"REVOKE UPDATE ({columns}), DELETE ON {table} FROM {_ROLES}")
        for name, table, _, _ in _KEYS:
            schema_editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
