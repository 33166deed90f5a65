"""Retention in tests: events of years ago, rules that differ, schedules brought to a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from apps.audit.models import Event
from apps.audit.services import record
from apps.erasure.models import RetentionSchedule
from apps.erasure.retention.content import Rule
from apps.erasure.retention.selectors import rules_of, schedule_in_force
from apps.erasure.retention.services import draft_save, draft_start, schedule_approve
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.audit.forging import recorded_at
from tests.deciding import draft_submit
from tests.factories import Firm, as_

REASON = "The auditors asked for it."
ASKED = "event:retrieval.question.answered"
SCOPE_MADE = "event:tenants.scope.created"
Change = Callable[[Rule], Rule]


def asked_at(firm: Firm, at: datetime) -> Event:
    """A question that was answered at that time: a core, an actor and a question group."""
    with open_scope(tenant=firm.id, reason="a test"), recorded_at(at):
        return record(
            action="retrieval.question.answered", core={"intent": "performance"}, question={"text": "Who is ill?"}
        )


def with_rule(rules: Sequence[Rule], subject: str, group: str = "", **values: object) -> list[Rule]:
    """The rules with one of them changed, or added as a copy of the one for the whole."""
    whole = next(rule for rule in rules if rule.key == (subject, ""))
    others = [rule for rule in rules if rule.key != (subject, group)]
    base = next((rule for rule in rules if rule.key == (subject, group)), replace(whole, group=group))
    return [*others, replace(base, **values)]  # type: ignore[arg-type]


def drafted(author: Principal, subject: str = ASKED, group: str = "", **values: object) -> RetentionSchedule:
    """A draft in which one rule says something else."""
    with as_(author):
        draft = draft_start(reason=REASON)
        rules = with_rule(rules_of(draft), subject, group, **values)
        return draft_save(draft.id, rules=rules, reason=REASON, revision=draft.revision)


def submitted(author: Principal, subject: str = ASKED, group: str = "", **values: object) -> RetentionSchedule:
    draft = drafted(author, subject, group, **values)
    with as_(author):
        return draft_submit(draft.id)


def approved(
    author: Principal, approver: Principal, subject: str = ASKED, group: str = "", **values: object
) -> RetentionSchedule:
    """The schedule in force, with one rule changed."""
    schedule = submitted(author, subject, group, **values)
    with as_(approver):
        in_force = schedule_in_force()
        assert in_force is not None
        return schedule_approve(schedule.id, revision=schedule.revision, against=in_force.number)
