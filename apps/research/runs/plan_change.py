"""Change the plan of a run that waits for it: leave questions out, or word them anew. Nothing is added to it.

A new wording is read like a question of its own, and must be one of the run's intent. Its step keeps the run's bounds
all the same: what it says can't widen them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Event, Outcome
from apps.audit.services import record
from apps.research.errors import RunError
from apps.research.events import PLAN_CHANGED
from apps.research.models import ResearchRun, RunState
from apps.research.runs.contracts import RunContent, SubQuestion
from apps.research.runs.given import given_filters
from apps.research.runs.limits import PLAN_SECONDS
from apps.research.runs.modes import mode_problem
from apps.research.runs.reading import content_of, run_of
from apps.research.runs.sealing import Sealer, columns_of
from apps.retrieval.pipeline import ReadResult
from apps.retrieval.services.following import read_question
from apps.retrieval.services.recording import question_digest
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_REASON = "write a plan that its owner changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A question of the plan that shall stay. text: its new wording; empty to keep the one that it has."""

    key: str
    text: str = ""


def plan_change(run_id: UUID, wanted: Sequence[Wanted], *, principal: Principal) -> ResearchRun:
    """Change the plan of one's own run. Call it outside of any scope: wordings may be classified by a model elsewhere.

    Raises: RunError, and the errors of a question that can't be read.
    """
    principal.require(Permission.QUESTION_ASK)
    acting = ShortScopes.all_of(principal)
    with acting.open():
        run = _planned(run_id)
        sealer = Sealer.of(run)
        content = content_of(run, sealer)
    cells = _cells(content, wanted)
    within = ShortScopes(
        principal=principal, scope_ids=frozenset(ScopeId(each) for each in run.scope_ids) & principal.scope_ids
    )
    before = {each.key: each.text for each in content.plan.sub_questions}
    reworded = [each for each in cells if each.text != before[each.key]]
    for cell in reworded:
        _read(run, content, cell, within)
    changed = replace(content, plan=replace(content.plan, sub_questions=cells))
    with acting.renewed().open():
        _planned(run_id)
        with open_scope(tenant=TenantId(run.tenant_id), reason=_REASON):
            as_read = ResearchRun.objects.filter(id=run.id, state=RunState.PLANNED, sealed=bytes(run.sealed))
            if not as_read.update(**columns_of(sealer.seal(run.id, changed))):
                raise RunError("research.plan_changed_meanwhile")
            # Behind the row's lock, so that it never shortens what a start has given.
            if timezone.now() - run.requested_at < timedelta(seconds=PLAN_SECONDS):
                sealer.prolong()
        _record(run, removed_questions=len(before) - len(cells), reworded=len(reworded), sub_questions=len(cells))
        return run_of(run_id)


def _planned(run_id: UUID) -> ResearchRun:
    run = run_of(run_id)
    if run.state != RunState.PLANNED:
        raise RunError("research.not_planned")
    return run


def _cells(content: RunContent, wanted: Sequence[Wanted]) -> tuple[SubQuestion, ...]:
    held = {each.key: each for each in content.plan.sub_questions}
    if not wanted:
        raise RunError("research.plan_empty")
    for each in wanted:
        if each.key not in held:
            raise RunError("research.plan_unknown_part", key=each.key[:80])
    texts = {each.key: each.text.strip() for each in wanted}
    return tuple(_reworded(cell, texts[key]) for key, cell in held.items() if key in texts)


def _reworded(cell: SubQuestion, text: str) -> SubQuestion:
    """Return a question in new words, which need not be of the company, period or part that it was of."""
    return replace(cell, text=text, company="", period="", part="") if text and text != cell.text else cell


def _read(run: ResearchRun, content: RunContent, cell: SubQuestion, within: ShortScopes) -> None:
    """Read a new wording, and record that it was. Raises: RunError: it is refused, or of another intent."""
    refused: list[RunError] = []

    def write(read: ReadResult, scope_ids: Sequence[ScopeId]) -> Event:
        refusal = read.analysis.refusal
        if refusal is not None:
            refused.append(RunError("research.plan_refused", reason=refusal.message))
        elif read.grant.intent != run.intent:
            labels = {"other": read.decision.label, "intent": content.decision.label}
            refused.append(RunError("research.plan_other_intent", **labels))
        elif (problem := mode_problem(run.mode, run.intent)) is not None:
            refused.append(problem)
        return record(
            action=PLAN_CHANGED,
            core={"reworded": 1, "intent": read.decision.intent, "code": refused[0].code if refused else ""},
            question=question_digest(cell.text),
            outcome=Outcome.REFUSED if refused else Outcome.SUCCESS,
            subject_type="research_run",
            subject_id=run.id,
            scopes=scope_ids,
        )

    read_question(
        text=cell.text,
        acting=within,
        scopes=within.scope_ids,
        given=given_filters(content.given),
        write=write,
    )
    if refused:
        raise refused[0]


def _record(run: ResearchRun, **core: int) -> None:
    record(action=PLAN_CHANGED, core=core, subject_type="research_run", subject_id=run.id, scopes=[])
