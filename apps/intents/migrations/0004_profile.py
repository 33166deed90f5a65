"""The compliance profile of a policy version."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

from apps.tenants.columns import ID, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile

_ALLOWS = models.Q(("in_answer", "allow"), ("in_question", "allow"))
_DISCLAIMS = models.Q(("sort", "disclaimer")) & _ALLOWS & models.Q(("terms", [])) & ~models.Q(("text", ""))
_WATCHES = (
    models.Q(("sort__in", ["product", "topic"])) & ~_ALLOWS & ~models.Q(("terms", [])) & models.Q(("intents", []))
)
_BOUNDS = (
    models.Q(("sort__in", ["asset_classes", "clients", "instruments", "jurisdictions", "risk_classes"]))
    & ~_ALLOWS
    & ~models.Q(("terms", []))
)
_BOUNDS_MEANS = (
    models.Q(("sort__in", ["models", "regions", "research_modes", "sources"])) & _ALLOWS & ~models.Q(("terms", []))
)


class Migration(migrations.Migration):
    dependencies = [("intents", "0003_recertification")]

    operations = [
        migrations.CreateModel(
            "PolicyProfileRule",
            fields=[
                ("id", ID),
                ("position", models.PositiveSmallIntegerField()),
                ("key", models.CharField(help_text="How the log, the API and the file name it.", max_length=40)),
                ("sort", models.CharField(help_text="What it is about; RuleSort has them all.", max_length=16)),
                ("name", models.CharField(help_text="What the firm calls it.", max_length=120)),
                (
                    "terms",
                    ArrayField(
                        models.CharField(max_length=120),
                        default=list,
                        help_text="Words and phrases, or the permitted values.",
                        size=None,
                    ),
                ),
                (
                    "intents",
                    ArrayField(
                        models.CharField(max_length=40),
                        default=list,
                        help_text="Short names; empty for every intent.",
                        size=None,
                    ),
                ),
                ("text", models.CharField(help_text="The reason for the user, or the disclaimer.", max_length=600)),
                ("in_question", models.CharField(help_text="refuse or allow.", max_length=8)),
                ("in_answer", models.CharField(help_text="block, flag or allow.", max_length=8)),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.CASCADE, related_name="profile_rules")),
            ],
            options={
                "ordering": ("version", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "version", "key"), name="profile_rule_key_once"),
                    models.CheckConstraint(
                        condition=models.Q(("key__regex", "^[a-z][a-z0-9_]{0,39}$")), name="profile_rule_key"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "sort__in",
                                [
                                    "topic",
                                    "product",
                                    "disclaimer",
                                    "clients",
                                    "instruments",
                                    "asset_classes",
                                    "risk_classes",
                                    "jurisdictions",
                                    "models",
                                    "regions",
                                    "sources",
                                    "research_modes",
                                ],
                            )
                        ),
                        name="profile_rule_known_sort",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("in_question__in", ["refuse", "allow"]), ("in_answer__in", ["block", "flag", "allow"])
                        ),
                        name="profile_rule_known_effect",
                    ),
                    models.CheckConstraint(
                        condition=_DISCLAIMS | _WATCHES | _BOUNDS | _BOUNDS_MEANS,
                        name="profile_rule_does_what_it_is",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("terms__len__lte", 100)), name="profile_rule_most_terms"
                    ),
                ],
            },
        ),
        EnableIsolation("PolicyProfileRule", by=IsolationLevel.TENANT),
        RunSqlFile("profile.sql"),
    ]
