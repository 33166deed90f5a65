"""Nobody confirms a membership who stands above it in the chain of invitations.

An administrator needs nobody to invite another administrator, who may be a second mailbox of theirs. So whoever invited
the person, invited who invited them, and so on up, is not the second person. Who holds a role that approves was confirmed
by somebody outside of such a chain, or by the platform's operator, and so is another person than all in it. Where a firm
has nobody outside of the chain yet, the operator confirms (`manage.py tenant member`).
"""

from __future__ import annotations

from typing import Final

from django.db import migrations

_FORWARD: Final = """
CREATE FUNCTION tenants_invited_by_hands(tenant uuid, account uuid, inviter uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    chain uuid[] := array_remove(ARRAY[account, inviter], NULL);
    more uuid[];
BEGIN
    LOOP
        SELECT array_agg(DISTINCT m.created_by_id) INTO more FROM tenants_membership m
         WHERE m.tenant_id = tenant AND m.user_id = ANY (chain) AND m.created_by_id <> ALL (chain);
        EXIT WHEN more IS NULL;
        chain := chain || more;
    END LOOP;
    RETURN EXISTS (SELECT FROM unnest(chain) AS each (person) WHERE tenants_same_hands(each.person));
END
$$;
REVOKE ALL ON FUNCTION tenants_invited_by_hands(uuid, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_invited_by_hands(uuid, uuid, uuid) TO glassbox_api, glassbox_worker;

CREATE FUNCTION tenants_membership_chain() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NOT authz.may('glassbox.platform')
        AND tenants_invited_by_hands(OLD.tenant_id, OLD.user_id, OLD.created_by_id) THEN
        RAISE EXCEPTION 'a role that approves is confirmed by somebody outside of the chain of invitations'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- After tenants_membership_step, which says first what is wrong with a step.
CREATE TRIGGER tenants_membership_step_chain BEFORE UPDATE OF confirmed_at, confirmed_by_id ON tenants_membership
    FOR EACH ROW WHEN (OLD.confirmed_at IS NULL AND NEW.confirmed_at IS NOT NULL)
    EXECUTE FUNCTION tenants_membership_chain();
"""
_BACKWARD: Final = """
DROP TRIGGER tenants_membership_step_chain ON tenants_membership;
DROP FUNCTION tenants_membership_chain();
DROP FUNCTION tenants_invited_by_hands(uuid, uuid, uuid);
"""


class Migration(migrations.Migration):
    dependencies = (("tenants", "0022_accounts_begin"),)

    operations = (migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),)
