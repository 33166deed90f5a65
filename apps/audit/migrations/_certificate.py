"""What the database holds of a run's proof, and of certificates. Part of migration 0012.

A run with a physical proof is carried out after its preparation, and ends after a clean scan. What was prepared and
found is written by the server's administrator alone, who does both: neither the eraser nor anybody else of the
application can say that a scan was clean. Certificates are of such ends, issued by the role that signs, for good.
"""

from __future__ import annotations

from apps.audit.migrations import _runs


def _changed(text: str, *edits: tuple[str, str]) -> str:
    for before, after in edits:
        if before not in text:
            raise AssertionError(f"not there: {before}")
        text = text.replace(before, after)
    return text


# Up to its trigger, which stays.
_BEFORE = _runs.STEPS[: _runs.STEPS.index("CREATE TRIGGER audit_removalrun_step")].replace(
    "CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"
)
_AFTER = _changed(
    _BEFORE,
    ("lease_until,error_code}", "lease_until,error_code,prepared_at,verifying_at,verification,end_events}"),
    (
        "OR NEW.started_at IS NOT NULL THEN",
        "OR NEW.started_at IS NOT NULL OR NEW.prepared_at IS NOT NULL OR NEW.verifying_at IS NOT NULL\n"
        "                OR NEW.verification <> '{}'::jsonb OR NEW.end_events <> '{}'::uuid[] THEN",
    ),
    (
        "'partially_completed to approved'\n        ) THEN",
        "'partially_completed to approved', 'executing to verifying', 'verifying to completed',\n"
        "            'verifying to partially_completed', 'verifying to failed'\n        ) THEN",
    ),
    (
        "'executing to partially_completed', 'executing to failed')",
        "'executing to partially_completed', 'executing to failed', 'executing to verifying',\n"
        "                     'verifying to completed', 'verifying to partially_completed', 'verifying to failed')\n"
        "            OR NEW.verifying_at IS DISTINCT FROM OLD.verifying_at\n"
        "            OR NEW.end_events IS DISTINCT FROM OLD.end_events",
    ),
    (
        "        RETURN NEW;\n    END\n    $$;\n    ",
        """
        IF (NEW.prepared_at, NEW.verification) IS DISTINCT FROM (OLD.prepared_at, OLD.verification)
            AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
            RAISE EXCEPTION 'what was prepared and found is written by whoever looked: the server''s administrator'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF step IN ('approved to executing', 'failed to executing') AND NEW.proof = 'physical'
            AND NEW.prepared_at IS NULL THEN
            RAISE EXCEPTION 'a removal run with a physical proof is prepared before anything goes'
                USING ERRCODE = 'check_violation';
        END IF;
        IF (step = 'executing to verifying') <> (NEW.proof = 'physical') AND step IN (
            'executing to verifying', 'executing to completed', 'executing to partially_completed') THEN
            RAISE EXCEPTION 'a removal run is verified when its proof is a physical one'
                USING ERRCODE = 'check_violation';
        END IF;
        IF step IN ('verifying to completed', 'verifying to partially_completed') THEN
            IF (NEW.verification #>> '{control,proves}') IS DISTINCT FROM 'true'
                OR (NEW.verification #>> '{physical,complete}') IS DISTINCT FROM 'true'
                OR (NEW.verification #>> '{scan,clean}') IS DISTINCT FROM 'true' THEN
                RAISE EXCEPTION 'a removal run ends after a control that proves, the physical phase and a clean scan'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.end_events[:cardinality(OLD.end_events)] IS DISTINCT FROM OLD.end_events
                OR cardinality(NEW.end_events) <> cardinality(OLD.end_events) + 1 THEN
                RAISE EXCEPTION 'the end of a removal run is one event of the log' USING ERRCODE = 'check_violation';
            END IF;
        ELSIF NEW.end_events IS DISTINCT FROM OLD.end_events THEN
            RAISE EXCEPTION 'the end of a removal run is noted when it ends' USING ERRCODE = 'check_violation';
        END IF;
        IF step = 'partially_completed to approved' THEN
            -- What stayed is prepared for anew.
            NEW.prepared_at := NULL;
            NEW.verification := '{}'::jsonb;
        ELSIF step = 'executing to verifying' THEN
            -- What an earlier attempt did to the disk says nothing of what was removed since.
            NEW.verification := NEW.verification - '{batch,plan,physical,scan,waits}'::text[];
        END IF;
        RETURN NEW;
    END
    $$;
    """,
    ),
)

_GUARDS = """
    GRANT UPDATE (verifying_at, end_events) ON audit_removalrun TO glassbox_eraser;

    CREATE FUNCTION audit_certificate_is_kept() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF TG_OP <> 'INSERT' THEN
            RAISE EXCEPTION 'certificates are kept as they were issued: % is refused', TG_OP
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF current_user <> 'glassbox_worker' THEN
            RAISE EXCEPTION 'certificates are issued by the role that signs' USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NOT EXISTS (
            SELECT FROM public.audit_removalrun r
             WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.run_id AND r.proof = 'physical'
               AND (r.origin, r.origin_id) = (NEW.origin, NEW.origin_id) AND NEW.event_id = ANY (r.end_events)
        ) OR NOT EXISTS (
            SELECT FROM public.audit_leaf l JOIN public.audit_checkpoint c ON c.tenant_id = l.tenant_id
             WHERE l.tenant_id = NEW.tenant_id AND l.event_id = NEW.event_id AND l.index = NEW.leaf_index
               AND c.size = NEW.size AND c.root = NEW.root AND l.index < c.size
        ) THEN
            RAISE EXCEPTION 'a certificate is of an end of a removal run that a checkpoint of the log holds'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END
    $$;
    CREATE TRIGGER audit_certificate_kept BEFORE INSERT OR UPDATE OR DELETE ON audit_certificate
        FOR EACH ROW EXECUTE FUNCTION audit_certificate_is_kept();
    CREATE TRIGGER audit_certificate_no_truncate BEFORE TRUNCATE ON audit_certificate
        FOR EACH STATEMENT EXECUTE FUNCTION audit_certificate_is_kept();
    REVOKE INSERT ON audit_certificate FROM glassbox_api;
"""
_NO_GUARDS = """
    DROP TRIGGER audit_certificate_no_truncate ON audit_certificate;
    DROP TRIGGER audit_certificate_kept ON audit_certificate;
    DROP FUNCTION audit_certificate_is_kept();
    REVOKE UPDATE (verifying_at, end_events) ON audit_removalrun FROM glassbox_eraser;
"""
RUNS, NO_RUNS = _AFTER, _BEFORE
CERTIFICATES, NO_CERTIFICATES = _GUARDS, _NO_GUARDS
