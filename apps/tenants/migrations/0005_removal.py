"""What glassbox_eraser may do to the directory: take access away, and empty the rows that must stay."""

from django.db import migrations

from apps.tenants.eraser_operations import EraserRights


class Migration(migrations.Migration):
    dependencies = [("tenants", "0004_personal_keys")]

    operations = [
        EraserRights(
            "IdempotentRequest",
            reads=("tenant_id", "id", "principal_kind", "principal_id", "scope_ids", "subject_id"),
            deletes=True,
        ),
        EraserRights(
            "Grant",
            reads=("tenant_id", "id", "scope_id", "membership_id", "api_key_id"),
            deletes=True,
            policies=("delete",),
        ),
        EraserRights(
            "ApiKey", reads=("tenant_id", "id", "person_id", "rotated_from_id"), deletes=True, policies=("delete",)
        ),
        EraserRights("Membership", reads=("tenant_id", "id", "user_id"), deletes=True, policies=("delete",)),
        EraserRights("Scope", reads=("tenant_id", "id", "key", "parent_id"), updates=("key", "name")),
        EraserRights("Tenant", reads=("id", "slug"), updates=("slug", "name", "status")),
        EraserRights(
            "User",
            reads=("id", "username", "is_superuser"),
            updates=(
                "username",
                "first_name",
                "last_name",
                "email",
                "password",
                "last_login",
                "is_active",
                "is_staff",
            ),
        ),
    ]
