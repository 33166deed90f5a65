"""Who corrects documents of a kind, and who proposes their removal: in the policy."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from apps.tenants.operations import RunSqlFile

_ROLES = ["compliance_officer", "reviewer", "dpo", "analyst", "auditor", "tenant_admin"]

_DESCRIBED = (
    "kind title company ticker document_type source_type fiscal_year fiscal_quarter published_on language jurisdictions "
    "external_id"
)


def _row(name: str) -> str:
    return ", ".join(f"{name}.{column}" for column in _DESCRIBED.split())


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
        # The triggers of uploaders.sql knew one right; those of correcting.sql take their place.
        migrations.RunSQL(
            "DROP TRIGGER intents_kind_held_insert ON corpus_document; "
            "DROP TRIGGER intents_kind_held_update ON corpus_document;",
            reverse_sql=(
                "CREATE TRIGGER intents_kind_held_insert BEFORE INSERT ON corpus_document "
                "FOR EACH ROW EXECUTE FUNCTION intents_kind_held(); "
                "CREATE TRIGGER intents_kind_held_update BEFORE UPDATE ON corpus_document "
                f"FOR EACH ROW WHEN (({_row('NEW')}) IS DISTINCT FROM ({_row('OLD')})) "
                "EXECUTE FUNCTION intents_kind_held();"
            ),
        ),
        RunSqlFile("rights.sql"),
    ]
