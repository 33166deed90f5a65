"""What the eraser reads of a document before it removes it: by what it is told when it comes again."""

from django.db import migrations

from apps.tenants.eraser_operations import EraserRights


class Migration(migrations.Migration):
    dependencies = [("corpus", "0006_restriction")]

    operations = [EraserRights("Document", reads=("content_sha256", "external_id"))]
