"""What the server stamps is its default, too: a row that was just made has the time that stands there."""

from django.db import migrations, models
from django.db.models.functions import Now

_MADE = (
    ("goldenvector", "created_at"),
    ("policyversion", "created_at"),
    ("reviewcomment", "created_at"),
)


class Migration(migrations.Migration):
    dependencies = [("intents", "0012_begins")]

    operations = [
        *(
            migrations.AlterField(
                model_name=model, name=column, field=models.DateTimeField(db_default=Now(), editable=False)
            )
            for model, column in _MADE
        ),
    ]
