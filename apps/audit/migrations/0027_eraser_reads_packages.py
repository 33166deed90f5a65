"""The eraser reads until when packages are good: the trigger of a request's steps asks it, whoever takes the step."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("audit", "0026_decided")]

    operations = [
        migrations.RunSQL(
            sql="GRANT SELECT (expires_at) ON audit_accesspackage TO glassbox_eraser",
            reverse_sql="REVOKE SELECT (expires_at) ON audit_accesspackage FROM glassbox_eraser",
        ),
    ]
