"""Who corrects documents of a kind, and who proposes their removal: in the policy."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from apps.tenants.operations import RunSqlFile

_ROLES = ["compliance_officer", "reviewer", "dpo", "analyst", "auditor", "tenant_admin"]


class Migration(migrations.Migration):
    dependencies = [("intents", "0011_approvals_lapse"), ("audit", "0003_privacy"), ("corpus", "0002_recognised_pages")]

    operations = [
        migrations.AddField(
            "KindBudget",
            "correctors",
            ArrayField(
                models.CharField(max_length=32),
                blank=True,
                db_default=[],
                default=list,
                help_text="The roles that may correct its documents; empty for those that may upload it.",
                size=None,
            ),
        ),
        migrations.AddField(
            "KindBudget",
            "removers",
            ArrayField(
                models.CharField(max_length=32),
                blank=True,
                db_default=[],
                default=list,
                help_text="The roles that may propose the removal of its documents; empty for all that may propose one.",
                size=None,
            ),
        ),
        migrations.AddConstraint(
            "KindBudget",
            models.CheckConstraint(
                condition=models.Q(("correctors__contained_by", _ROLES), ("removers__contained_by", _ROLES)),
                name="kind_budget_known_rights",
            ),
        ),
        RunSqlFile("rights.sql"),
    ]
