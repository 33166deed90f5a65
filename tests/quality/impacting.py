"""What the tests of previews share: a firm with documents, an officer with a draft, and short ways to the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from apps.audit.models import Event
from apps.corpus.kinds import Kind
from apps.corpus.models import Document
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import draft_save, draft_start
from apps.quality.impact.contracts import ImpactResult
from apps.quality.impact.runner import ImpactOutcome, impact_run
from apps.quality.impact.stored import result_from_json
from apps.quality.models import EvaluationQuery, PolicyImpact
from apps.quality.services.evaluation import evaluation_query_add
from apps.quality.services.impact import impact_request
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.factories import Firm, as_
from tests.retrieval.asking import events

Change = Callable[[PolicySnapshot], PolicySnapshot]


def with_kinds(intent: str, *kinds: Kind) -> Change:
    """The intent reaches these kinds and no others."""
    return lambda policy: replace(
        policy, intents=tuple(replace(each, kinds=kinds) if each.name == intent else each for each in policy.intents)
    )


def draft_of(officer: Principal, change: Change) -> PolicyVersion:
    with as_(officer):
        draft = draft_start(reason="A test.")
        return draft_save(draft.id, content=change(version_snapshot(draft)), reason="A test.", revision=draft.revision)


def changed(officer: Principal, draft: PolicyVersion, change: Change) -> None:
    with as_(officer):
        now = PolicyVersion.objects.get(id=draft.id)
        draft_save(draft.id, content=change(version_snapshot(now)), reason="Again.", revision=now.revision)


def requested(principal: Principal, version: PolicyVersion) -> PolicyImpact:
    with as_(principal):
        return impact_request(version.id)


def computed(principal: Principal, version: PolicyVersion) -> ImpactResult:
    """Request, run, and read back."""
    impact = requested(principal, version)
    assert impact_run(impact_id=impact.id, tenant_id=principal.tenant_id) is ImpactOutcome.DONE
    return result_of(principal, impact.id)


def impact_row(principal: Principal, impact_id: UUID) -> PolicyImpact:
    with open_scope(tenant=principal.tenant_id, reason="a test"):
        found: PolicyImpact = PolicyImpact.objects.get(id=impact_id)
        return found


def result_of(principal: Principal, impact_id: UUID) -> ImpactResult:
    return result_from_json(impact_row(principal, impact_id).result)


def change_impact(principal: Principal, impact_id: UUID, **values: object) -> None:
    with open_scope(tenant=principal.tenant_id, reason="a test"):
        PolicyImpact.objects.filter(id=impact_id).update(**values)


def asked(principal: Principal, text: str) -> Event:
    with as_(principal):
        return ask(text=text).event


def expects(
    principal: Principal, text: str, *, document: str, scope: str, pages: tuple[int, ...] = ()
) -> EvaluationQuery:
    """An evaluation question; the document by its file name."""
    with as_(principal):
        return evaluation_query_add(
            text=text, scope_key=scope, document_id=Document.objects.get(filename=document).id, pages=pages
        )


def recorded(firm: Firm, action: str) -> list[Event]:
    return events(firm, action)
