-- What is unique on the platform is found by its whole value and by nothing else.
--
-- An index of a directory's table visits rows of everybody. One with an order tells how many hidden names lie below a
-- bound; and a unique one lets `INSERT ... ON CONFLICT DO UPDATE ... WHERE` ask a condition of the hidden row that it
-- met, before its policy. So names are held apart by EXCLUDE USING hash, which has no order and decides no conflict.
-- Django's state says "unique" and "indexed" all the same: that is what its forms go by.

ALTER TABLE tenants_user DROP CONSTRAINT tenants_user_username_key,
    ADD CONSTRAINT tenants_user_username_key EXCLUDE USING hash (username WITH =);
ALTER TABLE tenants_tenant DROP CONSTRAINT tenants_tenant_slug_key,
    ADD CONSTRAINT tenants_tenant_slug_key EXCLUDE USING hash (slug WITH =);
ALTER TABLE tenants_accountlink DROP CONSTRAINT tenants_accountlink_token_sha256_key,
    ADD CONSTRAINT tenants_accountlink_token_sha256_key EXCLUDE USING hash (token_sha256 WITH =);

DROP INDEX api_key_by_prefix, tenants_membership_user_id_2c860192, invitation_by_token,
    tenants_factorreset_user_id_286452c2, tenants_recoverycode_user_id_8eaaca13;
CREATE INDEX api_key_by_prefix ON tenants_apikey USING hash (prefix);
CREATE INDEX tenants_membership_user_id_2c860192 ON tenants_membership USING hash (user_id);
CREATE INDEX invitation_by_token ON tenants_invitation USING hash (token_sha256);
CREATE INDEX tenants_factorreset_user_id_286452c2 ON tenants_factorreset USING hash (user_id);
CREATE INDEX tenants_recoverycode_user_id_8eaaca13 ON tenants_recoverycode USING hash (user_id);

DROP INDEX tenants_user_username_6032312e_like, tenants_tenant_slug_0a9b71e6_like,
    tenants_session_key_sha256_60d8a1af_like, tenants_accountlink_token_sha256_7e67825d_like;
-- The sweeper reads all sessions and links once in a while, and a time that has an index can be read out of it.
DROP INDEX tenants_session_expires_at_24a8f157, tenants_accountlink_expires_at_40948e2e;

-- No two accounts have names that read alike. Names are compared folded: NFKC, without case, letters of other scripts
-- as the Latin ones that they are drawn as, and without what is not drawn at all. So a fullwidth or a Cyrillic letter
-- makes no other name, and a name in Cyrillic or Greek stays what it is to everybody but this comparison.
--
-- The letters (Unicode TS 39) are Cyrillic, those that are drawn so as capitals, Greek and others, Armenian; what is
-- not drawn comes last, and is read as nothing.
ALTER TABLE tenants_user ADD CONSTRAINT tenants_user_name_folded EXCLUDE USING hash ((
    translate(
        normalize(casefold(normalize(username, NFKC) COLLATE "pg_unicode_fast"), NFKC),
        U&'\0430\0435\043E\0440\0441\0443\0445\0456\0458\0455\04BB\0501\051B\051D\04CF\043A\0475\0432\043C'
          '\043D\0442\03B2\03B5\03B6\03BC\03C4\03B1\03BF\03BD\03C1\03C5\03B9\03BA\03C7\03C9\03F3\0131\0251'
          '\0261\0269\028B\0585\0570\0578\057D\0566\00AD\034F\061C\180E\200B\200C\200D\200E\200F\2060\FEFF',
        'aeopcyxijshdqwlkvbmhtbezmtaovpuikxwjiagiuohnuq'
    )
) WITH =);
ALTER INDEX tenants_user_name_folded ALTER COLUMN 1 SET STATISTICS 0;

-- An account's id must be a primary key, since others point to it: an inserted one has to be new, so that it meets
-- none.
CREATE FUNCTION tenants_user_id_is_new() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF uuid_extract_timestamp(NEW.id) IS NULL
       OR uuid_extract_timestamp(NEW.id) < date_trunc('milliseconds', transaction_timestamp()) THEN
        RAISE EXCEPTION 'an account''s id is made by the database' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION tenants_user_id_is_new() FROM PUBLIC;
CREATE TRIGGER id_is_new BEFORE INSERT ON tenants_user FOR EACH ROW
    WHEN (row_security_active('tenants_user'::regclass)) EXECUTE FUNCTION tenants_user_id_is_new();

-- An account that administers the platform is made by who may see every account, and by nobody who typed its name: an
-- attempt to sign in opens the identity of the name that was typed, and an account is made under such a one.
CREATE POLICY administers_nothing ON tenants_user AS RESTRICTIVE FOR INSERT
    TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser
    WITH CHECK (NOT is_superuser OR (SELECT authz.identity(7)) = 'all');
