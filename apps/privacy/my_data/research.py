"""The category of research: what a person asked for, what was planned, and what each step answered."""

from __future__ import annotations

from typing import Final

from django.utils import timezone

from apps.audit.errors import PayloadDamagedError
from apps.privacy.my_data.account import at
from apps.privacy.my_data.contracts import Category, Entry, Page, Person
from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep, StepKind
from apps.research.runs.contracts import RunContent, SearchContent
from apps.research.runs.sealing import Sealer

_PER_PAGE: Final = 50


def _research(person: Person, after: object | None) -> Page:
    start = after if isinstance(after, int) else 0
    runs = ResearchRun.objects.filter(
        owner_id=person.id, requested_at__lte=person.until, expires_at__gt=timezone.now()
    ).order_by("requested_at", "id")
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
        content = sealer.open(RunContent, run)
        steps = ResearchStep.objects.filter(run_id=run.id, kind=StepKind.SEARCH).order_by("ordinal")
        answers = [sealer.open(SearchContent, each) for each in steps]
    except RunError:
        return {**told, "question": "not kept: the policy keeps no texts for its intent"}
    except (PayloadDamagedError, KeyError, TypeError, ValueError):
        return {**told, "question": "can't be read: tell the data protection officer"}
    return {
        **told,
        "question": content.question,
        "plan": [each.text for each in content.plan.sub_questions],
        "answers": [f"{each.text} {each.answer.text}" for each in answers],
    }


RESEARCH: Final = Category(
    key="research",
    title="Your research",
    about="Questions that were worked on in several rounds for you, with the plan and what each step answered. Only "
    "you can read them.",
    purpose="So that you find again what you were answered.",
    legal_basis="6(1)(f) legitimate interest: that work with answers can go on",
    source="You, and the documents that answered you.",
    retention="30 days where the policy keeps texts for the intent, else 15 minutes after the last step; less if a "
    "document of it is removed.",
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
