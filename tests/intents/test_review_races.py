"""Two who act on a review at the same time: each on a connection of their own, on rows that are committed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from apps.errors import ApplicationError
from apps.intents.models import Turn, VersionStatus
from apps.intents.reviewers import TwoFor
from apps.intents.services import reviews
from apps.intents.services.checking import version_checked
from apps.intents.services.discussion import comment_answer, version_comment
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.short_scopes import ShortScopes
from tests.baked import baked
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import again, drafted, submitted, wider
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def acme(transactional_db: None) -> Firm:
    return baked(make_firm, "acme")


@pytest.fixture
def olivia(acme: Firm) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER)


def together(acts: Sequence[tuple[Principal, Callable[[], object]]]) -> list[str]:
    """Return how each ended, in the order of the acts: the code of its error, or nothing."""
    barrier, ended = threading.Barrier(len(acts)), [""] * len(acts)

    def run(place: int, person: Principal, act: Callable[[], object]) -> None:
        try:
            with as_(person):
                barrier.wait(20)
                act()
        except ApplicationError as error:
            ended[place] = error.code
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place, *each)) for place, each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return ended


def test_of_two_who_resolve_a_comment_at_once_one_is_told_that_it_is_resolved(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    draft, rita = drafted(olivia), make_member(acme, "rita", Role.REVIEWER)
    with as_(rupert):
        comment = version_comment(draft.id, text="Why?")

    def resolve() -> None:
        comment_answer(comment.id, version_id=draft.id, turn=Turn.RESOLVED)

    assert sorted(together([(rita, resolve), (rupert, resolve)])) == ["", "intents.comment_stands"]
    with as_(rupert):
        assert comment.replies.count() == 1


def test_of_two_approvals_at_once_one_is_the_first_and_the_other_puts_it_in_force(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    rita = make_member(acme, "rita", Role.REVIEWER)
    ruled = submitted(olivia, lambda each: replace(wider(each), two_reviewers_for=(TwoFor.EVERYTHING,)))
    with as_(rupert):
        version_approve(ruled.id)
    version = again(acme, submitted(olivia, lambda each: replace(each, total_cap_chars=each.total_cap_chars - 1)))
    checked = {}
    for person in (rupert, rita):
        with as_(person):
            checked[person.id] = version_checked(version.id, ShortScopes.all_of(person))

    def approve(person: Principal) -> Callable[[], object]:
        return lambda: reviews.version_approve(version.id, revision=version.revision, checked=checked[person.id])

    assert together([(person, approve(person)) for person in (rupert, rita)]) == ["", ""]
    with as_(rita):
        assert again(acme, version).status == VersionStatus.ACTIVE
        assert version.approvals.count() == 2


def test_a_person_who_approves_twice_at_once_is_one_reviewer(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    ruled = submitted(olivia, lambda each: replace(wider(each), two_reviewers_for=(TwoFor.EVERYTHING,)))
    with as_(rupert):
        version_approve(ruled.id)
    version = again(acme, submitted(olivia, lambda each: replace(each, total_cap_chars=each.total_cap_chars - 1)))
    with as_(rupert):
        checked = version_checked(version.id, ShortScopes.all_of(rupert))

    def approve() -> object:
        return reviews.version_approve(version.id, revision=version.revision, checked=checked)

    assert sorted(together([(rupert, approve), (rupert, approve)])) == ["", "intents.already_approved"]
    assert again(acme, version).status == VersionStatus.IN_REVIEW


def test_of_an_approval_and_a_sending_back_at_once_one_finds_the_version_decided(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    rita = make_member(acme, "rita", Role.REVIEWER)
    version = again(acme, submitted(olivia))
    with as_(rupert):
        checked = version_checked(version.id, ShortScopes.all_of(rupert))

    def approve() -> object:
        return reviews.version_approve(version.id, revision=version.revision, checked=checked)

    def send_back() -> object:
        return reviews.version_send_back(version.id, revision=version.revision, reason="Which ones?")

    ended = together([(rupert, approve), (rita, send_back)])
    assert sorted(ended) == ["", "intents.not_in_review"]
    expected = VersionStatus.ACTIVE if ended[0] == "" else VersionStatus.DRAFT
    assert again(acme, version).status == expected


def test_of_a_version_that_is_to_wait_and_one_that_it_would_undo_only_one_is_approved(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    """Each takes one reviewer where it comes alone; together the later one would undo the rule of the other."""
    rita = make_member(acme, "rita", Role.REVIEWER)
    bar = submitted(olivia)
    with as_(rupert):
        version_approve(bar.id)
    versions = {
        rupert.id: submitted(olivia, lambda each: replace(each, total_cap_chars=each.total_cap_chars - 1)),
        rita.id: submitted(olivia, lambda each: replace(each, two_reviewers_for=(TwoFor.EVERYTHING,))),
    }
    checked = {}
    for person in (rupert, rita):
        with as_(person):
            checked[person.id] = version_checked(versions[person.id].id, ShortScopes.all_of(person))
    later = timezone.now() + timedelta(days=7)

    def approve(person: Principal, effective_from: datetime | None) -> Callable[[], object]:
        version = again(acme, versions[person.id])
        return lambda: reviews.version_approve(
            version.id, revision=version.revision, checked=checked[person.id], effective_from=effective_from
        )

    ended = together([(rupert, approve(rupert, later)), (rita, approve(rita, None))])
    assert ended in (["", "intents.follower_takes_two"], ["intents.first_of_two", ""])
    approved = [again(acme, each).status for each in versions.values()]
    assert approved in (
        [VersionStatus.APPROVED, VersionStatus.IN_REVIEW],
        [VersionStatus.IN_REVIEW, VersionStatus.ACTIVE],
    )
