"""What glassbox_eraser may do to evaluation questions and previews. Of a preview it reads ids and figures."""

from django.db import migrations

from apps.tenants.eraser_operations import EraserRights


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0001_initial"), ("tenants", "0005_removal"), ("corpus", "0004_removal")]

    operations = [
        EraserRights(
            "EvaluationQuery",
            reads=("tenant_id", "scope_id", "id", "series_id", "created_by"),
            deletes=True,
            updates=("created_by",),
        ),
        EraserRights(
            "PolicyImpact",
            reads=("tenant_id", "id", "version_id", "requested_at", "requested_by", "result"),
            deletes=True,
            updates=("requested_by",),
        ),
    ]
