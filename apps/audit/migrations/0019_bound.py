"""Taking access away, and emptying names, only of what an executing run names: a password alone removes nobody.

The directory's policies are here and not in its own app: what they ask is this one's.
"""

from django.db import migrations

from apps.audit.migrations import _bound
from apps.tenants.eraser_operations import ChangeOnlyTargets, named

_OF_TENANT = f"tenant_id {named('tenant')}"
# An account is emptied by whoever opened that person's identity: so all of their memberships are seen here.
_ACCOUNT = f"""
    id = (SELECT authz.identity(1))::uuid AND NOT is_superuser
    AND EXISTS (
        SELECT FROM tenants_membership m
         WHERE m.user_id = tenants_user.id AND m.tenant_id = (SELECT authz.tenant())
           AND (m.user_id {named("user")} OR m.tenant_id {named("tenant")}))
    AND NOT EXISTS (
        SELECT FROM tenants_membership m
         WHERE m.user_id = tenants_user.id AND m.tenant_id <> (SELECT authz.tenant()))
"""  # noqa: S608 (constants)
# No password begins so: nobody signs in to it.
_NOBODY = """
    username = 'erased-' || id AND first_name = '' AND last_name = '' AND email = '' AND password LIKE '!%'
    AND last_login IS NULL AND NOT is_active AND NOT is_staff
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0018_ends"), ("tenants", "0005_removal")]

    operations = [
        migrations.RunSQL(sql=_bound.FORWARD, reverse_sql=_bound.BACKWARD),
        ChangeOnlyTargets(
            "Grant",
            app_label="tenants",
            deletes=f"""
                {_OF_TENANT} OR scope_id {named("scope")}
                OR EXISTS (SELECT FROM tenants_membership m
                            WHERE m.tenant_id = tenants_grant.tenant_id AND m.id = tenants_grant.membership_id
                              AND m.user_id {named("user")})
                OR EXISTS (SELECT FROM tenants_apikey k
                            WHERE k.tenant_id = tenants_grant.tenant_id AND k.id = tenants_grant.api_key_id
                              AND k.person_id {named("user")})
            """,  # noqa: S608 (constants)
        ),
        ChangeOnlyTargets("ApiKey", app_label="tenants", deletes=f"{_OF_TENANT} OR person_id {named('user')}"),
        ChangeOnlyTargets("Membership", app_label="tenants", deletes=f"{_OF_TENANT} OR user_id {named('user')}"),
        ChangeOnlyTargets(
            "Scope",
            app_label="tenants",
            empties=f"{_OF_TENANT} OR id {named('scope')}",
            leaves="key = 'erased:' || id AND name = 'Erased scope'",
        ),
        ChangeOnlyTargets(
            "Tenant",
            app_label="tenants",
            empties=f"id {named('tenant')}",
            leaves="slug = 'erased-' || id AND name = 'Erased tenant' AND status = 'suspended'",
        ),
        ChangeOnlyTargets("User", app_label="tenants", empties=_ACCOUNT, leaves=_NOBODY),
    ]
