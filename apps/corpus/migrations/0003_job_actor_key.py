"""A job begun with a person's own key names the key: it must end with it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_scope_in_keys")]

    operations = [
        migrations.AddField(model_name="ingestjob", name="actor_key_id", field=models.UUIDField(null=True)),
    ]
