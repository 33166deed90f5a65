"""What joins a run for a request while it is carried out, and the end of the restrictions of what is gone."""

from importlib import import_module

from django.db import migrations

from apps.tenants.eraser_operations import RemoveOnlyTargets

_STEPS: str = import_module("apps.audit.migrations._runs").STEPS
_NAME = "CREATE FUNCTION audit_removal_target_added()"
_ADDED = _NAME + _STEPS.split(_NAME, 1)[1].split("$$;", 1)[0] + "$$;"
_BY_HAND = "SELECT FROM added a WHERE a.outcome <> 'pending' OR a.authorised_by IS NOT NULL OR NOT EXISTS ("
# The eraser adds parts of events, to a run that it carries out, and none but those that concern what the run names.
_TAKEN_ALONG = """
        IF current_user = 'glassbox_eraser' THEN
            IF EXISTS (
                SELECT FROM added a WHERE a.outcome <> 'pending' OR a.authorised_by IS NOT NULL
                    OR a.type <> 'event_group'
                    OR NOT EXISTS (
                       SELECT FROM public.audit_removalrun r
                        WHERE r.tenant_id = a.tenant_id AND r.id = a.run_id AND r.state = 'executing'
                          AND r.origin = 'request')
                    OR NOT (
                       a.part IN ('passages', 'answer') AND EXISTS (
                          SELECT FROM public.audit_payload p, unnest(p.terms) AS named (term), public.audit_removaltarget d
                           WHERE p.tenant_id = a.tenant_id AND p.event_id = a.item_id AND p.field_group = 'passages'
                             AND d.tenant_id = a.tenant_id AND d.run_id = a.run_id AND d.type = 'document'
                             AND d.outcome <> 'retained' AND named.term = 'document_id:' || d.item_id::text)
                       OR a.part IN ('actor', 'question') AND EXISTS (
                          SELECT FROM public.audit_event e
                            JOIN public.audit_removaltarget u
                              ON u.tenant_id = e.tenant_id AND u.type = 'user' AND u.item_id = e.actor_id
                           WHERE e.tenant_id = a.tenant_id AND e.id = a.item_id AND e.actor_kind = 'user'
                             AND u.run_id = a.run_id AND u.outcome <> 'retained')
                       OR a.part IN ('question', 'answer', 'passages') AND EXISTS (
                          SELECT FROM public.audit_payload p
                           WHERE p.tenant_id = a.tenant_id AND p.event_id = a.item_id AND p.field_group = a.part
                             AND p.scope_ids <> '{}' AND p.scope_ids <@ ARRAY(
                                SELECT s.item_id FROM public.audit_removaltarget s
                                 WHERE s.tenant_id = a.tenant_id AND s.run_id = a.run_id AND s.type = 'scope'
                                   AND s.outcome <> 'retained')))
            ) THEN
                RAISE EXCEPTION 'the eraser adds to a removal run what concerns its targets in the log, and nothing else'
                    USING ERRCODE = 'insufficient_privilege';
            END IF;
            RETURN NULL;
        END IF;
        """
_BEGINS = "IF EXISTS (\n            " + _BY_HAND
if _ADDED.count(_BEGINS) != 1:
    raise RuntimeError("migration 0006 is not what this one builds upon")
_REPLACE = _ADDED.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")


class Migration(migrations.Migration):
    dependencies = [("audit", "0015_inventory")]

    operations = [
        migrations.RunSQL(sql=_REPLACE.replace(_BEGINS, _TAKEN_ALONG.lstrip() + _BEGINS), reverse_sql=_REPLACE),
        migrations.RunSQL(
            sql="GRANT INSERT ON audit_removaltarget TO glassbox_eraser",
            reverse_sql="REVOKE INSERT ON audit_removaltarget FROM glassbox_eraser",
        ),
        RemoveOnlyTargets("Restriction", by={"document": "document_id"}),
    ]
