"""One trigger stamps all times and names that vouch (stamping.py); and its times are the columns' defaults, too."""

from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.stamping import FUNCTION, ONE_FUNCTION

_MADE = (
    ("accountlink", "created_at"),
    ("apikey", "created_at"),
    ("factorreset", "asked_at"),
    ("grant", "valid_from"),
    ("idempotentrequest", "created_at"),
    ("invitation", "created_at"),
    ("membership", "created_at"),
    ("scope", "created_at"),
    ("secondfactor", "created_at"),
    ("tenant", "created_at"),
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0014_no_new_administrators")]

    operations = [
        migrations.RunSQL(sql=ONE_FUNCTION, reverse_sql=FUNCTION),
        *(
            migrations.AlterField(
                model_name=model, name=column, field=models.DateTimeField(db_default=Now(), editable=False)
            )
            for model, column in _MADE
        ),
    ]
