"""Two who act on a review at the same time: each on a connection of their own, on rows that are committed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
from django.db import connection

from apps.errors import ApplicationError
from apps.intents.models import Turn
from apps.intents.services.discussion import comment_answer, version_comment
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.baked import baked
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.reviewing import drafted

pytestmark = pytest.mark.django_db(transaction=True)


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
    olivia: Principal, rupert: Principal
) -> None:
    draft = drafted(olivia)
    with as_(rupert):
        comment = version_comment(draft.id, text="Why?")

    def resolve() -> None:
        comment_answer(comment.id, version_id=draft.id, turn=Turn.RESOLVED)

    assert sorted(together([(olivia, resolve), (rupert, resolve)])) == ["", "intents.comment_stands"]
    with as_(rupert):
        assert comment.replies.count() == 1
