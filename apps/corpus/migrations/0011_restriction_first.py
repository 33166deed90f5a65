"""Ask whether a document is hidden before where it lies: restrictive policies are asked in the order of their names.

The planner joins a question's condition on tenant_id to that of isolation, and lets it run in the same place: a policy
that comes later would not stand before it.
"""

from django.db import migrations

_TABLES = (
    "corpus_document",
    "corpus_page",
    "corpus_chunk",
    "corpus_embedding384",
    "corpus_embedding1536",
    "corpus_posting",
    "corpus_sourcefile",
    "corpus_ingestjob",
)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0010_kept_by_two")]

    operations = [
        migrations.RunSQL(
            sql=f"ALTER POLICY restriction ON {table} RENAME TO hidden_by_restriction",
            reverse_sql=f"ALTER POLICY hidden_by_restriction ON {table} RENAME TO restriction",
        )
        for table in _TABLES
    ]
