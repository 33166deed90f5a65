"""What of the policy nobody uses is pointed out on its page: kinds without readers or documents, silent intents."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.fund_house import FundHouse
from apps.intents.registry import Traffic
from apps.intents.unused import unused_parts
from apps.tenants.roles import Role
from tests.factories import Firm, make_member
from tests.visitor import Visitor

POLICY = baseline_snapshot()
FULL = dict.fromkeys((kind.value for kind in POLICY.kinds), 2)
NAMES = [rule.name for rule in POLICY.intents]
SINCE = datetime(2026, 3, 4, tzinfo=UTC)


def traffic(questions: int, *intents: str) -> Traffic:
    return Traffic(questions=questions, since=SINCE if questions else None, by_intent=dict.fromkeys(intents, 1))


def without_readers(kind: str) -> PolicySnapshot:
    rules = tuple(replace(rule, kinds=tuple(each for each in rule.kinds if each != kind)) for rule in POLICY.intents)
    return replace(POLICY, intents=rules)


def said(policy: PolicySnapshot = POLICY, documents: dict[str, int] = FULL, asked: Traffic | None = None) -> list[str]:
    return list(unused_parts(policy, documents, asked))


def test_where_all_is_used_nothing_is_said() -> None:
    assert said(asked=traffic(50, *NAMES)) == []
    assert said(asked=traffic(3, *NAMES)) == []


def test_kinds_without_readers_are_named_with_their_documents() -> None:
    assert said(without_readers("schedule")) == ["No question reaches documents of: Schedules (2 documents)."]


def test_kinds_without_documents_are_named_unless_they_are_retired() -> None:
    told = "In your scopes there are no documents of: Past runs."
    documents = {**FULL, "run": 0}
    assert said(documents=documents) == [told]
    retired = tuple(replace(each, retired=each.kind == FundHouse.RUN) for each in POLICY.budgets)
    assert said(replace(POLICY, budgets=retired), documents) == []


def test_an_intent_that_none_of_enough_questions_had_is_named() -> None:
    told = "None of the last 20 questions, since 4 March 2026, had the intent: Attribution."
    assert said(asked=traffic(20, *NAMES[:-1])) == [told]


@pytest.mark.parametrize(("questions", "words"), [(1, "Only 1 question"), (19, "Only 19 questions")])
def test_few_questions_say_nothing_about_an_intent(questions: int, words: str) -> None:
    (told,) = said(asked=traffic(questions, "performance"))
    assert told.startswith(words)


@pytest.mark.django_db
@pytest.mark.parametrize("role", [Role.COMPLIANCE_OFFICER, Role.ANALYST])
def test_the_page_points_it_out_to_everybody_who_reads_the_policy(acme: Firm, role: Role) -> None:
    make_member(acme, "olivia", role)
    page = Visitor("olivia").open("intents_policyversion_in_force")
    assert "In your scopes there are no documents of: Firm profiles, " in page.text
