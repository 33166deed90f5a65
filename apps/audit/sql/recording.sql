-- How an event is written: by one function, which believes its caller nothing but what happened.
--
-- Tenant, scopes, actor and permissions are those of the signed scope token, the time is the server's. An event comes
-- with all of its groups, in one statement; from then on nothing is added to it. What a group says is sealed with keys
-- that the database does not have: whether a ciphertext opens its commitment is the verifier's to say, not the
-- function's.
--
-- The function belongs to glassbox_recorder once `manage.py migrate` has handed it over (apps/tenants/provision.py,
-- settle), and no role that runs anything may insert by itself.

-- An event that something acts upon is believed only with what it tells of.
--
-- Sweeps, triggers, policies and verifiers go by events of some classes. Who holds a class's permission could else
-- write such an event alone, past the service that acts: a removal that nobody proposed would be carried out, and a
-- document that another person brought would be deleted. authz.event_class says of each class what binds it
-- (apps/audit/registry.py); its tables and columns are written by the server's administrator alone.
CREATE FUNCTION audit_made_now(binding text[], action text, subject_id uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made boolean;
BEGIN
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM public.%I WHERE tenant_id = $1 AND %I = $2 AND %I >= transaction_timestamp())',
        binding[2], binding[3], binding[4]
    ) INTO made USING authz.tenant(), subject_id;
    -- A row of another transaction that ended meanwhile comes with its own event.
    RETURN made AND NOT (binding[1] = 'made' AND EXISTS (
        SELECT FROM public.audit_event e
         WHERE e.tenant_id = authz.tenant() AND e.subject_id = audit_made_now.subject_id
           AND e.action = audit_made_now.action));
END
$$;
REVOKE ALL ON FUNCTION audit_made_now(text[], text, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_made_now(text[], text, uuid) TO glassbox_recorder;

CREATE FUNCTION audit_record(
    event_id uuid, scopes uuid[], action text, outcome text, subject_type text, subject_id uuid,
    data_key uuid, groups text[], commitments bytea[], ciphertexts bytea[], terms text[]
) RETURNS timestamp with time zone
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
    -- Of an account its own person says what they did; whoever decides as the second one has just shown their second
    -- factor.
    IF NOT (class.permissions || '*'::text) && (held || 'anybody'::text
            || CASE WHEN 'user:' || subject_id::text = ANY (held) THEN 'themselves'::text ELSE 'anybody'::text END)
        OR cardinality(class.permissions) > 0 AND NOT held && ARRAY['factor.fresh', '*']
        AND NOT EXISTS (SELECT FROM unnest(class.permissions) AS p (name) WHERE p.name NOT LIKE '%.approve') THEN
        RAISE EXCEPTION 'nothing is recorded: the token may not write %', action
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Whoever reads an event's scopes takes them for a list. A key that ends with a request would take the event along.
    IF scopes IS NULL OR array_ndims(scopes) > 1
        OR cardinality(scopes) <> (SELECT count(DISTINCT s.id) FROM unnest(scopes) AS s (id))
        OR array_ndims(groups) IS DISTINCT FROM 1 OR array_ndims(commitments) IS DISTINCT FROM 1
        OR array_ndims(ciphertexts) IS DISTINCT FROM 1 OR array_ndims(terms) IS DISTINCT FROM 1
        OR NOT EXISTS (SELECT FROM public.audit_datakey k
                        WHERE k.tenant_id = tenant AND k.id = data_key AND k.subject_id IS NULL) THEN
        RAISE EXCEPTION 'nothing is recorded: lists without repeats and a key of the log are wanted'
            USING ERRCODE = 'check_violation';
    END IF;
    -- Lists go by an event's id.
    IF outcome IS NULL OR outcome NOT IN ('success', 'refused', 'degraded', 'failed')
        OR uuid_extract_version(event_id) IS DISTINCT FROM 7
        OR NOT uuid_extract_timestamp(event_id)
            BETWEEN recorded_at - interval '2 days' AND recorded_at + interval '2 days' THEN
        RAISE EXCEPTION 'nothing is recorded: an outcome and an id of version 7 and of these days are wanted'
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
    -- Parts of events go when a run of two people names them, or a restore repeats it, and the eraser alone says so.
    IF EXISTS (
        SELECT FROM unnest(terms) AS t (joined), unnest(string_to_array(t.joined, U&'\001F')) AS named (term)
         WHERE named.term LIKE 'removal:%'
           AND (class.binding[1] IS DISTINCT FROM 'removal' OR caller <> 'glassbox_eraser'
                OR named.term NOT IN (SELECT public.audit_removal_terms()))
    ) THEN
        RAISE EXCEPTION 'nothing is recorded: no run that is carried out names what is to be removed'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF class.binding <> '{}' AND NOT coalesce(
        CASE class.binding[1]
            WHEN 'removal' THEN caller = 'glassbox_eraser' AND array_to_string(terms, '|') LIKE '%removal:%'
            WHEN 'tenant' THEN caller = 'glassbox_eraser'
                AND tenant IN (SELECT public.audit_removal_targets('tenant'))
            WHEN 'restore' THEN caller = 'glassbox_owner'
            WHEN 'repeated' THEN caller = 'glassbox_eraser'
                AND audit_record.subject_id IN (SELECT public.audit_removal_targets('restore'))
            ELSE public.audit_made_now(class.binding, action, subject_id)
        END, false) THEN
        RAISE EXCEPTION 'nothing is recorded: % is written with what it tells of, and not alone', action
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
           string_to_array(given.joined, U&'\001F')
      FROM unnest(groups, ciphertexts, terms) AS given (name, sealed, joined);
    RETURN recorded_at;
END
$$;
REVOKE ALL ON FUNCTION audit_record(uuid, uuid[], text, text, text, uuid, uuid, text[], bytea[], bytea[], text[])
    FROM PUBLIC;
-- A restore is told of by the owner of the tables.
GRANT EXECUTE ON FUNCTION audit_record(uuid, uuid[], text, text, text, uuid, uuid, text[], bytea[], bytea[], text[])
    TO glassbox_api, glassbox_worker, glassbox_eraser, glassbox_owner;
GRANT INSERT ON audit_event, audit_payload, audit_unsealed TO glassbox_recorder;
CREATE POLICY recording ON audit_event AS PERMISSIVE FOR INSERT TO glassbox_recorder
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
CREATE POLICY recording ON audit_payload AS PERMISSIVE FOR INSERT TO glassbox_recorder
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
CREATE POLICY recording ON audit_unsealed AS PERMISSIVE FOR INSERT TO glassbox_recorder
    WITH CHECK (tenant_id = (SELECT authz.tenant()));
-- No role of a tenant holds this permission; the platform itself holds all.
CREATE POLICY restore_recorded ON audit_event AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK (action <> 'audit.log.restored' OR (SELECT authz.may('log.restore')));
