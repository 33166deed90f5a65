"""A search that takes longer than a scope's minute, or finds nothing for longer than its lease."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from django.conf import LazySettings

from apps.privacy.codes.inventory import InventoryState
from apps.privacy.inventory import runner
from apps.privacy.models import Inventory
from apps.privacy.people import search
from apps.privacy.requests.details import Details
from apps.tenants import leased_jobs, tokens
from tests.audit.inventorying import assessed, found_in, groups, inventoried
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.model_server import ModelServer

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def office(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    monkeypatch.setattr(search, "_PROGRESS_EVERY", 1)
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


def test_a_search_may_take_longer_than_a_token_is_good_for(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every token has two seconds left when it is minted, and the search takes three: without renewal it fails."""
    found_in(office)
    request = assessed(office)
    monkeypatch.setattr(search, "_RENEWED_EVERY_S", 0.5)
    real = tokens.scope_token
    monkeypatch.setattr(
        "apps.tenants.context.scope_token",
        lambda **named: real(**named, now=time.time() - tokens.TOKEN_LIFE_SECONDS + 2.0),
    )
    left = [0.7] * 5

    def wait(self: object, done: int, total: int) -> None:
        if left:
            time.sleep(left.pop())

    monkeypatch.setattr(leased_jobs.Progress, "__call__", wait)
    assert inventoried(office, request).state == InventoryState.DONE
    assert (left, len(groups(office, request))) == ([], 2)


def test_a_search_that_finds_nothing_keeps_its_lease_and_says_how_far_it_is(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_in(office)
    request = assessed(office, Details(names=("Ignatius Grünwald-Österreicher",)))
    monkeypatch.setattr(runner, "_TOLD_EVERY_S", 0.0)
    real, told = leased_jobs.hold, []

    def held(lease: leased_jobs.Lease[Inventory], **changes: object) -> None:
        real(lease, **changes)
        if "state" not in changes:
            told.append(Inventory.objects.values_list("done", "total").get(id=lease.job_id))

    monkeypatch.setattr(leased_jobs, "hold", held)
    made = inventoried(office, request)
    assert groups(office, request) == []
    # Texts first, then the files; at the end of each it is told once more.
    assert list(dict.fromkeys(done for done, _ in told)) == [*range(1, made.total + 1)]
    assert [done for done, _ in told] == sorted(done for done, _ in told)
