"""A key of the tenant's is made by a person who is signed in, as a key of a person's is.

A key that made another one would outlive its own revocation, and could make one of a role that may more than its own.
What signs by a key lacks key.own; the platform's own token holds everything.
"""

from __future__ import annotations

from typing import Final

from django.db import migrations

_FORWARD: Final = """
CREATE POLICY by_who_is_signed_in ON tenants_apikey AS RESTRICTIVE FOR INSERT
    TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser WITH CHECK ((SELECT authz.may('key.own')));
"""


class Migration(migrations.Migration):
    dependencies = (("tenants", "0023_invitation_chain"),)

    operations = (migrations.RunSQL(sql=_FORWARD, reverse_sql="DROP POLICY by_who_is_signed_in ON tenants_apikey"),)
