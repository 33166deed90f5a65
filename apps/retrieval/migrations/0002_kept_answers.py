"""What a person asked and was answered, kept for them alone for as long as the policy says."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand
from apps.tenants.stamping import Stamp

_SCOPES = "tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]"
_OWN = "asker_id = (SELECT authz.person())"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_initial")]

    operations = [
        migrations.CreateModel(
            "KeptAnswer",
            fields=[
                ("id", ID),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("document_ids", ArrayField(models.UUIDField(), default=list)),
                ("asker_id", models.UUIDField()),
                ("data_key_id", models.UUIDField()),
                ("sealed", models.BinaryField()),
                ("asked_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("expires_at", models.DateTimeField()),
                ("shared_at", models.DateTimeField(null=True)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-asked_at", "-id"),
                "indexes": [models.Index(fields=["tenant", "asker_id"], name="kept_answer_by_asker")],
            },
        ),
        EnableIsolation("KeptAnswer", by=IsolationLevel.SCOPES),
        # An answer is its asker's. Who holds its scopes reads it once it is shared; the platform removes it in time.
        PoliciesByCommand(
            "KeptAnswer",
            read=f"USING ({_SCOPES} AND ({_OWN} OR shared_at IS NOT NULL OR {_PLATFORM}))",
            insert=f"WITH CHECK ({_SCOPES} AND {_OWN} AND shared_at IS NULL)",
            update=f"USING ({_SCOPES} AND {_OWN}) WITH CHECK ({_SCOPES} AND {_OWN})",
            delete=f"USING ({_SCOPES} AND {_PLATFORM})",
            updatable=("shared_at",),
        ),
        Stamp("KeptAnswer", asked_at="made", shared_at="time"),
    ]
