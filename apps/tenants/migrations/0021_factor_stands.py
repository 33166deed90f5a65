"""A step-up, recovery codes and a reset hang on the factor itself: while it stands, and for all who rely on it."""

from __future__ import annotations

from typing import Final

from django.db import migrations

from apps.tenants.migrations import _factor_stands
from apps.tenants.operations import PoliciesByCommand

_SELF: Final = "user_id = (SELECT authz.identity(1))::uuid"
_TENANT: Final = "tenant_id = (SELECT authz.tenant())"
_MEMBERS: Final = "(SELECT authz.may('member.manage'))"
_DECIDES: Final = f"({_MEMBERS} OR (SELECT authz.may('policy.approve')) OR (SELECT authz.may('privacy.approve')))"
# For the functions of this migration alone, which answer with yes or no.
_OF_ACTOR: Final = "(CURRENT_USER = 'glassbox_remover' AND user_id = (SELECT authz.person()))"
_FACTOR_READ: Final = f"USING ((SELECT authz.is_open()) AND ({_SELF} OR {_OF_ACTOR}))"
_RESET_READ: Final = f"USING ({_TENANT} OR (CURRENT_USER = 'glassbox_remover' AND {_SELF}))"
_FACTOR_WRITES: Final = {
    "insert": f"WITH CHECK ({_SELF})",
    "update": f"USING ({_SELF}) WITH CHECK ({_SELF})",
    "delete": f"USING ({_SELF})",
}
_RESET_WRITES: Final = {
    "insert": f"WITH CHECK ({_TENANT} AND {_MEMBERS})",
    "update": f"USING ({_TENANT} AND {_DECIDES}) WITH CHECK ({_TENANT} AND {_DECIDES})",
}
_FACTOR_COLUMNS: Final = ("confirmed_at", "last_step")
_RESET_COLUMNS: Final = ("agreed_by_id", "agreed_at", "revoked_at")


class Migration(migrations.Migration):
    dependencies = (("tenants", "0020_keys_end"),)

    operations = (
        PoliciesByCommand(
            "SecondFactor",
            read=_FACTOR_READ,
            **_FACTOR_WRITES,
            updatable=_FACTOR_COLUMNS,
            was=PoliciesByCommand(
                "SecondFactor",
                read=f"USING ((SELECT authz.is_open()) AND {_SELF})",
                **_FACTOR_WRITES,
                updatable=_FACTOR_COLUMNS,
            ),
        ),
        PoliciesByCommand(
            "FactorReset",
            read=_RESET_READ,
            **_RESET_WRITES,
            updatable=_RESET_COLUMNS,
            was=PoliciesByCommand("FactorReset", read=f"USING ({_TENANT})", **_RESET_WRITES, updatable=_RESET_COLUMNS),
        ),
        migrations.RunSQL(
            sql=f"CREATE POLICY factor_stands ON tenants_secondfactor FOR SELECT TO glassbox_remover {_FACTOR_READ}; "
            f"CREATE POLICY factor_given_up ON tenants_factorreset FOR SELECT TO glassbox_remover {_RESET_READ};",
            reverse_sql="DROP POLICY factor_stands ON tenants_secondfactor; "
            "DROP POLICY factor_given_up ON tenants_factorreset;",
        ),
        migrations.RunSQL(sql=_factor_stands.FORWARD, reverse_sql=_factor_stands.BACKWARD),
    )
