"""An event that something acts upon is believed only with what it tells of. Part of migration 0033.

Sweeps, triggers, policies and verifiers go by events of some classes. Who holds a class's permission could else write
such an event alone, past the service that acts: a removal that nobody proposed would be carried out, and a document
that another person brought would be deleted. authz.event_class says of each class what binds it (apps/audit/registry.py).

The functions belong to others by now: the owner of the schema can't replace them, but drop them, and `manage.py migrate`
hands them over anew.
"""

from __future__ import annotations

from apps.audit.migrations._recorded import FUNCTION, SIGNATURE

_RUNNERS = "glassbox_api, glassbox_worker, glassbox_eraser"
# Tables and columns are those that authz.event_class names, which the server's administrator alone writes.
MADE_NOW = """
    CREATE FUNCTION audit_made_now(binding text[], action text, subject_id uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path = pg_catalog, pg_temp AS $$
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
"""
NOT_MADE_NOW = "DROP FUNCTION audit_made_now(text[], text, uuid)"

# Of an account its own person says what they did; whoever decides as the second one has just shown their second factor.
_PERMITTED = """\
        IF NOT (class.permissions || '*'::text) && (held || 'anybody'::text) THEN
"""
_PERMITTED_NOW = """\
        IF NOT (class.permissions || '*'::text) && (held || 'anybody'::text
                || CASE WHEN 'user:' || subject_id::text = ANY (held) THEN 'themselves'::text ELSE 'anybody'::text END)
            OR cardinality(class.permissions) > 0 AND NOT held && ARRAY['factor.fresh', '*']
            AND NOT EXISTS (SELECT FROM unnest(class.permissions) AS p (name) WHERE p.name NOT LIKE '%.approve') THEN
"""
# Lists go by an event's id, and whoever reads its scopes takes them for a list. A key that ends with a request would
# take the event with it.
_MADE = """\
        IF outcome IS NULL OR outcome NOT IN ('success', 'refused', 'degraded', 'failed')
            OR uuid_extract_version(event_id) IS DISTINCT FROM 7 THEN
            RAISE EXCEPTION 'nothing is recorded: an id of version 7 and an outcome are wanted'
"""
_MADE_NOW = """\
        IF scopes IS NULL OR array_ndims(scopes) > 1
            OR cardinality(scopes) <> (SELECT count(DISTINCT s.id) FROM unnest(scopes) AS s (id))
            OR array_ndims(groups) IS DISTINCT FROM 1 OR array_ndims(commitments) IS DISTINCT FROM 1
            OR array_ndims(ciphertexts) IS DISTINCT FROM 1 OR array_ndims(terms) IS DISTINCT FROM 1
            OR NOT EXISTS (SELECT FROM public.audit_datakey k
                            WHERE k.tenant_id = tenant AND k.id = data_key AND k.subject_id IS NULL) THEN
            RAISE EXCEPTION 'nothing is recorded: lists without repeats and a key of the log are wanted'
                USING ERRCODE = 'check_violation';
        END IF;
        IF outcome IS NULL OR outcome NOT IN ('success', 'refused', 'degraded', 'failed')
            OR uuid_extract_version(event_id) IS DISTINCT FROM 7
            OR NOT uuid_extract_timestamp(event_id)
                BETWEEN recorded_at - interval '2 days' AND recorded_at + interval '2 days' THEN
            RAISE EXCEPTION 'nothing is recorded: an outcome and an id of version 7 and of these days are wanted'
"""
_FROM = "        IF action = 'audit.log.emptied'"
_TO = "        SELECT jsonb_object_agg("
_BOUND = """\
        -- Parts of events go when a run of two people names them, or a restore repeats it, and the eraser alone says so.
        IF EXISTS (
            SELECT FROM unnest(terms) AS t (joined), unnest(string_to_array(t.joined, U&'\\001F')) AS named (term)
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
"""
_START, _END = FUNCTION.index(_FROM), FUNCTION.index(_TO)


def _recording(function: str, *, also: str) -> str:
    return f"""
    DROP FUNCTION {SIGNATURE};
    {function}
    REVOKE ALL ON FUNCTION {SIGNATURE} FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION {SIGNATURE} TO {_RUNNERS}{also};
    """


# A restore is told of by the owner of the tables.
RECORD = _recording(
    FUNCTION[:_START].replace(_PERMITTED, _PERMITTED_NOW).replace(_MADE, _MADE_NOW) + _BOUND + FUNCTION[_END:],
    also=", glassbox_owner",
)
NO_RECORD = _recording(FUNCTION, also="")

_TERMS = """
    DROP FUNCTION audit_removal_terms();
    CREATE FUNCTION audit_removal_terms() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
        SELECT 'removal:' || t.item_id::text || ':' || t.part FROM public.audit_removaltarget t
          JOIN public.audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
         WHERE r.tenant_id = authz.tenant() AND r.state = 'executing'
           AND t.type = 'event_group' AND t.outcome = 'pending'{also}
    $$;
    REVOKE ALL ON FUNCTION audit_removal_terms() FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION audit_removal_terms() TO glassbox_eraser;
"""
# What a restore repeats: the owner of the tables names parts of events beside the other targets.
TERMS = _TERMS.format(
    also="""
         UNION ALL
        SELECT 'removal:' || again.item_id::text || substr(again.type, length('event_group:'))
          FROM authz.repeated_removal again
         WHERE again.tenant_id = authz.tenant() AND starts_with(again.type, 'event_group:') AND again.until > now()"""
)
NO_TERMS = _TERMS.format(also="")
