"""The erasure stores of the quality app: evaluation questions and their answers, and previews of a policy's impact.

Answers to real questions are kept only in the log (see apps/erasure/runs/concerning.py).
"""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import Phase, TargetType
from apps.erasure.registry import register_store
from apps.erasure.stores.rows import OF_SCOPE, OF_TENANT, SCOPES_BELOW, Rows

# Matches previews whose JSON holds the ids of documents.
_NAMES: Final = """EXISTS (
    SELECT FROM jsonb_path_query(t.result, 'lax $.**.document_id') AS named (id)
     WHERE named.id #>> '{{}}' = ANY ({}))"""
_IN_SCOPES: Final = f"""ARRAY(
    SELECT d.id::text FROM corpus_document d
     WHERE d.tenant_id = %(open_tenant)s AND d.scope_id = ANY ({SCOPES_BELOW}))"""  # noqa: S608 (constants)

# A question names its document by series. It is removed with the last version: as long as another version exists, that
# version is what should be found.
EVALUATION: Final = Rows(
    key="retrieval.evaluation",
    label="Evaluation questions",
    phase=Phase.DERIVED,
    table="retrieval_evaluationquery",
    found_by={
        TargetType.DOCUMENT: (
            "t.series_id = ANY (ARRAY(SELECT d.series_id FROM corpus_document d WHERE d.tenant_id = %(open_tenant)s "
            "AND d.id = ANY (%(document)s::uuid[]))) AND NOT EXISTS (SELECT FROM corpus_document other "
            "WHERE other.tenant_id = t.tenant_id AND other.series_id = t.series_id "
            "AND other.id <> ALL (%(document)s::uuid[]))"
        ),
        TargetType.SCOPE: OF_SCOPE,
        TargetType.TENANT: OF_TENANT,
    },
)
# A row states its author only by name; the event of adding the question states the author's id.
EVALUATION_AUTHORS: Final = Rows(
    key="retrieval.evaluation_authors",
    label="Names of a person on evaluation questions",
    phase=Phase.DERIVED,
    table="retrieval_evaluationquery",
    found_by={
        TargetType.USER: (
            "t.created_by <> '' AND EXISTS (SELECT FROM audit_event e WHERE e.tenant_id = t.tenant_id "
            "AND e.subject_id = t.id AND e.action = 'retrieval.evaluation.added' "
            "AND e.actor_kind = 'user' AND e.actor_id = ANY (%(user)s::uuid[]))"
        )
    },
    emptied={"created_by": "''"},
)
# A preview is computed again when somebody opens it, so one that names a removed document is of no use.
IMPACTS: Final = Rows(
    key="retrieval.impacts",
    label="Previews of a policy's effect that name the documents",
    phase=Phase.DERIVED,
    table="retrieval_policyimpact",
    found_by={
        TargetType.DOCUMENT: _NAMES.format("%(document)s::text[]"),
        TargetType.SCOPE: _NAMES.format(_IN_SCOPES),
        TargetType.TENANT: OF_TENANT,
    },
)
# The requester is also stated only by name. The request's event is the first about the version from that moment on.
_REQUESTED: Final = (
    "e.tenant_id = t.tenant_id AND e.subject_id = t.version_id AND e.action = 'retrieval.impact.requested' "
    "AND e.occurred_at >= t.requested_at"
)
IMPACT_REQUESTERS: Final = Rows(
    key="retrieval.impact_requesters",
    label="Names of a person on previews that they asked for",
    phase=Phase.DERIVED,
    table="retrieval_policyimpact",
    found_by={
        TargetType.USER: (
            "t.requested_by <> '' AND (SELECT e.actor_kind = 'user' AND e.actor_id = ANY (%(user)s::uuid[]) "  # noqa: S608
            f"FROM audit_event e WHERE {_REQUESTED} ORDER BY e.occurred_at, e.id LIMIT 1)"
        )
    },
    emptied={"requested_by": "''"},
)

# A whole answer is removed: without one of its documents it no longer measures anything.
EVALUATION_ANSWERS: Final = Rows(
    key="retrieval.evaluation_answers",
    label="Answers of evaluation runs that name the documents",
    phase=Phase.DERIVED,
    table="retrieval_evaluationanswer",
    found_by={
        TargetType.DOCUMENT: "t.document_ids && %(document)s::uuid[]",
        TargetType.SCOPE: OF_SCOPE,
        TargetType.TENANT: OF_TENANT,
    },
)
EVALUATION_RUNS: Final = Rows(
    key="retrieval.evaluation_runs",
    label="Evaluation runs",
    phase=Phase.DERIVED,
    table="retrieval_evaluationrun",
    found_by={TargetType.TENANT: OF_TENANT},
)


def register_stores() -> None:
    register_store(EVALUATION, EVALUATION_AUTHORS, EVALUATION_ANSWERS, EVALUATION_RUNS, IMPACTS, IMPACT_REQUESTERS)
