"""Which tombstones the database has. The eraser adds to them before it removes anything; nobody changes one."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes

_KEPT = """
    CREATE TRIGGER audit_tombstonemark_append_only BEFORE UPDATE OR DELETE ON audit_tombstonemark
        FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
    CREATE TRIGGER audit_tombstonemark_no_truncate BEFORE TRUNCATE ON audit_tombstonemark
        FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
    REVOKE INSERT ON audit_tombstonemark FROM glassbox_api;
    GRANT SELECT, INSERT ON audit_tombstonemark TO glassbox_eraser;
"""
_UNKEPT = """
    REVOKE ALL ON audit_tombstonemark FROM glassbox_eraser;
    DROP TRIGGER audit_tombstonemark_no_truncate ON audit_tombstonemark;
    DROP TRIGGER audit_tombstonemark_append_only ON audit_tombstonemark;
"""
# No role of a tenant holds this permission; the platform itself holds all.
_RESTORED = """
    CREATE POLICY restore_recorded ON audit_event AS RESTRICTIVE FOR INSERT TO PUBLIC
        WITH CHECK (action <> 'audit.log.restored' OR (SELECT authz.may('log.restore')))
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0011_requests")]

    operations = [
        migrations.CreateModel(
            name="TombstoneMark",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.BigIntegerField()),
                ("kind", models.CharField(max_length=16)),
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
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number", "kind"), name="tombstone_mark_once"),
                    models.CheckConstraint(condition=models.Q(("number__gte", 0)), name="tombstone_counts_from_zero"),
                ],
            },
        ),
        EnableIsolation(
            "TombstoneMark",
            by=IsolationLevel.TENANT,
            writes=Writes.APPEND,
            # Every process asks how far the database is: a number alone.
            identity_reads="(SELECT authz.identity(4)) = 'all'",
            version=LATEST,
        ),
        migrations.RunSQL(sql=_KEPT, reverse_sql=_UNKEPT),
        migrations.RunSQL(sql=_RESTORED, reverse_sql="DROP POLICY restore_recorded ON audit_event"),
    ]
