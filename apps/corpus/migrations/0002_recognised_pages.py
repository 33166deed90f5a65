from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="page",
            name="ocr_confidence",
            field=models.FloatField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="page",
            name="ocr_words",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
