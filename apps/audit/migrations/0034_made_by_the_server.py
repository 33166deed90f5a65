"""What the server stamps is its default, too: a row that was just made has the time that stands there."""

from django.db import migrations, models
from django.db.models.functions import Now

_MADE = (
    ("erasurerequest", "created_at"),
    ("helditem", "added_at"),
    ("legalhold", "placed_at"),
    ("letter", "created_at"),
    ("purge", "created_at"),
    ("purgepart", "proposed_at"),
    ("restriction", "restricted_at"),
    ("retentioncount", "counted_at"),
    ("retentionschedule", "created_at"),
)


class Migration(migrations.Migration):
    dependencies = [("audit", "0033_event_bindings")]

    operations = [
        *(
            migrations.AlterField(
                model_name=model, name=column, field=models.DateTimeField(db_default=Now(), editable=False)
            )
            for model, column in _MADE
        ),
    ]
