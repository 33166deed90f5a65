"""How an event is written: by one function, which believes its caller nothing but what happened. Part of migration 0022.

Tenant, scopes, actor and permissions are those of the signed scope token, the time is the server's. An event comes with
all of its groups, in one statement; from then on nothing is added to it. What a group says is sealed with keys that the
database does not have: whether a ciphertext opens its commitment is the verifier's to say, not the function's.

The function belongs to glassbox_recorder once `manage.py migrate` has handed it over (apps/tenants/provision.py, settle),
and no role that runs anything may insert by itself.
"""

from __future__ import annotations

SIGNATURE = "audit_record(uuid, uuid[], text, text, text, uuid, uuid, text[], bytea[], bytea[], text[])"
_WRITERS = "glassbox_api, glassbox_worker, glassbox_eraser"
_TABLES = "audit_event, audit_payload, audit_unsealed"
_TENANT = "tenant_id = (SELECT authz.tenant())"
_POLICIES = {
    "audit_event": f"{_TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]",
    "audit_payload": f"{_TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]",
    "audit_unsealed": _TENANT,
}
# What the worker makes of events is the platform's, and never that of a person on whose behalf a job runs.
_SEALING = {
    "audit_leaf": "INSERT",
    "audit_subtree": "INSERT",
    "audit_checkpoint": "INSERT",
    "audit_certificate": "INSERT",
    "audit_tombstonemark": "INSERT",
    "audit_datakey": "UPDATE",
    "audit_unsealed": "DELETE",
}
# A key that does not unwrap, put where the next quarter's will be looked for, would keep everybody from recording
# anything. A key of one request alone seals nothing else.
_KEYS = "(SELECT authz.may('glassbox.platform')) OR subject_id IS NOT NULL AND (SELECT authz.may('privacy.manage'))"

FUNCTION = """
    CREATE FUNCTION audit_record(
        event_id uuid, scopes uuid[], action text, outcome text, subject_type text, subject_id uuid,
        data_key uuid, groups text[], commitments bytea[], ciphertexts bytea[], terms text[]
    ) RETURNS timestamptz
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        claim text[] := authz.verified('glassbox.scope', 's');
        held text[] := string_to_array(claim[3], ',');
        -- Whose rights the statement had before it came here.
        caller text := CASE current_setting('role') WHEN 'none' THEN session_user::text ELSE current_setting('role') END;
        recorded_at timestamptz := clock_timestamp();
        tenant uuid := claim[1]::uuid;
        class record;
        actor text[];
        bound jsonb := '{}';
    BEGIN
        IF claim IS NULL THEN
            RAISE EXCEPTION 'no scope is open' USING ERRCODE = 'insufficient_privilege',
                HINT = 'Open one with apps.tenants.context.open_scope.';
        END IF;
        SELECT string_to_array(c, ':') INTO actor FROM unnest(held) AS c WHERE starts_with(c, 'actor:');
        IF NOT FOUND THEN
            RAISE EXCEPTION 'nothing is recorded: the token does not say who acts' USING ERRCODE = 'insufficient_privilege';
        END IF;
        SELECT * INTO class FROM authz.event_class k WHERE k.action = audit_record.action;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'nothing is recorded: % is no registered action', action USING ERRCODE = 'check_violation';
        END IF;
        IF NOT (class.permissions || '*'::text) && (held || 'anybody'::text) THEN
            RAISE EXCEPTION 'nothing is recorded: the token may not write %', action
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF outcome IS NULL OR outcome NOT IN ('success', 'refused', 'degraded', 'failed')
            OR uuid_extract_version(event_id) IS DISTINCT FROM 7 THEN
            RAISE EXCEPTION 'nothing is recorded: an id of version 7 and an outcome are wanted'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NOT coalesce(groups @> class.required AND groups <@ class.groups, false)
            OR cardinality(commitments) IS DISTINCT FROM cardinality(groups)
            OR cardinality(ciphertexts) IS DISTINCT FROM cardinality(groups)
            OR cardinality(terms) IS DISTINCT FROM cardinality(groups)
            OR EXISTS (SELECT FROM unnest(commitments) AS c (bytes) WHERE octet_length(c.bytes) IS DISTINCT FROM 32) THEN
            RAISE EXCEPTION 'nothing is recorded: % is written with other field groups, each with its commitment', action
                USING ERRCODE = 'check_violation';
        END IF;
        IF action = 'audit.log.emptied' AND (caller <> 'glassbox_eraser'
            OR tenant NOT IN (SELECT public.audit_removal_targets('tenant'))) THEN
            RAISE EXCEPTION 'nothing is recorded: the eraser alone empties a log, for a run that names the tenant'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        -- The eraser authorises the removal of what a run that it carries out names, and of nothing else.
        IF caller = 'glassbox_eraser' AND EXISTS (
            SELECT FROM unnest(terms) AS t (joined), unnest(string_to_array(t.joined, U&'\\001F')) AS named (term)
             WHERE named.term LIKE 'removal:%' AND named.term NOT IN (SELECT public.audit_removal_terms())
        ) THEN
            RAISE EXCEPTION 'nothing is recorded: no run that is carried out names what is to be removed'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        SELECT jsonb_object_agg(g.name, encode(g.bytes, 'hex')) INTO bound
          FROM unnest(groups, commitments) AS g (name, bytes);
        INSERT INTO public.audit_event (
            id, tenant_id, scope_ids, action, outcome, occurred_at, actor_kind, actor_id, actor_label,
            subject_type, subject_id, commitments
        ) VALUES (
            event_id, tenant, scopes, action, outcome, recorded_at, actor[2], nullif(actor[3], '')::uuid,
            convert_from(decode(actor[4], 'hex'), 'UTF8'), subject_type, subject_id, bound
        );
        INSERT INTO public.audit_unsealed (tenant_id, event_id) VALUES (tenant, audit_record.event_id);
        INSERT INTO public.audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms)
        SELECT tenant, audit_record.event_id, scopes, given.name, given.sealed, data_key,
               string_to_array(given.joined, U&'\\001F')
          FROM unnest(groups, ciphertexts, terms) AS given (name, sealed, joined);
        RETURN recorded_at;
    END
    $$;
"""
RIGHTS = f"""
    REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {_WRITERS};
    GRANT INSERT ON {_TABLES} TO glassbox_recorder;
    REVOKE INSERT ON {_TABLES} FROM {_WRITERS};
""" + "".join(
    f"CREATE POLICY recording ON {table} AS PERMISSIVE FOR INSERT TO glassbox_recorder WITH CHECK ({predicate});\n"
    for table, predicate in _POLICIES.items()
)
NO_RIGHTS = f"""
    GRANT INSERT ON {_TABLES} TO {_WRITERS};
    REVOKE INSERT ON {_TABLES} FROM glassbox_recorder;
""" + "".join(f"DROP POLICY recording ON {table};\n" for table in _POLICIES)

# The function holds what these held: with its rights, they would ask the wrong role.
DROPPED = """
    DROP POLICY removal_authorised ON audit_event;
    DROP POLICY log_emptied_by_the_eraser ON audit_event;
    DROP POLICY log_emptied_by_a_run ON audit_event;
    DROP POLICY removal_of_a_run ON audit_payload;
"""
KEPT = """
    CREATE POLICY removal_authorised ON audit_event AS RESTRICTIVE FOR INSERT TO PUBLIC
        WITH CHECK (action <> 'audit.payload.erased' OR (SELECT authz.may('privacy.manage')));
    CREATE POLICY log_emptied_by_the_eraser ON audit_event AS RESTRICTIVE FOR INSERT TO PUBLIC
        WITH CHECK (action <> 'audit.log.emptied' OR CURRENT_USER = 'glassbox_eraser');
    CREATE POLICY log_emptied_by_a_run ON audit_event AS RESTRICTIVE FOR INSERT TO glassbox_eraser
        WITH CHECK (action <> 'audit.log.emptied' OR tenant_id IN (SELECT audit_removal_targets('tenant')));
    CREATE POLICY removal_of_a_run ON audit_payload AS RESTRICTIVE FOR INSERT TO glassbox_eraser WITH CHECK (
        NOT EXISTS (
            SELECT FROM unnest(terms) AS named (term)
             WHERE named.term LIKE 'removal:%' AND named.term NOT IN (SELECT audit_removal_terms()))
    );
"""
SEALING = (
    "".join(
        f"CREATE POLICY by_the_platform ON {table} AS RESTRICTIVE FOR {command} TO PUBLIC "
        f"{'WITH CHECK' if command == 'INSERT' else 'USING'} ((SELECT authz.may('glassbox.platform')));\n"
        for table, command in _SEALING.items()
    )
    + f"CREATE POLICY made_by_the_platform ON audit_datakey AS RESTRICTIVE FOR INSERT TO PUBLIC WITH CHECK ({_KEYS});\n"
)
NO_SEALING = "DROP POLICY made_by_the_platform ON audit_datakey;\n" + "".join(
    f"DROP POLICY by_the_platform ON {table};\n" for table in _SEALING
)
