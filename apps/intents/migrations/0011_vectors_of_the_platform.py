"""Golden vectors are the platform's to write: whoever writes one decides how a policy in force classifies questions."""

from django.db import migrations

from apps.tenants.rights import RUNTIME_ROLES

_ROLES = ", ".join(RUNTIME_ROLES)

# No role of a tenant holds this permission; the platform's own token holds all.
_FORWARD = f"""
CREATE POLICY vectors_of_the_platform ON intents_goldenvector AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
REVOKE UPDATE ON intents_goldenvector FROM {_ROLES};
"""  # noqa: S608 (constants)
_BACKWARD = f"""
GRANT UPDATE ON intents_goldenvector TO {_ROLES};
DROP POLICY vectors_of_the_platform ON intents_goldenvector;
"""


class Migration(migrations.Migration):
    dependencies = [("intents", "0010_stamped")]

    operations = [migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD)]
