"""The classes of events of apps.audit and of apps.tenants below it, which can't register its own."""

from __future__ import annotations

from apps.audit.registry import REMOVAL_NAMED, REPEATS, RESTORES, THEMSELVES, EventClass, Group, made_with, register
from apps.tenants.principals import ACCEPTS, OWN_KEYS
from apps.tenants.roles import APPROVING, Permission

_SYSTEM: frozenset[str] = frozenset()


def _core(
    action: str, label: str, *fields: str, by: frozenset[str] = _SYSTEM, bound: tuple[str, ...] = ()
) -> EventClass:
    return EventClass(action=action, label=label, fields={Group.CORE: frozenset(fields)}, permissions=by, binding=bound)


def register_tenant_events() -> None:
    settings = ("residency_region", "residency_strict", "embedding_profile", "generation_profile")
    grant = ("scope_id", "membership_id", "api_key_id")
    key = ("name", "prefix", "role", "person_id")
    of_members = frozenset({Permission.MEMBER_MANAGE})
    of_approvers: frozenset[str] = APPROVING
    of_keys = frozenset({Permission.KEY_MANAGE, OWN_KEYS})
    of_scopes = frozenset({Permission.SCOPE_MANAGE})
    of_readers = frozenset({Permission.AUDIT_VIEW, Permission.PRIVACY_MANAGE})
    register(
        _core("tenants.tenant.created", "Tenant created", "slug", *settings),
        _core(
            "tenants.tenant.configured",
            "Tenant configured",
            "status",
            *settings,
            by=frozenset({Permission.TENANT_MANAGE}),
        ),
        _core("tenants.scope.created", "Scope created", "key", "parent_id", by=of_scopes),
        # These events hold neither the old nor the new name, since a name may be a person's. They hold which fields
        # changed, and why.
        *(
            EventClass(
                action=f"tenants.{what}.renamed",
                label=label,
                fields={Group.CORE: frozenset({"fields"}), Group.ACTOR: frozenset({"reason"})},
                permissions=permissions,
            )
            for what, label, permissions in (
                ("scope", "Scope renamed", of_scopes),
                ("api_key", "API key renamed", of_keys),
            )
        ),
        *(
            _core(f"tenants.invitation.{verb}", f"Invitation {words}", "role", "scope_ids", by=permissions)
            for verb, words, permissions in (
                ("created", "made", of_members),
                ("sent", "sent", frozenset()),
                ("withdrawn", "withdrawn", of_members),
            )
        ),
        _core(
            "tenants.invitation.accepted",
            "Invitation accepted",
            *("invitation_id", "user_id", "role", "awaits_confirmation"),
            by=frozenset({ACCEPTS}),
        ),
        _core("tenants.membership.granted", "Role given by the platform's operator", "user_id", "role", "by_operator"),
        _core(
            "tenants.membership.confirmed",
            "Role that approves confirmed by a second person",
            *("user_id", "role", "invited_by_id"),
            by=of_approvers,
        ),
        _core(
            "tenants.membership.revoked",
            "Membership revoked",
            *("user_id", "role", "scope_ids"),
            by=of_members | of_approvers,
        ),
        _core("tenants.grant.given", "Scope granted", *grant, by=of_members | of_keys | {ACCEPTS}),
        _core("tenants.grant.ended", "Grant ended", *grant, by=of_members | of_keys),
        _core("tenants.api_key.created", "API key created", *key, by=of_keys),
        _core("tenants.api_key.rotated", "API key rotated", *key, by=of_keys),
        _core("tenants.api_key.revoked", "API key revoked", *key, by=of_members | of_keys),
        _core("tenants.api_key.guessed", "API key refused for a while: wrong secrets", "failures", "seconds"),
        _core("tenants.session.login", "Signed in", "user_id", by=THEMSELVES),
        _core("tenants.session.login_failed", "Sign-in failed", "user_id", by=THEMSELVES),
        _core(
            "tenants.session.locked_out",
            "Sign-in refused for a while: too many failures",
            *("user_id", "limit", "failures", "seconds"),
            by=THEMSELVES,
        ),
        _core("tenants.session.logout", "Signed out", "user_id", by=THEMSELVES),
        _core("tenants.session.tenant_switched", "Tenant switched", "user_id", by=THEMSELVES),
        _core("tenants.user.configured", "Account changed", "user_id", "is_active", "password_reset"),
        *(
            _core(f"tenants.user.{verb}", label, "user_id", by=THEMSELVES)
            for verb, label in (
                ("password_asked", "Link for a new password sent"),
                ("password_set", "Password set by a mailed link"),
                ("mailbox_confirmed", "E-mail address confirmed"),
            )
        ),
        _core("tenants.factor.set_up", "Second factor set up", "user_id", by=THEMSELVES),
        _core("tenants.factor.used", "Second factor used", "user_id", "recovery_code", by=THEMSELVES),
        _core("tenants.factor.recovery_codes_made", "Recovery codes made", "user_id", by=THEMSELVES),
        # People remove their own second factor, or an approver does so as the second of two people who reset it.
        _core("tenants.factor.removed", "Second factor taken away", "user_id", by=THEMSELVES | of_approvers),
        _core(
            "tenants.factor.reset_asked",
            "Reset of a second factor asked for",
            *("user_id", "asked_by_id"),
            by=of_members,
        ),
        _core(
            "tenants.factor.reset_agreed",
            "Reset of a second factor agreed to",
            *("user_id", "asked_by_id"),
            by=of_approvers,
        ),
        _core(
            "audit.payload.erased",
            "Removal from the log authorised",
            "removals",
            "reason_code",
            bound=REMOVAL_NAMED,
        ),
        _core("audit.log.exported", "Log exported", "first", "size", "contents", by=frozenset({Permission.AUDIT_VIEW})),
        _core("audit.tombstone.written", "Tombstone of a removal written", "number", "kind", "run_id", "targets"),
        _core("audit.backup.made", "Backup made", "backup_id", "leaves", "byte_size"),
        _core(
            "audit.log.restored",
            "Database put back from a backup",
            *("backup_id", "leaves", "unsealed", "exported_size", "exported_root", "exported_origin"),
            bound=RESTORES,
        ),
        _core("audit.tombstones.repeated", "Items removed again after a restore", "store", "removed", bound=REPEATS),
        _core(
            "audit.tombstones.replayed",
            "Removals repeated after a restore",
            *("through", "targets", "removed", "kept", "stayed"),
            bound=RESTORES,
        ),
        _core(
            "audit.verification.requested",
            "Verification of the log asked for",
            "night",
            by=of_readers,
            bound=made_with("audit_verification", "requested_at"),
        ),
        _core(
            "audit.verification.finished",
            "Log verified",
            *("state", "leaves", "checkpoint_size", "finding_count", "totals", "error_code", "duration_ms"),
        ),
        _core("audit.data_keys.rewrapped", "Keys of the log wrapped anew", "kek_id", "rewrapped"),
    )
