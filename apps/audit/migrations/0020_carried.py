"""Places that were cleared stay so in a redacted version of their document, in the name of whoever cleared them."""

from django.db import migrations, models

from apps.audit.migrations import _carried
from apps.audit.migrations._access import ChangedFunction


class Migration(migrations.Migration):
    dependencies = [("audit", "0019_bound")]

    operations = [
        migrations.AddField(
            model_name="inventoryhit",
            name="carried_from_id",
            field=models.UUIDField(null=True),
        ),
        migrations.AddConstraint(
            model_name="inventoryhit",
            constraint=models.CheckConstraint(
                condition=models.Q(("carried_from_id__isnull", True), ("decision", "cleared"), _connector="OR"),
                name="inventory_hit_carried_if_cleared",
            ),
        ),
        ChangedFunction("audit_inventory_step()", *_carried.OF_PLACES),
    ]
