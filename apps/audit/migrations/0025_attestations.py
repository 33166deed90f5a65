"""What witnesses and time-stamping services say of checkpoints: kept like these, and the worker's alone to bring."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes
from apps.tenants.stamping import Stamp

_KEPT = """
    CREATE TRIGGER audit_attestation_append_only BEFORE UPDATE OR DELETE ON audit_attestation
        FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
    CREATE TRIGGER audit_attestation_no_truncate BEFORE TRUNCATE ON audit_attestation
        FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
    REVOKE INSERT ON audit_attestation FROM glassbox_api;
"""
_UNKEPT = """
    DROP TRIGGER audit_attestation_no_truncate ON audit_attestation;
    DROP TRIGGER audit_attestation_append_only ON audit_attestation;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0024_covered")]

    operations = [
        migrations.CreateModel(
            name="Attestation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("size", models.BigIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("cosignature", "Cosignature of a witness"), ("timestamp", "Time stamp (RFC 3161)")],
                        max_length=16,
                    ),
                ),
                ("by", models.CharField(max_length=400)),
                ("content", models.TextField()),
                ("told_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
                "ordering": ("-size", "kind", "by"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "size", "kind", "by"), name="attestation_once_each")
                ],
            },
        ),
        EnableIsolation("Attestation", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.RunSQL(sql=_KEPT, reverse_sql=_UNKEPT),
        Stamp("Attestation", created_at="made"),
    ]
