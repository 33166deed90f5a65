"""Keep no planner statistics of policies: see apps/tenants/operations."""

from django.db import migrations

from apps.tenants.operations import ForgetStatistics


class Migration(migrations.Migration):
    dependencies = [("intents", "0001_initial")]

    operations = [
        ForgetStatistics(
            "PolicyVersion",
            "KindBudget",
            "PolicyIntent",
            "PolicyIntentKind",
            "IntentTerm",
            "GoldenExample",
            "GoldenVector",
        ),
    ]
