"""What an event tells of a document's coming is bound to the document; times are the server's from the start."""

from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf

_MADE = (
    ("document", "created_at"),
    ("ingestjob", "created_at"),
)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0013_published_stays"), ("audit", "0033_event_bindings")]

    operations = [
        *(
            migrations.AlterField(
                model_name=model, name=column, field=models.DateTimeField(db_default=Now(), editable=False)
            )
            for model, column in _MADE
        ),
        ToldOf("Document", "id", "created_at"),
    ]
