"""Moves of the same document at the same time, on connections of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.models import DocumentStatus
from apps.corpus.services.ingest.errors import MoveError
from apps.corpus.services.move import document_move
from apps.erasure import hold_services
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.errors import HoldError
from apps.errors import ApplicationError
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.corpus.test_move import WORDS, beta, filed, states
from tests.corpus.test_move_between import receive_scope
from tests.factories import as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = b"# Costs\n\nThe costs were 7 million."
SECOND = b"# Costs\n\nThe costs were 8 million."


def test_two_who_move_the_same_at_once_file_one_copy(settings: LazySettings) -> None:
    acme = make_firm("acme")
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
        report = filed(acme)
    people = [make_member(acme, f"mover-{number}", Role.TENANT_ADMIN) for number in range(4)]

    def move(person: Principal) -> str:
        try:
            with as_(person):
                document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
        except ApplicationError as error:
            return error.code
        else:
            return "moved"
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        outcomes = sorted(pool.map(move, people))
    assert outcomes == ["corpus.removal_pending"] * 3 + ["moved"]
    assert states(acme, "fund:beta") == [(1, DocumentStatus.RECEIVED)]


def test_two_that_change_places_wait_for_each_other(settings: LazySettings) -> None:
    """Two series of the same two files, in opposite orders and from opposite scopes."""
    acme = make_firm("acme")
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
        first = filed(acme, FIRST)
        one = filed(acme, SECOND, replaces=first.id)
        second = filed(acme, SECOND, scope="fund:beta", kind="methodology")
        other = filed(acme, FIRST, scope="fund:beta", kind="methodology", replaces=second.id)
    places = [(one.id, beta(acme)), (other.id, ScopeId(acme.scopes["fund:alpha"].id))]
    people = [make_member(acme, f"mover-{number}", Role.TENANT_ADMIN) for number in range(2)]

    def move(number: int) -> int:
        try:
            with as_(people[number]):
                return document_move(
                    document_id=places[number][0], scope_id=places[number][1], words=WORDS
                ).made.version
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(move, range(2))) == [2, 2]


@pytest.mark.parametrize("first", ["request", "move"])
def test_a_move_and_a_request_about_its_scope_wait_for_each_other(settings: LazySettings, first: str) -> None:
    """Whichever comes second sees what the first one did: a request finds what lies where, and a move the request."""
    acme = make_firm("acme")
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
        report = filed(acme)
    mover, dora = make_member(acme, "mover", Role.TENANT_ADMIN), make_member(acme, "dora", Role.DPO)
    has_acted, has_committed = threading.Event(), threading.Event()

    def move() -> None:
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)

    def ask() -> None:
        receive_scope(acme, dora, "fund:alpha")

    def begin(person: Principal, act: Callable[[], None]) -> None:
        try:
            with as_(person):
                act()
                has_acted.set()
                time.sleep(0.5)
                has_committed.set()
        finally:
            connection.close()

    def follow(person: Principal, act: Callable[[], None]) -> str:
        assert has_acted.wait(20)
        try:
            with as_(person):
                act()
        except MoveError as error:
            return error.code
        else:
            return "done"
        finally:
            assert has_committed.is_set(), "it did not wait"
            connection.close()

    acts = [(dora, ask), (mover, move)] if first == "request" else [(mover, move), (dora, ask)]
    with ThreadPoolExecutor(2) as pool:
        begun, followed = pool.submit(begin, *acts[0]), pool.submit(follow, *acts[1])
        begun.result(60)
        assert followed.result(60) == ("corpus.move_of_requested_scope" if first == "request" else "done")


def test_a_move_and_a_hold_on_its_document_wait_for_each_other(settings: LazySettings) -> None:
    """The hold has the tenant's lock, and not yet the document's row, as the move begins."""
    acme = make_firm("acme")
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
        report = filed(acme)
    mover, dora = make_member(acme, "mover", Role.TENANT_ADMIN), make_member(acme, "dora", Role.DPO)
    has_begun = threading.Event()
    describe = hold_services.describe

    def describe_later(*targets: Any, **said: Any) -> Any:
        has_begun.set()
        time.sleep(1)
        return describe(*targets, **said)

    def hold() -> None:
        try:
            with as_(dora):
                hold_services.hold_place(
                    matter="Doe v. Acme",
                    ground="litigation",
                    owner_id=dora.id,
                    review_on=timezone.now().date() + timedelta(days=30),
                    targets=[Target(type=TargetType.DOCUMENT, id=report.id)],
                )
        finally:
            connection.close()

    def move() -> None:
        assert has_begun.wait(20)
        try:
            with as_(mover), pytest.raises((HoldError, DocumentNotFoundError)):
                document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
        finally:
            connection.close()

    with patch.object(hold_services, "describe", describe_later), ThreadPoolExecutor(2) as pool:
        placed, moved = pool.submit(hold), pool.submit(move)
        placed.result(60)
        moved.result(60)
    assert states(acme, "fund:beta") == []
