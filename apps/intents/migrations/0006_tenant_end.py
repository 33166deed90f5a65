"""Policies are kept from everybody, as long as there is a tenant: with it they go."""

from django.db import migrations

from apps.tenants.eraser_operations import RemovedWithTenant

_OF_INTENT = ("intents_intent_parts_delete",)
_OF_VERSION = ("intents_version_parts_delete",)


class Migration(migrations.Migration):
    dependencies = [("intents", "0005_removal"), ("audit", "0014_tenant_end")]

    operations = [
        RemovedWithTenant("GoldenVector", past=("intents_vector_part",)),
        RemovedWithTenant("GoldenExample", past=_OF_INTENT),
        RemovedWithTenant("IntentTerm", past=_OF_INTENT),
        RemovedWithTenant("PolicyIntentKind", past=_OF_INTENT),
        RemovedWithTenant("PolicyIntent", past=_OF_VERSION),
        RemovedWithTenant("KindBudget", past=_OF_VERSION),
        RemovedWithTenant("PolicyVersion", past=("intents_version_step", "policy_version_kept")),
    ]
