"""No single person removes a document: what was ever searchable is removed by an approved run, and by nothing else.

Of a document that was published, a runtime role deletes neither the row nor its file, pages, passages and jobs, and
changes none of them; the eraser does, and its policies bind it to what an executing run names. One that never was
published is deleted by the person who brought it (the log says who that is), or, where a key brought it, by who removes
documents. The platform itself, whose token no person has, does what `manage.py evaluate` needs in its own tenant.
"""

from django.db import migrations

# What may change of a published version: how its terms were counted.
_COUNTED = "term_count,terms_version"
_TEXTS = ("corpus_sourcefile", "corpus_page", "corpus_chunk")
_FORWARD = (
    """
CREATE FUNCTION corpus_document_by_two() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_published boolean := OLD.status IN ('ready', 'superseded') OR OLD.valid_from IS NOT NULL;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF is_published AND to_jsonb(NEW) - '{counted}'::text[] IS DISTINCT FROM to_jsonb(OLD) - '{counted}'::text[] THEN
            RAISE EXCEPTION 'document % is kept as it is: a correction is a new version', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        IF (NEW.id, NEW.tenant_id, NEW.scope_id, NEW.series_id, NEW.version, NEW.content_sha256, NEW.created_at)
            IS DISTINCT FROM
           (OLD.id, OLD.tenant_id, OLD.scope_id, OLD.series_id, OLD.version, OLD.content_sha256, OLD.created_at) THEN
            RAISE EXCEPTION 'document % stays where it is, and what it was uploaded as', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF is_published OR NOT authz.may('document.delete') OR NOT EXISTS (
        SELECT FROM public.audit_event e
         WHERE e.tenant_id = OLD.tenant_id AND e.subject_id = OLD.id AND e.action = 'corpus.document.received'
           AND (e.actor_kind <> 'user' OR authz.acts_as(e.actor_id))
    ) THEN
        RAISE EXCEPTION 'document % is not removed by one person alone: its removal is proposed, and approved', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER corpus_document_by_two BEFORE UPDATE OR DELETE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_by_two();

CREATE FUNCTION corpus_contents_by_two() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM gone g JOIN public.corpus_document d
            ON d.tenant_id = g.tenant_id AND d.scope_id = g.scope_id AND d.id = g.document_id
         WHERE d.status IN ('ready', 'superseded') OR d.valid_from IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'what a document holds is kept as it is: % of % is refused', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;
""".replace("{counted}", "{" + _COUNTED + "}")
    + "".join(
        f"""
CREATE TRIGGER {table}_by_two_{command.lower()} AFTER {command} ON {table} REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION corpus_contents_by_two();
"""
        for table, command in (
            *((table, command) for table in _TEXTS for command in ("DELETE", "UPDATE")),
            ("corpus_ingestjob", "DELETE"),
        )
    )
)
_BACKWARD = (
    "".join(
        f"DROP TRIGGER {table}_by_two_{command} ON {table};"
        for table, command in (
            *((table, command) for table in _TEXTS for command in ("delete", "update")),
            ("corpus_ingestjob", "delete"),
        )
    )
    + """
DROP FUNCTION corpus_contents_by_two();
DROP TRIGGER corpus_document_by_two ON corpus_document;
DROP FUNCTION corpus_document_by_two();
"""
)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0009_terms_version"), ("audit", "0028_document_removal")]

    operations = [
        migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),
        # The eraser makes the same triggers run: what their bodies read, it may read.
        migrations.RunSQL(
            sql="GRANT SELECT (valid_from) ON corpus_document TO glassbox_eraser",
            reverse_sql="REVOKE SELECT (valid_from) ON corpus_document FROM glassbox_eraser",
        ),
    ]
