"""Verifications of the log, and what the database holds of them: a finished one stays as it is."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import Q

import apps.tenants.models.base
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes

# What a run may change of its row: not who asked for it, nor when, nor whose log it is.
_RUN = (
    "state, done, total, started_at, finished_at, duration_ms, lease_owner, lease_until, attempts, next_attempt_at, "
    "checkpoint_size, events, leaves, groups, finding_count, findings, error_code"
)
_GUARDS = f"""
    CREATE FUNCTION audit_verification_is_kept() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            IF NEW.state = 'waiting' AND NEW.finished_at IS NULL AND NEW.started_at IS NULL AND NEW.attempts = 0
               AND NEW.leaves = 0 AND NEW.finding_count = 0 AND NEW.findings = '{{}}'::jsonb AND NEW.error_code = ''
            THEN
                RETURN NEW;
            END IF;
            RAISE EXCEPTION 'a verification begins without a result' USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF TG_OP = 'UPDATE' THEN
            IF OLD.finished_at IS NULL AND OLD.state IN ('waiting', 'running')
               AND (NEW.id, NEW.tenant_id, NEW.requested_at) = (OLD.id, OLD.tenant_id, OLD.requested_at)
               AND NEW.started_by IS NOT DISTINCT FROM OLD.started_by AND NEW.night IS NOT DISTINCT FROM OLD.night
            THEN
                RETURN NEW;
            END IF;
        END IF;
        RAISE EXCEPTION 'verifications are kept as they ended: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END
    $$;
    CREATE TRIGGER audit_verification_kept BEFORE INSERT OR UPDATE OR DELETE ON audit_verification
        FOR EACH ROW EXECUTE FUNCTION audit_verification_is_kept();
    CREATE TRIGGER audit_verification_no_truncate BEFORE TRUNCATE ON audit_verification
        FOR EACH STATEMENT EXECUTE FUNCTION audit_verification_is_kept();
    -- The clock's are the platform's own. A person's, or a key's, are of who may see what comes of them.
    CREATE POLICY verification_asked_for ON audit_verification AS RESTRICTIVE FOR INSERT TO PUBLIC WITH CHECK (
        CASE WHEN started_by IS NULL THEN (SELECT authz.may('*'))
             ELSE (SELECT authz.may('audit.view')) OR (SELECT authz.may('privacy.manage')) END
    );
    GRANT UPDATE ({_RUN}) ON audit_verification TO glassbox_worker;
"""
_UNGUARDED = f"""
    REVOKE UPDATE ({_RUN}) ON audit_verification FROM glassbox_worker;
    DROP POLICY verification_asked_for ON audit_verification;
    DROP TRIGGER audit_verification_no_truncate ON audit_verification;
    DROP TRIGGER audit_verification_kept ON audit_verification;
    DROP FUNCTION audit_verification_is_kept();
"""
_SAYS_ONE_THING = (
    Q(state__in=["waiting", "running"], finished_at__isnull=True)
    | Q(state="intact", finished_at__isnull=False, finding_count=0, error_code="")
    | Q(state="findings", finished_at__isnull=False, finding_count__gt=0, error_code="")
    | (Q(state="failed", finished_at__isnull=False, finding_count=0) & ~Q(error_code=""))
)
_STATES = [
    ("waiting", "Waiting for a worker"),
    ("running", "Running"),
    ("intact", "Intact"),
    ("findings", "Findings"),
    ("failed", "Could not be verified"),
]


class Migration(migrations.Migration):
    dependencies = [("audit", "0007_removal"), ("tenants", "0004_personal_keys")]

    operations = [
        migrations.CreateModel(
            name="Verification",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("started_by", models.UUIDField(null=True)),
                ("night", models.DateField(null=True)),
                ("requested_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("state", models.CharField(choices=_STATES, default="waiting", max_length=16)),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("duration_ms", models.BigIntegerField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("checkpoint_size", models.BigIntegerField(null=True)),
                ("events", models.BigIntegerField(default=0)),
                ("leaves", models.BigIntegerField(default=0)),
                ("groups", models.BigIntegerField(default=0)),
                ("finding_count", models.BigIntegerField(default=0)),
                ("findings", models.JSONField(default=dict)),
                ("error_code", models.CharField(blank=True, max_length=100)),
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
                "ordering": ("-requested_at", "-id"),
                "indexes": [models.Index(fields=["tenant", "-requested_at", "-id"], name="verification_by_time")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "night"), name="verification_once_a_night"),
                    models.UniqueConstraint(
                        condition=Q(state__in=["waiting", "running"]),
                        fields=("tenant",),
                        name="verification_one_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=Q(started_by__isnull=False, night__isnull=True)
                        | Q(started_by__isnull=True, night__isnull=False),
                        name="verification_by_one_or_the_clock",
                    ),
                    models.CheckConstraint(condition=_SAYS_ONE_THING, name="verification_says_one_thing"),
                ],
            },
        ),
        EnableIsolation(
            "Verification",
            by=IsolationLevel.TENANT,
            writes=Writes.APPEND,
            # The clock asks which tenants are due, and whoever asks after the platform's health how all of them stand.
            identity_reads="(SELECT authz.identity(4)) = 'all'",
            version=LATEST,
        ),
        migrations.RunSQL(sql=_GUARDS, reverse_sql=_UNGUARDED),
    ]
