"""What glassbox_eraser may do to documents: find by ids, and remove. It reads no title and no text."""

from django.db import migrations

from apps.tenants.eraser_operations import EraserRights

_FOUND_BY = ("tenant_id", "scope_id", "id", "document_id")


class Migration(migrations.Migration):
    dependencies = [("corpus", "0003_job_actor_key"), ("tenants", "0005_removal")]

    operations = [
        EraserRights("Document", reads=("tenant_id", "scope_id", "id", "series_id"), deletes=True),
        EraserRights("Chunk", reads=(*_FOUND_BY, "is_parent"), deletes=True),
        EraserRights(
            "IngestJob",
            reads=(*_FOUND_BY, "actor_kind", "actor_id", "actor_label"),
            deletes=True,
            updates=("actor_label",),
        ),
        *(
            EraserRights(model, reads=_FOUND_BY, deletes=True)
            for model in ("SourceFile", "Page", "Posting", "Embedding384", "Embedding1536")
        ),
    ]
