"""The names of scopes and keys can hold a person's name, and are changed where an erasure asks for it.

Whoever manages them changes them: the policies of 0003 and 0004 say so. Grants hang on ids; what has ended stays.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("tenants", "0006_keys_without_order")]

    operations = [
        migrations.RunSQL(
            sql="GRANT UPDATE (key) ON tenants_scope TO glassbox_api, glassbox_worker; "
            "GRANT UPDATE (name) ON tenants_apikey TO glassbox_api, glassbox_worker",
            reverse_sql="REVOKE UPDATE (key) ON tenants_scope FROM glassbox_api, glassbox_worker; "
            "REVOKE UPDATE (name) ON tenants_apikey FROM glassbox_api, glassbox_worker",
        )
    ]
