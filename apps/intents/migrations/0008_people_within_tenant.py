"""An index of a tenant's table is led by the tenant: one by author alone visits every tenant's versions."""

from django.db import migrations

_INDEXES = (
    ("intents_policyversion_approver_id_8e02f8ad", "approver_id"),
    ("intents_policyversion_author_id_76805f9c", "author_id"),
)


class Migration(migrations.Migration):
    dependencies = [("intents", "0007_bound")]

    operations = [
        migrations.RunSQL(
            sql=f"DROP INDEX {name}; CREATE INDEX {name} ON intents_policyversion (tenant_id, {column})",
            reverse_sql=f"DROP INDEX {name}; CREATE INDEX {name} ON intents_policyversion ({column})",
        )
        for name, column in _INDEXES
    ]
