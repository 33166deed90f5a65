import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import EnableIsolation, IsolationLevel, Writes


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="IdempotentRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("principal_kind", models.CharField(max_length=16)),
                ("principal_id", models.UUIDField()),
                ("key_digest", models.CharField(max_length=64)),
                ("request_digest", models.CharField(max_length=64)),
                (
                    "scope_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("subject_id", models.UUIDField(help_text="What was made, changed, removed, or recorded.")),
                ("replayable", models.BooleanField()),
                ("status_code", models.PositiveSmallIntegerField()),
                ("location", models.CharField(blank=True, max_length=200)),
                ("body", models.JSONField(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "expires_at"], name="idempotency_by_expiry"),
                    models.Index(fields=["tenant", "subject_id"], name="idempotency_by_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "principal_kind", "principal_id", "key_digest"), name="idempotency_key_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("replayable", True), ("body__isnull", True), _connector="OR"),
                        name="idempotency_body_if_replayable",
                    ),
                ],
            },
        ),
        EnableIsolation("IdempotentRequest", by=IsolationLevel.SCOPES, writes=Writes.ALL),
    ]
