"""Evaluation questions and previews, and the names on them, are the eraser's only where an executing run covers them.

Whose they are is said by the log, or by what they name, as the stores ask it (apps/retrieval/erasure_stores.py).
"""

from django.db import migrations

from apps.tenants.eraser_operations import ChangeOnlyTargets, named

_WHOLE = f"tenant_id {named('tenant')}"


class Migration(migrations.Migration):
    dependencies = [("retrieval", "0002_removal"), ("audit", "0019_bound")]

    operations = [
        # A question goes with the last version of its document.
        ChangeOnlyTargets(
            "EvaluationQuery",
            deletes=f"""
                {_WHOLE} OR scope_id {named("scope")}
                OR (series_id IN (SELECT d.series_id FROM corpus_document d
                                   WHERE d.tenant_id = (SELECT authz.tenant()) AND d.id {named("document")})
                    AND NOT EXISTS (SELECT FROM corpus_document other
                                     WHERE other.tenant_id = retrieval_evaluationquery.tenant_id
                                       AND other.series_id = retrieval_evaluationquery.series_id
                                       AND NOT other.id {named("document")}))
            """,  # noqa: S608 (constants)
            empties=f"""
                {_WHOLE}
                OR EXISTS (SELECT FROM audit_event e
                            WHERE e.tenant_id = retrieval_evaluationquery.tenant_id
                              AND e.subject_id = retrieval_evaluationquery.id
                              AND e.action = 'retrieval.evaluation.added'
                              AND e.actor_kind = 'user' AND e.actor_id {named("user")})
            """,  # noqa: S608 (constants)
            leaves="created_by = ''",
        ),
        ChangeOnlyTargets(
            "PolicyImpact",
            deletes=f"""
                {_WHOLE}
                OR EXISTS (SELECT FROM jsonb_path_query(result, 'lax $.**.document_id') AS named (id)
                            WHERE named.id #>> '{{}}' IN (
                                SELECT d.id::text FROM corpus_document d
                                 WHERE d.tenant_id = (SELECT authz.tenant()) AND d.scope_id {named("scope")}
                                UNION ALL SELECT audit_removal_targets('document')::text))
            """,  # noqa: S608 (constants)
            empties=f"""
                {_WHOLE}
                OR (SELECT e.actor_kind = 'user' AND e.actor_id {named("user")} FROM audit_event e
                     WHERE e.tenant_id = retrieval_policyimpact.tenant_id
                       AND e.subject_id = retrieval_policyimpact.version_id
                       AND e.action = 'retrieval.impact.requested'
                       AND e.occurred_at >= retrieval_policyimpact.requested_at
                     ORDER BY e.occurred_at, e.id LIMIT 1)
            """,  # noqa: S608 (constants)
            leaves="requested_by = ''",
        ),
    ]
