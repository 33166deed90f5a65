"""A published document is found by what it says: its index, too, is the platform's alone to change.

Terms and vectors are made again of passages, but by the platform: whoever deletes them takes a document out of every
answer, and whoever adds a page, a passage or a vector puts words into its mouth. A job is done in the name of the very
key or person who asked for it.
"""

from django.db import migrations

from apps.audit.migrations._decided import RedefineFunction

_TEXTS = ("corpus_sourcefile", "corpus_page", "corpus_chunk")
_INDEXES = ("corpus_posting", "corpus_embedding384", "corpus_embedding1536")
_BEFORE = (*((table, command) for table in _TEXTS for command in ("DELETE", "UPDATE")), ("corpus_ingestjob", "DELETE"))
_NOW = (
    *((table, command) for table in (*_TEXTS, *_INDEXES) for command in ("INSERT", "UPDATE", "DELETE")),
    ("corpus_ingestjob", "DELETE"),
)


def _drop(triggers: tuple[tuple[str, str], ...]) -> str:
    return "".join(f"DROP TRIGGER {table}_by_two_{command.lower()} ON {table};\n" for table, command in triggers)


def _create(triggers: tuple[tuple[str, str], ...], rows: str) -> str:
    """rows: the name by which the function knows those that a statement touched."""
    return "".join(
        f"CREATE TRIGGER {table}_by_two_{command.lower()} AFTER {command} ON {table} "
        f"REFERENCING {'NEW' if command == 'INSERT' else 'OLD'} TABLE AS {rows} "
        "FOR EACH STATEMENT EXECUTE FUNCTION corpus_contents_by_two();\n"
        for table, command in triggers
    )


_COUNTED = "to_jsonb(NEW) - '{term_count,terms_version}'::text[]"
_COUNTED_BEFORE = "to_jsonb(OLD) - '{term_count,terms_version}'::text[]"
_IN_OWN_NAME = (
    "AND NOT (NEW.actor_kind = 'user' AND NEW.actor_id IS NOT NULL AND authz.acts_as(NEW.actor_id))\n"
    "       AND NOT (NEW.actor_kind = 'api_key' AND NOT authz.may('key.own')) THEN"
)
# The very claim by which the log names who acts; `key:`, where a key acts for a person.
_IN_THE_TOKENS_NAME = (
    "AND (NOT authz.may(concat('actor:', NEW.actor_kind, ':', NEW.actor_id, ':',\n"
    "                encode(convert_to(NEW.actor_label, 'UTF8'), 'hex')))\n"
    "            OR NEW.actor_kind = 'user' AND NOT authz.may(coalesce('key:' || NEW.actor_key_id, 'key.own'))\n"
    "            OR NEW.actor_kind <> 'user' AND NEW.actor_key_id IS NOT NULL) THEN"
)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0012_server_times")]

    operations = [
        migrations.RunSQL(sql=_drop(_BEFORE), reverse_sql=_create(_BEFORE, "gone")),
        RedefineFunction("corpus_contents_by_two()", ("FROM gone g", "FROM touched g", 1)),
        migrations.RunSQL(sql=_create(_NOW, "touched"), reverse_sql=_drop(_NOW)),
        RedefineFunction(
            "corpus_document_by_two()",
            (_COUNTED, "to_jsonb(NEW)", 1),
            (_COUNTED_BEFORE, "to_jsonb(OLD)", 1),
        ),
        RedefineFunction("corpus_job_actor()", (_IN_OWN_NAME, _IN_THE_TOKENS_NAME, 1)),
    ]
