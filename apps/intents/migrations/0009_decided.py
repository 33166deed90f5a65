"""What is approved is what was read: see audit's migrations/_decided.py."""

from django.db import migrations, models

from apps.audit.migrations._decided import DECIDED_COLUMNS, DRAFTED, RedefineFunction, step, stepped


class Migration(migrations.Migration):
    dependencies = [("intents", "0008_people_within_tenant"), ("audit", "0026_decided")]

    operations = [
        migrations.AddField(
            model_name="policyversion",
            name="decided_revision",
            field=models.PositiveIntegerField(null=True, editable=False),
        ),
        RedefineFunction("intents_version_step()", DECIDED_COLUMNS),
        stepped(
            "intents_policyversion",
            "intents_version_stepped",
            decides=step("status", "in_review to approved", "in_review to rejected", "in_review to draft"),
            **DRAFTED,
        ),
    ]
