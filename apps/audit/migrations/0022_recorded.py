"""Events are written by audit_record alone: in the name of whoever acts, at the time that it is, whole and once.

What was written past it before can be taken out of a log, by two people (apps/audit/verify/mending.py).
"""

from django.db import migrations, models

from apps.audit.migrations import _recorded

_ORIGIN = models.CharField(
    choices=[("purge", "Purge"), ("log", "Mending of the log"), ("request", "Erasure request")], max_length=16
)
_STATES = (
    "proposed",
    "rejected",
    "approved",
    "executing",
    "verifying",
    "completed",
    "partially_completed",
    "failed",
)


class Migration(migrations.Migration):
    dependencies = [("audit", "0021_redacted")]

    operations = [
        migrations.RunSQL(sql=_recorded.DROPPED, reverse_sql=_recorded.KEPT),
        migrations.RunSQL(sql=_recorded.FUNCTION, reverse_sql=f"DROP FUNCTION {_recorded.SIGNATURE}"),
        migrations.RunSQL(sql=_recorded.RIGHTS, reverse_sql=_recorded.NO_RIGHTS),
        migrations.RunSQL(sql=_recorded.SEALING, reverse_sql=_recorded.NO_SEALING),
        migrations.AlterField(model_name="removalrun", name="origin", field=_ORIGIN),
        migrations.RemoveConstraint(model_name="removalrun", name="removal_known_words"),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("origin__in", ("purge", "log", "request")),
                    ("proof__in", ("counts", "physical")),
                    ("state__in", _STATES),
                ),
                name="removal_known_words",
            ),
        ),
    ]
