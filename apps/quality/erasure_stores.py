"""What is kept beside the answers: evaluation questions and what they led to, and previews of a policy's effect.

Answers themselves are kept in the log alone (see apps/erasure/runs/concerning.py).
"""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import Phase, TargetType
from apps.erasure.registry import register_store
from apps.erasure.stores.rows import OF_SCOPE, OF_TENANT, SCOPES_BELOW, Rows

# Documents that a preview names, by their ids in its JSON.
_NAMES: Final = """EXISTS (
    SELECT FROM jsonb_path_query(t.result, 'lax $.**.document_id') AS named (id)
     WHERE named.id #>> '{{}}' = ANY ({}))"""
_IN_SCOPES: Final = f"""ARRAY(
    SELECT d.id::text FROM corpus_document d
     WHERE d.tenant_id = %(open_tenant)s AND d.scope_id = ANY ({SCOPES_BELOW}))"""  # noqa: S608 (constants)

# A question names its document by series. It goes with the last version: as long as another one is there, that is what
# should be found.
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
# A row says who by a name alone; the event of adding it, by which id.
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
# Computed anew when somebody looks: a preview that names what is gone is of no use.
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
# Who asked is said by a name alone, too. The event of the request is the first about the version from that moment on.
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

# What was asked to measure, with all of it: an answer without one of its documents measures nothing any more.
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
