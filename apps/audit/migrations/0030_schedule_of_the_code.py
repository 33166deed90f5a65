"""What runs by the clock stands in the code alone: the tables in which the worker could switch it off go."""

from django.db import migrations

_TABLES = ", ".join(
    f"django_celery_beat_{name}"
    for name in (
        "periodictask",
        "periodictasks",
        "clockedschedule",
        "crontabschedule",
        "intervalschedule",
        "solarschedule",
    )
)


class Migration(migrations.Migration):
    dependencies = [("audit", "0029_verification_statements")]

    operations = [
        migrations.RunSQL(
            sql=(
                f"DROP TABLE IF EXISTS {_TABLES} CASCADE",
                "DELETE FROM django_migrations WHERE app = 'django_celery_beat'",  # the package is not installed now
            ),
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
