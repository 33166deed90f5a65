"""What a document holds is changed before it is published, or not at all: whoever changes it keeps it from being published.

Asked without a lock, a change that was not committed yet outlasted the publication, and a transaction that sees what was
there when it began (REPEATABLE READ) never saw it. Nor did that one see a hold that was placed since.
"""

from django.db import migrations

_TABLES = (
    "corpus_sourcefile",
    "corpus_page",
    "corpus_chunk",
    "corpus_posting",
    "corpus_embedding384",
    "corpus_embedding1536",
)
_TRIGGERS = (
    *((table, command) for table in _TABLES for command in ("INSERT", "UPDATE", "DELETE")),
    ("corpus_ingestjob", "DELETE"),
)
# Of several documents in one order, so that two who change the same ones wait for each other and no more. The eraser
# removes what is published, and may change no document.
_LOCKS = """
CREATE FUNCTION corpus_contents_at_once() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user IN ('glassbox_api', 'glassbox_worker') AND NOT authz.may('glassbox.platform') THEN
        PERFORM FROM public.corpus_document d
          WHERE EXISTS (SELECT FROM touched g
                         WHERE g.tenant_id = d.tenant_id AND g.scope_id = d.scope_id AND g.document_id = d.id)
          ORDER BY d.id FOR SHARE;
    END IF;
    RETURN NULL;
END
$$;
"""
# By its name it comes before {table}_by_two, which asks whether the document is published.
_LOCKED = "".join(
    f"CREATE TRIGGER {table}_at_once_{command.lower()} AFTER {command} ON {table} "
    f"REFERENCING {'NEW' if command == 'INSERT' else 'OLD'} TABLE AS touched FOR EACH STATEMENT "
    "WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION corpus_contents_at_once();\n"
    for table, command in _TRIGGERS
)
_UNLOCKED = "".join(f"DROP TRIGGER {table}_at_once_{command.lower()} ON {table};\n" for table, command in _TRIGGERS)
# Whether a document is held is asked by a function that was handed over (tenants/rights.py): a migration can't change it.
_SEES_HOLDS = """
CREATE FUNCTION corpus_document_sees_holds() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'document % is not removed by a transaction that does not see what is held since it began', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER corpus_document_sees_holds AFTER DELETE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_sees_holds();
"""
_SEES_NONE = """
DROP TRIGGER corpus_document_sees_holds ON corpus_document;
DROP FUNCTION corpus_document_sees_holds();
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0016_corrected"), ("audit", "0038_supplements_stamped")]

    operations = [
        migrations.RunSQL(sql=_LOCKS + _LOCKED, reverse_sql=_UNLOCKED + "DROP FUNCTION corpus_contents_at_once();"),
        migrations.RunSQL(sql=_SEES_HOLDS, reverse_sql=_SEES_NONE),
    ]
