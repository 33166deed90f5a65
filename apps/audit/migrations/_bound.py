"""What a target covers, as the database's policies ask it. Part of migration 0019.

The function of 0006, with two things more. A scope covers those below it, as the stores have it, also one that was made
since the run was proposed. And what a restore repeats is covered as what a run names: the owner of the tables names it
in authz.repeated_removal (apps/tenants/sql/authz.sql), which neither the eraser nor who serves can write.

The function belongs to glassbox_remover by now: the owner of the schema can't replace it, but drop it. The policies that
ask it are dropped before, and made anew as they stood.
"""

from __future__ import annotations

from importlib import import_module

_RIGHTS: str = import_module("apps.audit.migrations._runs").RIGHTS
_NAME = "CREATE FUNCTION audit_removal_targets(kind text)"
_BEFORE = _NAME + _RIGHTS.split(_NAME, 1)[1].split("$$;", 1)[0] + "$$;"

_TARGETS = """
    CREATE FUNCTION audit_removal_targets(kind text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
        WITH RECURSIVE covered (id) AS (
            (
            SELECT t.item_id FROM public.audit_removaltarget t
              JOIN public.audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
             WHERE r.tenant_id = authz.tenant() AND r.state = 'executing'
               AND t.type = audit_removal_targets.kind AND t.outcome = 'pending'
            UNION
            SELECT again.item_id FROM authz.repeated_removal again
             WHERE again.tenant_id = authz.tenant() AND again.type = audit_removal_targets.kind AND again.until > now()
            )
            UNION
            SELECT s.id FROM covered c JOIN public.tenants_scope s ON s.parent_id = c.id
             WHERE audit_removal_targets.kind = 'scope' AND s.tenant_id = authz.tenant()
        )
        SELECT id FROM covered
    $$;
"""
_GRANTED = """
    REVOKE ALL ON FUNCTION audit_removal_targets(text) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION audit_removal_targets(text) TO glassbox_eraser;
"""
_REPLACED = """
    DO $do$
    DECLARE
        asking record;
        anew text[] := '{{}}';
        statement text;
    BEGIN
        FOR asking IN
            SELECT * FROM pg_policies
             WHERE schemaname = 'public' AND concat(qual, with_check) LIKE '%audit_removal_targets(%'
        LOOP
            anew := anew || format(
                'CREATE POLICY %I ON public.%I AS %s FOR %s TO %s%s%s', asking.policyname, asking.tablename,
                asking.permissive, asking.cmd,
                (SELECT string_agg(CASE name WHEN 'public' THEN 'PUBLIC' ELSE quote_ident(name) END, ', ')
                   FROM unnest(asking.roles) AS role (name)),
                ' USING (' || asking.qual || ')', ' WITH CHECK (' || asking.with_check || ')');
            EXECUTE format('DROP POLICY %I ON public.%I', asking.policyname, asking.tablename);
        END LOOP;
        DROP FUNCTION audit_removal_targets(text);
        EXECUTE $function${function}$function$;
        FOREACH statement IN ARRAY anew LOOP
            EXECUTE statement;
        END LOOP;
    END
    $do$;
"""
# The predicate is that of the table's floor, which is for everybody.
_SCOPES = """
    GRANT SELECT (tenant_id, id, parent_id) ON tenants_scope TO glassbox_remover;
    CREATE POLICY removal ON tenants_scope AS PERMISSIVE FOR SELECT TO glassbox_remover
        USING ((tenant_id = (SELECT authz.tenant_if_open()) AND id = ANY ((SELECT authz.scopes_if_open())::uuid[]))
               OR (tenant_id = (SELECT authz.identity(3))::uuid));
"""
_NO_SCOPES = """
    DROP POLICY removal ON tenants_scope;
    REVOKE SELECT (tenant_id, id, parent_id) ON tenants_scope FROM glassbox_remover;
"""

FORWARD = _SCOPES + _REPLACED.format(function=_TARGETS) + _GRANTED
BACKWARD = _REPLACED.format(function=_BEFORE) + _GRANTED + _NO_SCOPES
