"""The category of research: what a person asked for, what was planned, and what each step answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apps.audit.errors import PayloadDamagedError
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Entry, Page, Person
from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep, StepKind
from apps.research.runs.contracts import SearchContent
from apps.research.runs.reading import content_of, own_runs, steps_of, usable
from apps.research.runs.sealing import Sealer
from apps.tenants.context import current_scope

_PER_PAGE: Final = 50
_WHY_NOT: Final = {
    "research.texts_gone": "not kept: the policy keeps no texts for its intent",
    "research.scope_lost": "not shown: you lost a scope that it was asked in",
}


def _research(person: Person, after: object | None) -> Page:
    start = after if isinstance(after, int) else 0
    own = own_runs(current_scope().principal).filter(owner_id=person.id, requested_at__lte=person.until)
    runs = own.order_by("requested_at", "id")
    rows = list(runs[start : start + _PER_PAGE])
    return Page(
        entries=[_entry(row) for row in rows],
        after=start + _PER_PAGE if len(rows) == _PER_PAGE else None,
    )


def _entry(run: ResearchRun) -> Entry:
    told = {
        "at": at(run.requested_at),
        "until": at(run.expires_at),
        "state": run.get_state_display(),
        "event": str(run.event_id),
    }
    sealer = Sealer.of(run)
    try:
        content = content_of(run, sealer)
        steps = usable(steps_of(run.id))
        answers = [sealer.open(SearchContent, each) for each in steps if each.kind == StepKind.SEARCH]
    except RunError as error:
        return {**told, "question": _WHY_NOT[error.code]}
    except (PayloadDamagedError, KeyError, TypeError, ValueError):
        return {**told, "question": "can't be read: tell the data protection officer"}
    return {
        **told,
        "question": content.question,
        "plan": [each.text for each in content.plan.sub_questions] if _shows_plan(steps) else [],
        "answers": [f"{each.text} {each.answer.text}" for each in answers],
    }


def _shows_plan(steps: Sequence[ResearchStep]) -> bool:
    """Return whether the documents that the plan was made from may all be read."""
    return any(each.kind == StepKind.ANALYSIS for each in steps)


RESEARCH: Final = Category(
    key="research",
    title="Your research",
    about="Questions that were worked on in several rounds for you, with the plan and what each step answered. Only "
    "you can read them.",
    purpose="So that you find again what you were answered.",
    legal_basis="6(1)(f) legitimate interest: that work with answers can go on",
    source="You, and the documents that answered you.",
    retention="For as many days as the policy keeps answers, 30 at most, where it keeps texts for the intent; else "
    "while it waits for a worker, and for 15 minutes after the last step; less if a document of it is removed. What "
    "was written from a document that is restricted is not shown meanwhile.",
    fields={
        "at": "When",
        "question": "Question",
        "plan": "Plan",
        "answers": "Answers",
        "state": "State",
        "until": "Kept until",
        "event": "Audit event",
    },
    read=_research,
)
