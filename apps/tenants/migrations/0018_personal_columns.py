"""Of a colleague the directory shows a name and whether the account is active: no address, no sign-ins, no standing.

Columns are granted one by one, and one function reads the others, to whom the token says that it may (authz.knows). The
auditor's role, which signs nobody in, reads no digest that somebody is known by.
"""

from __future__ import annotations

from typing import Final

from django.db import migrations

from apps.tenants.migrations import _people

_SHOWN: Final = "id, username, first_name, last_name, is_active"
_PERSONAL: Final = ("password", "last_login", "is_superuser", "email", "is_staff", "date_joined")
_ROLES: Final = "glassbox_api, glassbox_worker"
_READERS: Final = f"{_ROLES}, glassbox_owner, glassbox_auditor, glassbox_eraser"

_STARTS = _people.FORWARD.index("CREATE FUNCTION tenants_accountorigin_step()")
_ENDS = _people.FORWARD.index("CREATE TRIGGER tenants_accountorigin_step")
_STEP_BEFORE: Final = _people.FORWARD[_STARTS:_ENDS].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
_STEP: Final = _STEP_BEFORE.replace("u.email", "tenants_of_account(u.id, u.username, 'email')")

_FORWARD: Final = f"""
CREATE FUNCTION tenants_of_account(account uuid, username text, named text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT authz.knows(account, username) THEN
        RETURN NULL;
    END IF;
    -- With its name: whoever asks might give another one, by which the token would know any account.
    RETURN (SELECT CASE named {" ".join(f"WHEN '{name}' THEN u.{name}::text" for name in _PERSONAL)} END
              FROM public.tenants_user u WHERE u.id = account AND u.username = tenants_of_account.username);
END
$$;
REVOKE ALL ON FUNCTION tenants_of_account(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_of_account(uuid, text, text) TO {_ROLES}, glassbox_eraser;
GRANT SELECT (id, username, {", ".join(_PERSONAL)}) ON tenants_user TO glassbox_remover;
ALTER POLICY isolation_read ON tenants_user TO {_READERS}, glassbox_remover;
REVOKE SELECT ON tenants_user FROM {_ROLES};
GRANT SELECT ({_SHOWN}) ON tenants_user TO {_ROLES};
{_STEP}
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT attrelid::regclass AS "table", string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute
                WHERE attrelid IN ('tenants_apikey'::regclass, 'tenants_invitation'::regclass) AND attnum > 0
                  AND NOT attisdropped AND attname NOT IN ('secret_sha256', 'token_sha256') GROUP BY 1 LOOP
        EXECUTE format('REVOKE SELECT ON %s FROM glassbox_auditor', one."table");
        EXECUTE format('GRANT SELECT (%s) ON %s TO glassbox_auditor', one.columns, one."table");
    END LOOP;
END
$$;
"""  # noqa: S608 (constants)
_BACKWARD: Final = f"""
GRANT SELECT ON tenants_apikey, tenants_invitation TO glassbox_auditor;
{_STEP_BEFORE}
REVOKE SELECT ({_SHOWN}) ON tenants_user FROM {_ROLES};
GRANT SELECT ON tenants_user TO {_ROLES};
ALTER POLICY isolation_read ON tenants_user TO {_READERS};
REVOKE SELECT (id, username, {", ".join(_PERSONAL)}) ON tenants_user FROM glassbox_remover;
DROP FUNCTION tenants_of_account(uuid, text, text);
"""  # noqa: S608 (constants)


class Migration(migrations.Migration):
    dependencies = (("tenants", "0017_requests_without_times"),)

    operations = (migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),)
