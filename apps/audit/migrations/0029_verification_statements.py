"""Verifications are stated by the worker's key, and no time in a row keeps the next one waiting beyond some hours."""

from django.db import migrations, models

# As apps/tenants/sweeping.py says: no lease and no wait of ours is longer.
_FORWARD = """
    GRANT UPDATE (note) ON audit_verification TO glassbox_worker;
    CREATE FUNCTION audit_verification_in_time() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        now_ timestamptz := clock_timestamp();
        longest timestamptz := now_ + interval '12 hours';
    BEGIN
        IF TG_OP = 'INSERT' AND (NEW.note <> '' OR NEW.requested_at > now_ + interval '5 minutes'
            OR NEW.night > (now_ AT TIME ZONE 'UTC')::date + 1) THEN
            RAISE EXCEPTION 'a verification is asked for now, and says nothing yet'
                USING ERRCODE = 'check_violation';
        END IF;
        -- What stands in a row already can be put right.
        IF NEW.lease_until > longest AND (TG_OP = 'INSERT' OR NEW.lease_until IS DISTINCT FROM OLD.lease_until)
            OR NEW.next_attempt_at > longest
               AND (TG_OP = 'INSERT' OR NEW.next_attempt_at IS DISTINCT FROM OLD.next_attempt_at)
            OR NEW.finished_at > now_ + interval '5 minutes' OR NEW.started_at > now_ + interval '5 minutes' THEN
            RAISE EXCEPTION 'a verification waits for hours at most' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END
    $$;
    CREATE TRIGGER audit_verification_in_time BEFORE INSERT OR UPDATE ON audit_verification
        FOR EACH ROW EXECUTE FUNCTION audit_verification_in_time();
"""
_BACKWARD = """
    DROP TRIGGER audit_verification_in_time ON audit_verification;
    DROP FUNCTION audit_verification_in_time();
    REVOKE UPDATE (note) ON audit_verification FROM glassbox_worker;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0028_document_removal")]

    operations = [
        migrations.AddField("Verification", "note", models.TextField(blank=True, db_default="")),
        # One that was forged would have kept the true one out. No two go on at once (verification_one_at_a_time).
        migrations.RemoveConstraint("Verification", "verification_once_a_night"),
        migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),
    ]
