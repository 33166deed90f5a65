"""The events of this floor and of the one below, which can't register its own."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register


def _core(action: str, label: str, *fields: str) -> EventClass:
    return EventClass(action=action, label=label, fields={Group.CORE: frozenset(fields)})


def register_tenant_events() -> None:
    settings = ("residency_region", "residency_strict", "embedding_profile", "generation_profile")
    grant = ("scope_id", "membership_id", "api_key_id")
    key = ("name", "prefix", "role", "person_id")
    register(
        _core("tenants.tenant.created", "Tenant created", "slug", *settings),
        _core("tenants.tenant.configured", "Tenant configured", "status", *settings),
        _core("tenants.scope.created", "Scope created", "key", "parent_id"),
        _core("tenants.membership.granted", "Membership granted", "user_id", "role"),
        _core("tenants.membership.revoked", "Membership revoked", "user_id", "role", "scope_ids"),
        _core("tenants.grant.given", "Scope granted", *grant),
        _core("tenants.grant.ended", "Grant ended", *grant),
        _core("tenants.api_key.created", "API key created", *key),
        _core("tenants.api_key.rotated", "API key rotated", *key),
        _core("tenants.api_key.revoked", "API key revoked", *key),
        _core("tenants.api_key.guessed", "API key refused for a while: wrong secrets", "failures", "seconds"),
        _core("tenants.session.login", "Signed in", "user_id"),
        _core("tenants.session.login_failed", "Sign-in failed", "user_id"),
        _core(
            "tenants.session.locked_out",
            "Sign-in refused for a while: too many failures",
            *("user_id", "limit", "failures", "seconds"),
        ),
        _core("tenants.session.logout", "Signed out", "user_id"),
        _core("tenants.session.tenant_switched", "Tenant switched", "user_id"),
        _core("tenants.user.configured", "Account changed", "user_id", "is_active", "password_reset"),
        _core("audit.payload.erased", "Removal from the log authorised", "removals", "reason_code"),
        _core("audit.log.exported", "Log exported", "first", "size", "contents"),
        _core("audit.tombstone.written", "Tombstone of a removal written", "number", "kind", "run_id", "targets"),
        _core("audit.backup.made", "Backup made", "backup_id", "leaves", "byte_size"),
        _core(
            "audit.log.restored",
            "Database put back from a backup",
            *("backup_id", "leaves", "unsealed", "exported_size", "exported_root", "exported_origin"),
        ),
        _core("audit.tombstones.repeated", "Items removed again after a restore", "store", "removed"),
        _core(
            "audit.tombstones.replayed",
            "Removals repeated after a restore",
            *("through", "targets", "removed", "kept", "stayed"),
        ),
        _core("audit.verification.requested", "Verification of the log asked for", "night"),
        _core(
            "audit.verification.finished",
            "Log verified",
            *("state", "leaves", "checkpoint_size", "finding_count", "totals", "error_code", "duration_ms"),
        ),
        _core("audit.data_keys.rewrapped", "Keys of the log wrapped anew", "kek_id", "rewrapped"),
    )
