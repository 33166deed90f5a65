"""A version that comes into force within another's submission or approval: told as a conflict, and nothing is done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import IntegrityError
from django.utils import timezone

from apps.intents.errors import ReplacedMeanwhileError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force
from apps.intents.services import reviews
from apps.intents.services.replacing import against
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.client import person
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve, version_submit
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import again, drafted, submitted
from tests.intents.test_two_reviewers import other_cap
from tests.model_server import ModelServer
from tests.visitor import Visitor

# Each on committed rows: the clock goes on within a transaction only for the database.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
SOON = timedelta(seconds=2.5)


@pytest.fixture
def acme(transactional_db: None, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield make_firm("acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


@pytest.fixture
def late(olivia: Principal, rupert: Principal, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes a step wait, after it has read what is in force, until another version's time has come."""
    scheduled = submitted(olivia)

    def make(step: str) -> None:
        with as_(rupert):
            at = timezone.now() + SOON
            version_approve(scheduled.id, effective_from=at)
        checks = getattr(reviews, step)

        def wait(*told: Any, **said: Any) -> Any:
            found = checks(*told, **said)
            time.sleep(max(0.0, (at - timezone.now()).total_seconds()) + 0.2)
            return found

        monkeypatch.setattr(reviews, step, wait)

    return make


def test_a_submission_is_refused_in_words_and_the_draft_stays_as_it_was(
    acme: Firm, olivia: Principal, late: Any
) -> None:
    draft = drafted(olivia, other_cap)
    late("require_successor")
    with as_(olivia), pytest.raises(ReplacedMeanwhileError, match="version 2 came into force at this very moment"):
        version_submit(draft.id)
    assert again(acme, draft).status == VersionStatus.DRAFT
    with as_(olivia):
        # Against what is in force now it can be submitted.
        assert version_submit(draft.id).status == VersionStatus.IN_REVIEW


def test_by_the_api_it_is_a_conflict_with_its_code(acme: Firm, olivia: Principal, late: Any) -> None:
    draft = drafted(olivia, other_cap)
    late("require_successor")
    answer = person(olivia).post(f"/api/v1/policy/versions/{draft.id}/submit/", {"revision": draft.revision})
    assert (answer.status_code, answer.json()["code"]) == (409, "intents.replaced_meanwhile")


def test_by_the_page_its_author_reads_what_to_do(acme: Firm, olivia: Principal, late: Any) -> None:
    draft = drafted(olivia, other_cap)
    late("require_successor")
    page = Visitor("olivia").send("policy_draft_submit", draft.id)
    assert "version 2 came into force at this very moment" in page.text


def test_another_refusal_of_the_database_is_not_told_as_this_one(acme: Firm, olivia: Principal) -> None:
    draft = drafted(olivia)
    with (
        as_(olivia),
        pytest.raises(IntegrityError, match="can't go from"),
        against(policy_in_force(), draft),
    ):
        PolicyVersion.objects.filter(number=1).update(status=VersionStatus.DRAFT)
