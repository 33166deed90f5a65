"""Put the scope into every key and index of the corpus: see apps/tenants/operations."""

from django.db import migrations, models

from apps.tenants.operations import KeysByScope

_TABLES = ("Document", "SourceFile", "Page", "Chunk", "Posting", "Embedding384", "Embedding1536", "IngestJob")


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0001_initial"),
        ("tenants", "0003_wall"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="chunk",
            name="chunk_number_once",
        ),
        migrations.RemoveConstraint(
            model_name="document",
            name="document_version_once",
        ),
        migrations.RemoveConstraint(
            model_name="document",
            name="document_slug_once",
        ),
        migrations.RemoveConstraint(
            model_name="document",
            name="document_one_ready_version",
        ),
        migrations.RemoveConstraint(
            model_name="embedding1536",
            name="embedding_1536_once",
        ),
        migrations.RemoveConstraint(
            model_name="embedding384",
            name="embedding_384_once",
        ),
        migrations.RemoveConstraint(
            model_name="page",
            name="page_once",
        ),
        migrations.RemoveConstraint(
            model_name="posting",
            name="posting_once",
        ),
        migrations.RemoveConstraint(
            model_name="sourcefile",
            name="source_file_once",
        ),
        migrations.RemoveIndex(
            model_name="ingestjob",
            name="job_due",
        ),
        migrations.RemoveIndex(
            model_name="posting",
            name="posting_by_term",
        ),
        migrations.AddIndex(
            model_name="ingestjob",
            index=models.Index(fields=["tenant", "scope", "status", "next_attempt_at"], name="job_due"),
        ),
        migrations.AddIndex(
            model_name="posting",
            index=models.Index(fields=["tenant", "scope", "term", "kind"], name="posting_by_term"),
        ),
        migrations.AddConstraint(
            model_name="chunk",
            constraint=models.UniqueConstraint(
                fields=("tenant", "scope", "document", "is_parent", "number"), name="chunk_number_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(
                fields=("tenant", "scope", "series_id", "version"), name="document_version_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(fields=("tenant", "scope", "slug"), name="document_slug_once"),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "ready")),
                fields=("tenant", "scope", "series_id"),
                name="document_one_ready_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="embedding1536",
            constraint=models.UniqueConstraint(
                fields=("tenant", "scope", "chunk", "model"), name="embedding_1536_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="embedding384",
            constraint=models.UniqueConstraint(fields=("tenant", "scope", "chunk", "model"), name="embedding_384_once"),
        ),
        migrations.AddConstraint(
            model_name="page",
            constraint=models.UniqueConstraint(fields=("tenant", "scope", "document", "number"), name="page_once"),
        ),
        migrations.AddConstraint(
            model_name="posting",
            constraint=models.UniqueConstraint(fields=("tenant", "scope", "document", "term"), name="posting_once"),
        ),
        migrations.AddConstraint(
            model_name="sourcefile",
            constraint=models.UniqueConstraint(fields=("tenant", "scope", "document"), name="source_file_once"),
        ),
        KeysByScope(*_TABLES),
    ]
