"""Verifications say how many leaves a signed checkpoint covered; one of before this does not: null."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0023_stamped")]

    operations = [
        migrations.AddField(model_name="verification", name="covered_size", field=models.BigIntegerField(null=True)),
        migrations.RunSQL(
            sql="GRANT UPDATE (covered_size) ON audit_verification TO glassbox_worker",
            reverse_sql="REVOKE UPDATE (covered_size) ON audit_verification FROM glassbox_worker",
        ),
    ]
