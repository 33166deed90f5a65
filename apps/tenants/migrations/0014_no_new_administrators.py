"""An account that administers the platform is made by who may see every account, and by nobody who typed its name.

An attempt to sign in opens the identity of the name that was typed, and an account is made under such a one.
"""

from django.db import migrations

_FORWARD = """
CREATE POLICY administers_nothing ON tenants_user AS RESTRICTIVE FOR INSERT
    TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser WITH CHECK
    (NOT is_superuser OR (SELECT authz.identity(7)) = 'all');
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0013_links_without_order")]

    operations = [
        migrations.RunSQL(sql=_FORWARD, reverse_sql="DROP POLICY administers_nothing ON tenants_user"),
    ]
