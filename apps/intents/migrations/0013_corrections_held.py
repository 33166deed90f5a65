"""Who corrects a document, by every way to correct one: correcting.sql takes the place of what rights.sql had of it."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile

_DESCRIBED = (
    "kind title company ticker document_type source_type fiscal_year fiscal_quarter published_on language jurisdictions "
    "external_id"
)


def _row(name: str) -> str:
    return ", ".join(f"{name}.{column}" for column in _DESCRIBED.split())


class Migration(migrations.Migration):
    dependencies = [("intents", "0012_kind_rights"), ("corpus", "0004_writers")]

    operations = [
        migrations.RunSQL(
            "DROP TRIGGER intents_right_held_insert ON corpus_document; "
            "DROP TRIGGER intents_right_held_update ON corpus_document;",
            reverse_sql=(
                "CREATE TRIGGER intents_right_held_insert BEFORE INSERT ON corpus_document "
                "FOR EACH ROW EXECUTE FUNCTION intents_right_held(); "
                "CREATE TRIGGER intents_right_held_update BEFORE UPDATE ON corpus_document "
                f"FOR EACH ROW WHEN (({_row('NEW')}) IS DISTINCT FROM ({_row('OLD')})) "
                "EXECUTE FUNCTION intents_right_held();"
            ),
        ),
        RunSqlFile("correcting.sql"),
    ]
