"""Restricted documents are in nobody's view but of those who decide about them; held ones are not removed by anybody.

RESTRICTIVE FOR ALL, not FOR SELECT: an UPDATE or DELETE that reads no column asks the policies of its own command alone.
The list of ids is asked for once a statement (an InitPlan), and is empty where nothing is restricted.
"""

from django.db import migrations

_BELOW = (
    "corpus_sourcefile",
    "corpus_page",
    "corpus_chunk",
    "corpus_posting",
    "corpus_embedding384",
    "corpus_embedding1536",
    "corpus_ingestjob",
)
_TABLES = {"corpus_document": "id", **dict.fromkeys(_BELOW, "document_id")}
# What is held is kept as it is. Vectors and term statistics are made of it, and can be made again.
_KEPT = ("corpus_sourcefile", "corpus_page", "corpus_chunk")

_HIDDEN = "{column} <> ALL ((SELECT hidden_documents())::uuid[])"
_HELD = "document_id <> ALL ((SELECT held_documents())::uuid[])"

_DOCUMENT = """
    CREATE FUNCTION corpus_document_is_kept() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        hold uuid;
    BEGIN
        SELECT h.id INTO hold
          FROM public.audit_helditem i JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
         WHERE i.tenant_id = OLD.tenant_id AND i.type = 'document' AND i.item_id = OLD.id AND h.released_at IS NULL
         LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'document % is not removed: it is held, hold:%', OLD.id, hold
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN OLD;
    END
    $$;
    REVOKE ALL ON FUNCTION corpus_document_is_kept() FROM PUBLIC;
    -- After, not before: who waits for the row's lock must see the hold of the transaction that it waited for.
    CREATE TRIGGER corpus_document_held AFTER DELETE ON corpus_document
        FOR EACH ROW EXECUTE FUNCTION corpus_document_is_kept();
"""
_NO_DOCUMENT = """
    DROP TRIGGER corpus_document_held ON corpus_document;
    DROP FUNCTION corpus_document_is_kept();
"""


def _policy(table: str, name: str, command: str, clause: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        sql=f"CREATE POLICY {name} ON {table} AS RESTRICTIVE FOR {command} TO PUBLIC {clause}",
        reverse_sql=f"DROP POLICY {name} ON {table}",
    )


def _restriction(table: str, column: str) -> migrations.RunSQL:
    predicate = _HIDDEN.format(column=column)
    return _policy(table, "restriction", "ALL", f"USING ({predicate}) WITH CHECK ({predicate})")


class Migration(migrations.Migration):
    dependencies = [("corpus", "0005_eraser"), ("audit", "0009_holds")]

    operations = [
        *(_restriction(table, column) for table, column in _TABLES.items()),
        *(_policy(table, "held_is_kept", "DELETE", f"USING ({_HELD})") for table in _KEPT),
        *(_policy(table, "held_is_unchanged", "UPDATE", f"USING ({_HELD})") for table in _KEPT),
        migrations.RunSQL(sql=_DOCUMENT, reverse_sql=_NO_DOCUMENT),
    ]
