"""Whose hands an account comes from is known of each, and no two accounts have names that read alike.

Who puts their scope's token away for one statement is nobody to the database: an account is then made by nobody, and in
nobody's hands. So one that no person's token, no invitation to its mailbox and no token of the platform's vouches for is
not made. Names are compared folded (NFKC, without case, letters of other scripts as the Latin ones that they are drawn as): a
fullwidth or a Cyrillic letter makes no other name.
"""

from __future__ import annotations

from typing import Final

from django.db import migrations

# Small letters of other scripts that are drawn as Latin ones (Unicode TS 39), each before what it is read as. A name in
# Cyrillic or Greek stays what it is to everybody but this comparison.
_DRAWN_ALIKE: Final = (
    "\u0430a\u0435e\u043eo\u0440p\u0441c\u0443y\u0445x\u0456i\u0458j\u0455s\u04bbh\u0501d\u051bq\u051dw\u04cfl\u043ak\u0475v"
    "\u0432b\u043cm\u043dh\u0442t\u03b2b\u03b5e\u03b6z\u03bcm\u03c4t"  # drawn so as capitals
    "\u03b1a\u03bfo\u03bdv\u03c1p\u03c5u\u03b9i\u03bak\u03c7x\u03c9w\u03f3j\u0131i\u0251a\u0261g\u0269i\u028bu\u0585o\u0570h\u0578n\u057du\u0566q"
)
# What is not drawn at all.
_UNSEEN: Final = "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
_FOLDED: Final = (
    'translate(normalize(casefold(normalize(username, NFKC) COLLATE "pg_unicode_fast"), NFKC), '
    f"'{_DRAWN_ALIKE[::2]}{_UNSEEN}', '{_DRAWN_ALIKE[1::2]}')"
)
_FORWARD: Final = f"""
CREATE FUNCTION tenants_accountorigin_known() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    mailbox text;
BEGIN
    SELECT i.email INTO mailbox FROM tenants_invitation i
     WHERE i.token_sha256 = (SELECT authz.identity(9)) AND i.accepted_at IS NULL AND i.revoked_at IS NULL
       AND i.expires_at > clock_timestamp();
    IF FOUND AND NOT tenants_has_mailbox(NEW.user_id, mailbox)
        OR NOT FOUND AND authz.person() IS NULL AND NOT authz.may('glassbox.platform')
           AND authz.identity(12) IS DISTINCT FROM 'platform' THEN
        RAISE EXCEPTION 'an account is made by a person, by the platform, or for the mailbox that was invited'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_accountorigin_known BEFORE INSERT ON tenants_accountorigin
    FOR EACH ROW EXECUTE FUNCTION tenants_accountorigin_known();
-- Without an order, as 0006_keys_without_order: no index tells of hidden names, and no conflict asks of one.
ALTER TABLE tenants_user ADD CONSTRAINT tenants_user_name_folded EXCLUDE USING hash (({_FOLDED}) WITH =);
ALTER INDEX tenants_user_name_folded ALTER COLUMN 1 SET STATISTICS 0;
"""  # noqa: S608 (constants)
_BACKWARD: Final = """
ALTER TABLE tenants_user DROP CONSTRAINT tenants_user_name_folded;
DROP TRIGGER tenants_accountorigin_known ON tenants_accountorigin;
DROP FUNCTION tenants_accountorigin_known();
"""


class Migration(migrations.Migration):
    dependencies = (("tenants", "0021_factor_stands"),)

    operations = (migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),)
