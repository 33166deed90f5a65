"""What glassbox_eraser may do to the log's keys: count them."""

from django.db import migrations

from apps.tenants.eraser_operations import EraserRights


class Migration(migrations.Migration):
    dependencies = [("audit", "0006_runs"), ("tenants", "0005_removal")]

    operations = [EraserRights("DataKey", reads=("tenant_id", "id"))]
