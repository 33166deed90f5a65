"""Names on jobs, and answers kept for repeated requests, are the eraser's only where an executing run covers them."""

from django.db import migrations

from apps.tenants.eraser_operations import ChangeOnlyTargets, named

_WHOLE = f"tenant_id {named('tenant')}"


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_tombstones"), ("audit", "0019_bound")]

    operations = [
        ChangeOnlyTargets(
            "IngestJob",
            empties=f"{_WHOLE} OR (actor_kind = 'user' AND actor_id {named('user')})",
            leaves="actor_label = ''",
        ),
        ChangeOnlyTargets(
            "IdempotentRequest",
            app_label="tenants",
            deletes=f"""
                {_WHOLE} OR scope_ids && ARRAY(SELECT audit_removal_targets('scope'))
                OR (principal_kind = 'user' AND principal_id {named("user")})
                OR subject_id {named("document")}
                OR subject_id IN (SELECT j.id FROM corpus_ingestjob j
                                   WHERE j.tenant_id = (SELECT authz.tenant()) AND j.document_id {named("document")})
            """,  # noqa: S608 (constants)
        ),
    ]
