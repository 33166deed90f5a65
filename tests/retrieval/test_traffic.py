"""The newest questions are counted by intent for those who may read the log."""

from __future__ import annotations

import pytest

from apps.retrieval.usage.traffic import question_traffic
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member
from tests.retrieval.asking import ask
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


def test_questions_are_counted_by_the_intent_that_they_got(firm: Firm) -> None:
    visitor = Visitor("alice")
    for question in ("What was the maximum drawdown of the Alpha Fund?", "What is the return of the Beta Fund?"):
        ask(visitor, question)
    with open_scope(tenant=firm.id, reason="a test"):
        found = question_traffic()
        newest = question_traffic(limit=1)
    assert (found.questions, sum(found.by_intent.values()), newest.questions) == (2, 2, 1)
    assert found.by_intent["performance"] >= 1
    assert newest.since is not None
    assert found.since is not None
    assert found.since < newest.since


def test_who_may_not_read_the_log_counts_nothing(firm: Firm) -> None:
    with as_(make_member(firm, "carol", Role.ANALYST)), pytest.raises(PermissionDeniedError):
        question_traffic()
