"""Ends of runs: what came since joins the targets, what stays is named, and a proof that can't be made is given up."""

from django.db import migrations, models

from apps.audit.migrations import _ends


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0017_access"),
    ]

    operations = [
        migrations.AddField(
            model_name="removalrun",
            name="staying",
            field=models.JSONField(default=list),
        ),
        migrations.AddField(
            model_name="removalrun",
            name="unproven_agreed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="removalrun",
            name="unproven_agreed_by",
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name="removalrun",
            name="unproven_asked_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="removalrun",
            name="unproven_asked_by",
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name="removalrun",
            name="unproven_code",
            field=models.CharField(blank=True, default="", max_length=32),
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("unproven_agreed_by__isnull", True),
                    models.Q(("unproven_agreed_by", models.F("unproven_asked_by")), _negated=True),
                    _connector="OR",
                ),
                name="removal_unproven_by_two",
            ),
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("unproven_agreed_by__isnull", True), ("unproven_asked_by__isnull", True), ("unproven_code", "")
                    ),
                    models.Q(
                        models.Q(("unproven_code", ""), _negated=True),
                        ("unproven_asked_at__isnull", False),
                        ("unproven_asked_by__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="removal_unproven_for_a_reason",
            ),
        ),
        migrations.RunSQL(sql=_ends.TARGETS, reverse_sql=_ends.NO_TARGETS),
        migrations.RunSQL(sql=_ends.RUNS, reverse_sql=_ends.NO_RUNS),
        migrations.RunSQL(sql=_ends.GRANTS, reverse_sql=_ends.NO_GRANTS),
    ]
