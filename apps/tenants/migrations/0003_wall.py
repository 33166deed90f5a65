"""What was left open: accounts and sessions, and the rights from which tokens are made."""

from django.db import migrations, models

import apps.tenants.models.user
from apps.tenants.operations import (
    EnableIsolation,
    IsolationLevel,
    PoliciesByCommand,
    Writes,
)

_TENANT = "tenant_id = (SELECT authz.tenant())"
_TENANT_IF_OPEN = "tenant_id = (SELECT authz.tenant_if_open())"
_SCOPES = "(SELECT authz.scopes())::uuid[]"
# A name in a token is in hex. An invitation compares without regard to capitals.
_NAMED = "upper(username) = upper(convert_from(decode((SELECT authz.identity(5)), 'hex'), 'UTF8'))"
_SELF = "id = (SELECT authz.identity(1))::uuid OR (SELECT authz.identity(7)) = 'all'"
_OPEN = "(SELECT authz.is_open())"
_SESSION = "key_sha256 = (SELECT authz.identity(6))"
_ENDED = "((SELECT authz.identity(8)) = 'all' AND expires_at <= now())"


def _may(permission: str) -> str:
    return f"(SELECT authz.may('{permission}'))"


_GRANT_HOLDER = f"(membership_id IS NULL OR {_may('member.manage')}) AND (api_key_id IS NULL OR {_may('key.manage')})"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_idempotentrequest")]

    operations = [
        migrations.CreateModel(
            name="Session",
            fields=[
                ("key_sha256", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("content", models.TextField(help_text="Signed by the application.")),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.AlterModelManagers(name="user", managers=[("objects", apps.tenants.models.user.UserManager())]),
        PoliciesByCommand(
            "Session",
            read=f"USING ({_OPEN} AND ({_SESSION} OR {_ENDED}))",
            insert=f"WITH CHECK ({_SESSION})",
            update=f"USING ({_SESSION}) WITH CHECK ({_SESSION})",
            delete=f"USING ({_SESSION} OR {_ENDED})",
            updatable=("content", "expires_at"),
        ),
        PoliciesByCommand(
            "User",
            read=(
                f"USING ({_OPEN} AND ({_SELF} OR {_NAMED} OR EXISTS (SELECT FROM tenants_membership m WHERE m.user_id = "
                "tenants_user.id AND m.tenant_id = (SELECT authz.tenant_if_open()))))"
            ),
            insert=f"WITH CHECK ({_NAMED})",
            update=f"USING ({_SELF}) WITH CHECK ({_SELF})",
            # is_superuser, is_staff and username are set when an account is made, and never again by what serves.
            updatable=("password", "last_login", "first_name", "last_name", "email", "is_active"),
        ),
        PoliciesByCommand(
            "Tenant",
            read=(
                "USING (id = (SELECT authz.tenant_if_open()) OR id = (SELECT authz.identity(3))::uuid "
                "OR (SELECT authz.identity(4)) = 'all' OR EXISTS (SELECT FROM tenants_membership m "
                "WHERE m.tenant_id = tenants_tenant.id AND m.user_id = (SELECT authz.identity(1))::uuid))"
            ),
            insert=f"WITH CHECK (id = (SELECT authz.tenant()) AND {_may('tenant.manage')})",
            update=(
                f"USING (id = (SELECT authz.tenant()) AND {_may('tenant.manage')}) "
                f"WITH CHECK (id = (SELECT authz.tenant()) AND {_may('tenant.manage')})"
            ),
            # Not its short name: that is unique on the platform, and trying one would tell whether it is taken.
            updatable=(
                "name",
                "residency_region",
                "residency_strict",
                "embedding_profile",
                "generation_profile",
                "status",
            ),
            was=EnableIsolation(
                "Tenant",
                by=IsolationLevel.TENANT_ROW,
                writes=Writes.KEEP,
                identity_reads=(
                    "id = (SELECT authz.identity(3))::uuid OR (SELECT authz.identity(4)) = 'all' OR EXISTS ("
                    "SELECT 1 FROM tenants_membership m WHERE m.tenant_id = tenants_tenant.id "
                    "AND m.user_id = (SELECT authz.identity(1))::uuid)"
                ),
            ),
        ),
        PoliciesByCommand(
            "Scope",
            read=(
                f"USING (({_TENANT_IF_OPEN} AND id = ANY ((SELECT authz.scopes_if_open())::uuid[])) "
                "OR tenant_id = (SELECT authz.identity(3))::uuid)"
            ),
            insert=(
                f"WITH CHECK ({_TENANT} AND id = ANY ({_SCOPES}) AND (parent_id IS NULL OR parent_id = ANY ({_SCOPES})) "
                f"AND {_may('scope.manage')})"
            ),
            update=(
                f"USING ({_TENANT} AND id = ANY ({_SCOPES}) AND {_may('scope.manage')}) "
                f"WITH CHECK ({_TENANT} AND id = ANY ({_SCOPES}) AND {_may('scope.manage')})"
            ),
            # Grants hang on a scope's key and place: neither changes.
            updatable=("name",),
            was=EnableIsolation(
                "Scope",
                by=IsolationLevel.SCOPE_ROW,
                writes=Writes.KEEP,
                identity_reads="tenant_id = (SELECT authz.identity(3))::uuid",
            ),
        ),
        PoliciesByCommand(
            "Membership",
            read=f"USING ({_TENANT_IF_OPEN} OR user_id = (SELECT authz.identity(1))::uuid)",
            insert=f"WITH CHECK ({_TENANT} AND {_may('member.manage')})",
            # What has ended stays as it was: it is what "who could reach what, when" is answered from.
            update=(
                f"USING ({_TENANT} AND revoked_at IS NULL AND {_may('member.manage')}) "
                f"WITH CHECK ({_TENANT} AND {_may('member.manage')})"
            ),
            updatable=("revoked_at",),
            was=EnableIsolation(
                "Membership",
                by=IsolationLevel.TENANT,
                writes=Writes.KEEP,
                identity_reads="user_id = (SELECT authz.identity(1))::uuid",
            ),
        ),
        PoliciesByCommand(
            "ApiKey",
            read=f"USING ({_TENANT_IF_OPEN} OR prefix = (SELECT authz.identity(2)))",
            insert=f"WITH CHECK ({_TENANT} AND {_may('key.manage')})",
            update=(
                f"USING ({_TENANT} AND revoked_at IS NULL AND {_may('key.manage')}) "
                f"WITH CHECK ({_TENANT} AND {_may('key.manage')})"
            ),
            updatable=("expires_at", "revoked_at", "last_used_at"),
            was=EnableIsolation(
                "ApiKey",
                by=IsolationLevel.TENANT,
                writes=Writes.KEEP,
                identity_reads="prefix = (SELECT authz.identity(2))",
            ),
        ),
        PoliciesByCommand(
            "Grant",
            read=f"USING ({_TENANT_IF_OPEN} OR tenant_id = (SELECT authz.identity(3))::uuid)",
            # Nobody gives what they do not hold, nor to themselves without the right to give.
            insert=f"WITH CHECK ({_TENANT} AND scope_id = ANY ({_SCOPES}) AND {_GRANT_HOLDER})",
            update=(
                f"USING ({_TENANT} AND valid_to IS NULL AND {_GRANT_HOLDER}) "
                f"WITH CHECK ({_TENANT} AND valid_to IS NOT NULL AND {_GRANT_HOLDER})"
            ),
            updatable=("valid_to",),
            was=EnableIsolation(
                "Grant",
                by=IsolationLevel.TENANT,
                writes=Writes.KEEP,
                identity_reads="tenant_id = (SELECT authz.identity(3))::uuid",
            ),
        ),
    ]
