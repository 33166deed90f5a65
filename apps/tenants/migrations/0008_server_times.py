"""When access began and ended is the server's to say: a personal key could be given a year that begins in 2099."""

from django.db import migrations

from apps.tenants.server_times import FUNCTION, ServerTimes


class Migration(migrations.Migration):
    dependencies = [("tenants", "0007_renaming")]

    operations = [
        migrations.RunSQL(sql=FUNCTION, reverse_sql="DROP FUNCTION tenants_server_times()"),
        ServerTimes("Tenant", begins=("created_at",)),
        ServerTimes("Scope", begins=("created_at",)),
        ServerTimes("Membership", begins=("created_at",), ends=("revoked_at",)),
        ServerTimes("Grant", begins=("valid_from",), ends=("valid_to",)),
        ServerTimes("ApiKey", begins=("created_at",), ends=("revoked_at",), notes=("last_used_at",)),
        ServerTimes("User", begins=("date_joined",), notes=("last_login",)),
        ServerTimes("IdempotentRequest", begins=("created_at",)),
        # What was answered to a request is never changed: it is answered again.
        migrations.RunSQL(
            sql="REVOKE UPDATE ON tenants_idempotentrequest FROM glassbox_api, glassbox_worker",
            reverse_sql="GRANT UPDATE ON tenants_idempotentrequest TO glassbox_api, glassbox_worker",
        ),
    ]
