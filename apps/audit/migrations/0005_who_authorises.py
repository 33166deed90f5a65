"""An event that authorises removals is written only by who may manage privacy; the database holds that.

Otherwise the service alone would ask: whoever has SQL in any member's scope could write one, and the eraser, which goes by
the log, would carry it out.
"""

from django.db import migrations

_POLICY = """
    CREATE POLICY removal_authorised ON audit_event AS RESTRICTIVE FOR INSERT TO PUBLIC
        WITH CHECK (action <> 'audit.payload.erased' OR (SELECT authz.may('privacy.manage')))
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_erase")]

    operations = [
        migrations.RunSQL(sql=_POLICY, reverse_sql="DROP POLICY removal_authorised ON audit_event"),
    ]
