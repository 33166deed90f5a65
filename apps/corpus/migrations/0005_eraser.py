"""What the eraser may delete of the corpus: rows of what an executing run of removals names. It reads ids alone."""

from django.db import migrations

from apps.tenants.eraser_operations import RemoveOnlyTargets

_ROW = ("id", "tenant_id", "scope_id")
_OF_A_DOCUMENT = {
    "Embedding384": ("document_id", "chunk_id"),
    "Embedding1536": ("document_id", "chunk_id"),
    "Posting": ("document_id",),
    "Chunk": ("document_id", "parent_id", "is_parent"),
    "Page": ("document_id",),
    "SourceFile": ("document_id",),
    "IngestJob": ("document_id", "actor_kind", "actor_id"),
}


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_removal"), ("audit", "0006_runs")]

    operations = [
        *(
            RemoveOnlyTargets(model, columns=(*_ROW, *columns), by={"document": "document_id"})
            for model, columns in _OF_A_DOCUMENT.items()
        ),
        RemoveOnlyTargets("Document", columns=(*_ROW, "series_id", "status"), by={"document": "id"}),
    ]
