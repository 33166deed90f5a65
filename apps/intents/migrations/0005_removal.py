"""What glassbox_eraser may do to policies: comments lose their author's name, or go with their tenant. Versions stay."""

from django.db import migrations

from apps.tenants.eraser_operations import EraserRights


class Migration(migrations.Migration):
    dependencies = [("intents", "0004_parts"), ("tenants", "0005_removal")]

    operations = [
        EraserRights(
            "ReviewComment",
            reads=("tenant_id", "id", "author_id", "author_label"),
            deletes=True,
            updates=("author_label",),
            policies=("delete", "update"),
        ),
        EraserRights("PolicyVersion", reads=("tenant_id", "id")),
    ]
