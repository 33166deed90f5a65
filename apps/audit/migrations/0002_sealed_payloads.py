"""Payloads leave the event: commitments stay with it, the groups are sealed in a table of their own."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _sealing
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes


def _id():
    return models.UUIDField(
        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
    )


def _tenant():
    return models.ForeignKey(
        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenants.tenant"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0001_initial"),
        ("tenants", "0003_wall"),
    ]

    operations = [
        migrations.CreateModel(
            name="DataKey",
            fields=[
                ("id", _id()),
                ("epoch", models.CharField(max_length=16)),
                ("subject_id", models.UUIDField(null=True)),
                ("kek_id", models.CharField(max_length=32)),
                ("wrapped_key", models.BinaryField()),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("tenant", _tenant()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "epoch", "subject_id"), name="data_key_once", nulls_distinct=False
                    )
                ],
            },
        ),
        EnableIsolation("DataKey", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.RunSQL(
            # Wrapping a key anew is the one change there is, and the worker's alone; whoever serves requests has no
            # part in it. Destroying a key will be a function's, like the removal of payloads.
            sql="""
                GRANT UPDATE (kek_id, wrapped_key) ON audit_datakey TO glassbox_worker;
                CREATE FUNCTION audit_datakey_is_kept() RETURNS trigger LANGUAGE plpgsql
                SET search_path = pg_catalog, pg_temp AS $$
                BEGIN
                    IF TG_OP = 'UPDATE' THEN
                        IF (NEW.tenant_id, NEW.id, NEW.epoch, NEW.subject_id, NEW.created_at) IS NOT DISTINCT FROM
                           (OLD.tenant_id, OLD.id, OLD.epoch, OLD.subject_id, OLD.created_at) THEN
                            RETURN NEW;
                        END IF;
                    END IF;
                    RAISE EXCEPTION 'data keys of the log are kept: % is refused', TG_OP
                        USING ERRCODE = 'insufficient_privilege';
                END
                $$;
                CREATE TRIGGER audit_datakey_kept BEFORE UPDATE OR DELETE ON audit_datakey
                    FOR EACH ROW EXECUTE FUNCTION audit_datakey_is_kept();
                CREATE TRIGGER audit_datakey_no_truncate BEFORE TRUNCATE ON audit_datakey
                    FOR EACH STATEMENT EXECUTE FUNCTION audit_datakey_is_kept();
            """,
            reverse_sql="""
                DROP TRIGGER audit_datakey_no_truncate ON audit_datakey;
                DROP TRIGGER audit_datakey_kept ON audit_datakey;
                DROP FUNCTION audit_datakey_is_kept();
                REVOKE UPDATE (kek_id, wrapped_key) ON audit_datakey FROM glassbox_worker;
            """,
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(fields=("tenant", "id", "scope_ids"), name="event_in_its_scopes"),
        ),
        migrations.CreateModel(
            name="Payload",
            fields=[
                ("id", _id()),
                ("event_id", models.UUIDField()),
                (
                    "scope_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None),
                ),
                ("group", models.CharField(db_column="field_group", max_length=16)),
                ("ciphertext", models.BinaryField()),
                (
                    "terms",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200), default=list, size=None
                    ),
                ),
                (
                    "data_key",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.datakey",
                    ),
                ),
                ("tenant", _tenant()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "event_id", "group"), name="payload_group_once")
                ],
            },
        ),
        EnableIsolation("Payload", by=IsolationLevel.SCOPES, writes=Writes.APPEND, version=LATEST),
        migrations.RunSQL(
            # What is random can't be compressed; trying would cost time on every write.
            sql="""
                ALTER TABLE audit_payload ALTER COLUMN ciphertext SET STORAGE EXTERNAL;
                CREATE TRIGGER audit_payload_append_only BEFORE UPDATE OR DELETE ON audit_payload
                    FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only();
                CREATE TRIGGER audit_payload_no_truncate BEFORE TRUNCATE ON audit_payload
                    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_append_only();
            """,
            reverse_sql="""
                DROP TRIGGER audit_payload_no_truncate ON audit_payload;
                DROP TRIGGER audit_payload_append_only ON audit_payload;
            """,
        ),
        migrations.AddField(
            model_name="event", name="commitments", field=models.JSONField(default=dict), preserve_default=False
        ),
        migrations.RunPython(_sealing.lower_wall, _sealing.raise_wall),
        migrations.RunPython(_sealing.seal_all, migrations.RunPython.noop),
        migrations.RemoveField(model_name="event", name="payload"),
        migrations.RunPython(_sealing.forget_plain, _sealing.refuse_if_sealed),
        migrations.RunPython(_sealing.raise_wall, _sealing.unforced),
    ]
