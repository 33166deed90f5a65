"""The life of a policy version: who may take which step, in whose name, and from when it takes effect."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import apps.tenants.models.base
from apps.intents.migrations import _life
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_ISOLATED = EnableIsolation("ReviewComment", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST)
_TENANT = "tenant_id = (SELECT authz.tenant())"


class Migration(migrations.Migration):
    dependencies = [
        ("intents", "0001_initial"),
        ("tenants", "0003_wall"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ReviewComment",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("author_id", models.UUIDField()),
                ("author_label", models.CharField(max_length=255)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("created_at", "id"),
            },
        ),
        migrations.AddField(
            model_name="policyversion",
            name="decided_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="policyversion",
            name="decision_reason",
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.AddField(
            model_name="policyversion",
            name="effective_from",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="policyversion",
            name="revision",
            field=models.PositiveIntegerField(default=1, editable=False),
        ),
        migrations.AddField(
            model_name="policyversion",
            name="submitted_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="policyversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ("approved", "active", "superseded")), _negated=True),
                    ("effective_from__isnull", False),
                    ("origin", "baseline"),
                    _connector="OR",
                ),
                name="policy_version_approved_from_when",
            ),
        ),
        migrations.AddField(
            model_name="reviewcomment",
            name="tenant",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
            ),
        ),
        migrations.AddField(
            model_name="reviewcomment",
            name="version",
            field=apps.tenants.models.base.TenantForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="comments",
                to="intents.policyversion",
            ),
        ),
        _ISOLATED,
        # Nobody speaks in another's name.
        PoliciesByCommand(
            "ReviewComment",
            read=f"USING ({_TENANT})",
            insert=f"WITH CHECK ({_TENANT} AND authz.acts_as(author_id))",
            was=_ISOLATED,
        ),
        migrations.RunSQL(sql=_life.FORWARD, reverse_sql=_life.BACKWARD),
    ]
