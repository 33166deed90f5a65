"""How a tenant ends: its log is emptied, its keys are destroyed, and what kept its rows from everybody lets them go."""

from django.db import migrations

from apps.audit.migrations import _tenant_end
from apps.tenants.eraser_operations import RemovedWithTenant


class Migration(migrations.Migration):
    dependencies = [("audit", "0013_certificate"), ("tenants", "0005_removal")]

    operations = [
        migrations.RunSQL(sql=_tenant_end.FORWARD, reverse_sql=_tenant_end.BACKWARD),
        RemovedWithTenant("RetentionRule", past=("retention_rule_of_draft",)),
        RemovedWithTenant("RetentionSchedule", past=("retention_schedule_step",)),
        *(
            RemovedWithTenant(model, needs_floor=True)
            for model in (
                "RetentionCount",
                "Purge",
                "PurgeFigure",
                "PurgePart",
                "LegalHold",
                "HeldItem",
                "Restriction",
            )
        ),
    ]
