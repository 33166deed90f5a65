"""A mailed link ends with what it stands on, and its secret is the platform's.

A password that is set, and an address that changes, end every other link of the account, in the same transaction. A link
to set a password works while the account has the mailbox that it was sent to. Who makes one says so in a token of its
own (Identity.mails), which no look-up is ever given.
"""

from __future__ import annotations

from typing import Final

from django.db import migrations

from apps.tenants.migrations import _people
from apps.tenants.operations import PoliciesByCommand

_LINK: Final = "token_sha256 = (SELECT authz.identity(9))"
_SELF: Final = "user_id = (SELECT authz.identity(1))::uuid"
_ENDED: Final = "((SELECT authz.identity(8)) = 'all' AND expires_at <= now())"
# For tenants_links_end alone, which runs where a password is set, or an address.
_OF_CHANGED: Final = (
    "(CURRENT_USER = 'glassbox_remover' AND ((SELECT authz.identity(7)) = 'all' "
    f"OR {_SELF} OR user_id = (SELECT authz.identity(10))::uuid))"
)
_READ: Final = f"USING ((SELECT authz.is_open()) AND ({_SELF} OR {_LINK} OR {_ENDED} OR {_OF_CHANGED}))"
_DELETE: Final = f"USING ({_ENDED} OR {_OF_CHANGED})"
# As 0003_wall shows accounts.
_ACCOUNT: Final = (
    "USING ((SELECT authz.is_open()) AND (id = (SELECT authz.identity(1))::uuid OR (SELECT authz.identity(7)) = 'all' "
    "OR upper(username) = upper(convert_from(decode((SELECT authz.identity(5)), 'hex'), 'UTF8')) "
    "OR EXISTS (SELECT FROM tenants_membership m WHERE m.user_id = tenants_user.id "
    "AND m.tenant_id = (SELECT authz.tenant_if_open()))))"
)

_BEFORE: Final = PoliciesByCommand(
    "AccountLink",
    read=f"USING ((SELECT authz.is_open()) AND ({_SELF} OR {_LINK} OR {_ENDED}))",
    insert=f"WITH CHECK ({_SELF})",
    update=f"USING ({_LINK}) WITH CHECK ({_LINK})",
    delete=f"USING ({_ENDED})",
    updatable=("used_at",),
)

_STARTS = _people.FORWARD.index("CREATE FUNCTION tenants_accountlink_step()")
_ENDS = _people.FORWARD.index("CREATE TRIGGER tenants_accountlink_step")
_STEP_BEFORE: Final = _people.FORWARD[_STARTS:_ENDS].replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")

_FORWARD: Final = f"""
-- Whether an account has this mailbox.
CREATE FUNCTION tenants_has_mailbox(account uuid, address text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN EXISTS (SELECT FROM public.tenants_user u WHERE u.id = account AND u.email = address AND address <> '');
END
$$;
REVOKE ALL ON FUNCTION tenants_has_mailbox(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_has_mailbox(uuid, text) TO glassbox_api, glassbox_worker;
GRANT SELECT (id, username, email) ON tenants_user TO glassbox_remover;
CREATE POLICY has_mailbox ON tenants_user FOR SELECT TO glassbox_remover {_ACCOUNT};

CREATE OR REPLACE FUNCTION tenants_accountlink_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF (TG_OP = 'INSERT' OR OLD.used_at IS NULL) AND NEW.purpose = 'password'
        AND NOT tenants_has_mailbox(NEW.user_id, NEW.email) THEN
        RAISE EXCEPTION 'a link to set a password is for the mailbox of its account' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.created_at := clock_timestamp();
        NEW.expires_at := clock_timestamp() + interval '1 hour';
        NEW.used_at := NULL;
        RETURN NEW;
    END IF;
    IF (to_jsonb(NEW) - 'used_at') IS DISTINCT FROM (to_jsonb(OLD) - 'used_at') OR OLD.used_at IS NOT NULL
        OR OLD.expires_at <= clock_timestamp() THEN
        RAISE EXCEPTION 'a link is used once, before it expires' USING ERRCODE = 'check_violation';
    END IF;
    IF authz.identity(1) IS DISTINCT FROM OLD.user_id::text THEN
        RAISE EXCEPTION 'a link is used for its account' USING ERRCODE = 'check_violation';
    END IF;
    NEW.used_at := now();
    RETURN NEW;
END
$$;

-- Argument: the column that names the account.
CREATE FUNCTION tenants_links_end() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    account uuid := (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
BEGIN
    DELETE FROM public.tenants_accountlink WHERE user_id = account AND used_at IS NULL;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION tenants_links_end() FROM PUBLIC;
GRANT SELECT (user_id, used_at, token_sha256, expires_at), DELETE ON tenants_accountlink TO glassbox_remover;
CREATE POLICY links_end ON tenants_accountlink FOR SELECT TO glassbox_remover {_READ};
CREATE POLICY links_end_delete ON tenants_accountlink FOR DELETE TO glassbox_remover {_DELETE};
CREATE TRIGGER tenants_links_end AFTER INSERT OR UPDATE ON tenants_credential
    FOR EACH ROW EXECUTE FUNCTION tenants_links_end('user_id');
CREATE TRIGGER tenants_links_end AFTER UPDATE OF email ON tenants_user FOR EACH ROW
    WHEN (NEW.email <> OLD.email) EXECUTE FUNCTION tenants_links_end('id');
"""  # noqa: S608 (constants)

_BACKWARD: Final = f"""
DROP TRIGGER tenants_links_end ON tenants_user;
DROP TRIGGER tenants_links_end ON tenants_credential;
DROP POLICY links_end_delete ON tenants_accountlink;
DROP POLICY links_end ON tenants_accountlink;
REVOKE ALL ON tenants_accountlink FROM glassbox_remover;
REVOKE SELECT (user_id, used_at, token_sha256, expires_at) ON tenants_accountlink FROM glassbox_remover;
DROP FUNCTION tenants_links_end();
{_STEP_BEFORE}
DROP POLICY has_mailbox ON tenants_user;
REVOKE SELECT (id, username, email) ON tenants_user FROM glassbox_remover;
DROP FUNCTION tenants_has_mailbox(uuid, text);
"""  # noqa: S608 (constants)


class Migration(migrations.Migration):
    dependencies = (("tenants", "0018_personal_columns"),)

    operations = (
        PoliciesByCommand(
            "AccountLink",
            read=_READ,
            insert="WITH CHECK (user_id = (SELECT authz.identity(11))::uuid)",
            update=f"USING ({_LINK}) WITH CHECK ({_LINK})",
            delete=_DELETE,
            updatable=("used_at",),
            was=_BEFORE,
        ),
        migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),
    )
