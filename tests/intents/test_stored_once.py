"""What stands in a policy twice is told in words, by services as by the page, the file and the API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.models import PolicyVersion, VersionOrigin
from apps.intents.services.drafts import draft_of, draft_save, draft_start
from apps.intents.snapshots.rows import insert_content, remove_content
from apps.intents.validation import policy_problems
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.factories import Firm, as_, make_member
from tests.intents.profile.rules import TAX

pytestmark = pytest.mark.django_db


def _first(policy: PolicySnapshot, **changes: Any) -> PolicySnapshot:
    return replace(policy, intents=(replace(policy.intents[0], **changes), *policy.intents[1:]))


TWICE: Mapping[str, Callable[[PolicySnapshot], PolicySnapshot]] = {
    "The term 'fund's return' of intent 'performance' occurs twice": lambda policy: _first(
        policy, terms=(*policy.intents[0].terms, policy.intents[0].terms[0])
    ),
    "may reach the kind": lambda policy: _first(policy, kinds=(*policy.intents[0].kinds, policy.intents[0].kinds[0])),
    "Intent 'performance' occurs more than once": lambda policy: replace(
        policy, intents=(*policy.intents, policy.intents[0])
    ),
    "Kind 'org_profile' occurs more than once": lambda policy: replace(
        policy, budgets=(*policy.budgets, policy.budgets[0])
    ),
    "The example": lambda policy: replace(policy, examples=(*policy.examples, replace(policy.examples[0], id=uuid4()))),
    "Profile rule “tax_advice” occurs more than once": lambda policy: replace(policy, profile=(TAX, TAX)),
}


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.mark.parametrize("said", TWICE)
def test_what_stands_twice_begins_no_draft_and_changes_none(olivia: Principal, said: str) -> None:
    content = TWICE[said](baseline_snapshot())
    with as_(olivia):
        with pytest.raises(InvalidPolicyError, match=said):
            draft_of(content, origin=VersionOrigin.DRAFT, reason="Twice.")
        draft = draft_start(reason="A draft.")
        with pytest.raises(InvalidPolicyError, match=said):
            draft_save(draft.id, content=content, reason="Twice.", revision=draft.revision)
        assert PolicyVersion.objects.count() == 2
    assert any(said in problem for problem in policy_problems(content)) or said == "The example"


@pytest.mark.parametrize("said", TWICE)
def test_without_the_check_a_table_would_refuse_it_without_words(olivia: Principal, said: str) -> None:
    content = TWICE[said](baseline_snapshot())
    with as_(olivia):
        draft = draft_start(reason="A draft.")
        remove_content(draft)
        with pytest.raises(IntegrityError), transaction.atomic():
            insert_content(draft, content)


def test_every_policy_that_is_shipped_can_be_stored(olivia: Principal) -> None:
    with as_(olivia):
        assert draft_of(baseline_snapshot(), origin=VersionOrigin.DRAFT, reason="Once.").number == 2
