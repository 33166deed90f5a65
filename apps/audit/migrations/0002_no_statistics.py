"""Keep no planner statistics of the log: see apps/tenants/operations."""

from django.db import migrations

from apps.tenants.operations import ForgetStatistics


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [ForgetStatistics("Event")]
