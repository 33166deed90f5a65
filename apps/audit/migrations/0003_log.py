"""The log: a queue of events that wait, leaves, subtrees and checkpoints. Events that are there already wait, too."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes

_KEPT = ("audit_leaf", "audit_subtree", "audit_checkpoint")


def _id():
    return models.UUIDField(
        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
    )


def _tenant(*, db_constraint=True):
    return models.ForeignKey(
        db_constraint=db_constraint,
        db_index=False,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to="tenants.tenant",
    )


def _all_wait(apps, schema_editor) -> None:
    """The owner sees all rows for the length of this step."""
    tables = ("audit_event", "audit_unsealed")
    for table in tables:
        schema_editor.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    schema_editor.execute("INSERT INTO audit_unsealed (tenant_id, event_id) SELECT tenant_id, id FROM audit_event")
    for table in tables:
        schema_editor.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def _guards():
    """Triggers and rights: rights alone would leave the owner able to rewrite the past."""
    made = """
        CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            RAISE EXCEPTION 'the log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'insufficient_privilege';
        END
        $$;
        CREATE FUNCTION audit_leaf_has_no_gap() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF EXISTS (
                SELECT FROM (SELECT tenant_id, min(index) AS first, max(index) AS last, count(*) AS number
                               FROM added GROUP BY tenant_id) a
                 WHERE a.last - a.first + 1 <> a.number
                    OR a.first > 0 AND NOT EXISTS (
                       SELECT FROM public.audit_leaf l WHERE l.tenant_id = a.tenant_id AND l.index = a.first - 1)
            ) THEN
                RAISE EXCEPTION 'the leaves of a log are numbered without a gap'
                    USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        END
        $$;
        CREATE FUNCTION audit_unsealed_has_its_leaf() RETURNS trigger LANGUAGE plpgsql
        SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
            IF EXISTS (
                SELECT FROM removed r WHERE NOT EXISTS (
                       SELECT FROM public.audit_leaf l WHERE l.tenant_id = r.tenant_id AND l.event_id = r.event_id)
            ) THEN
                RAISE EXCEPTION 'an event waits until it has a leaf' USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN NULL;
        END
        $$;
        CREATE TRIGGER audit_leaf_no_gap AFTER INSERT ON audit_leaf REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION audit_leaf_has_no_gap();
        CREATE TRIGGER audit_unsealed_sealed AFTER DELETE ON audit_unsealed REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION audit_unsealed_has_its_leaf();
        CREATE TRIGGER audit_unsealed_no_update BEFORE UPDATE ON audit_unsealed
            FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
        CREATE TRIGGER audit_unsealed_no_truncate BEFORE TRUNCATE ON audit_unsealed
            FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
        GRANT DELETE ON audit_unsealed TO glassbox_worker;
        -- Its rows come and go: vacuumed by their number, not by the share of a table that is empty most of the time.
        ALTER TABLE audit_unsealed SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
        ALTER TABLE audit_leaf ADD CONSTRAINT leaf_is_a_hash CHECK (octet_length(hash) = 32);
        ALTER TABLE audit_subtree ADD CONSTRAINT subtree_is_a_hash CHECK (octet_length(hash) = 32);
        ALTER TABLE audit_checkpoint ADD CONSTRAINT checkpoint_is_a_hash CHECK (octet_length(root) = 32);
    """
    undone = """
        REVOKE DELETE ON audit_unsealed FROM glassbox_worker;
        DROP TRIGGER audit_unsealed_no_truncate ON audit_unsealed;
        DROP TRIGGER audit_unsealed_no_update ON audit_unsealed;
        DROP TRIGGER audit_unsealed_sealed ON audit_unsealed;
        DROP TRIGGER audit_leaf_no_gap ON audit_leaf;
    """
    for table in _KEPT:
        made += f"""
            CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
                FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
            CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
            REVOKE INSERT ON {table} FROM glassbox_api;
        """
        undone += f"""
            DROP TRIGGER {table}_no_truncate ON {table};
            DROP TRIGGER {table}_append_only ON {table};
        """
    undone += """
        DROP FUNCTION audit_unsealed_has_its_leaf();
        DROP FUNCTION audit_leaf_has_no_gap();
        DROP FUNCTION audit_log_is_append_only();
    """
    return migrations.RunSQL(sql=made, reverse_sql=undone)


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_sealed_payloads")]

    operations = [
        migrations.CreateModel(
            name="Unsealed",
            fields=[
                ("event_id", models.UUIDField(primary_key=True, serialize=False)),
                ("tenant", _tenant(db_constraint=False)),
            ],
        ),
        EnableIsolation(
            "Unsealed",
            by=IsolationLevel.TENANT,
            writes=Writes.APPEND,
            # The sequencer asks which tenants have something to seal: ids alone.
            identity_reads="(SELECT authz.identity(4)) = 'all'",
            version=LATEST,
        ),
        migrations.CreateModel(
            name="Leaf",
            fields=[
                ("event_id", models.UUIDField(primary_key=True, serialize=False)),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField()),
                ("sealed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("tenant", _tenant(db_constraint=False)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "index"), name="leaf_in_its_place"),
                    models.CheckConstraint(condition=models.Q(("index__gte", 0)), name="leaf_counts_from_zero"),
                ],
            },
        ),
        EnableIsolation("Leaf", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.CreateModel(
            name="Subtree",
            fields=[
                ("id", _id()),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField()),
                ("tenant", _tenant()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "level", "index"), name="subtree_in_its_place"),
                    models.CheckConstraint(
                        condition=models.Q(("index__gte", 0), ("level__gte", 1)), name="subtree_is_above_the_leaves"
                    ),
                ],
            },
        ),
        EnableIsolation("Subtree", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                ("id", _id()),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("note", models.TextField()),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("tenant", _tenant()),
            ],
            options={
                "ordering": ("-size",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "size"), name="checkpoint_once_a_size"),
                    models.CheckConstraint(condition=models.Q(("size__gte", 1)), name="checkpoint_of_a_leaf_at_least"),
                ],
            },
        ),
        EnableIsolation("Checkpoint", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        _guards(),
        migrations.RunPython(_all_wait, migrations.RunPython.noop),
    ]
