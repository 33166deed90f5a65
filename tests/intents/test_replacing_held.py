"""No version is published over one of a kind that its uploader may not replace, least of all over a restricted one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import ProgrammingError, transaction
from django.utils import timezone

from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, DocumentStatus, IngestJob, SourceFile
from apps.corpus.services.ingest.errors import KindNotYoursError
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because
from apps.intents.services.versions import policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.baked import baked
from tests.corpus.ingesting import document, ingest, job, run, short_profile
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.test_uploaders_held import approve
from tests.isolation.harness import changed
from tests.model_server import ModelServer

# On committed rows: a superuser takes a trigger away.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MINE = b"# Mine\n\nNothing was decided.\n"
_NO_TRIGGER = "ALTER TABLE corpus_document DISABLE TRIGGER intents_replaced_held_{}"


@pytest.fixture
def acme(transactional_db: None, settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield baked(make_firm, "acme")


@pytest.fixture
def admin(acme: Firm) -> Principal:
    return make_member(acme, "tessa", Role.TENANT_ADMIN)


@pytest.fixture
def analyst(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.ANALYST)


def keep_for_admins(acme: Firm) -> None:
    version = approve(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        policy_version_activate(version)


def read(acme: Firm, content: bytes, principal: Principal, **more: Any) -> Document:
    made = ingest(acme, content, principal=principal, filename="minutes.md", **more)
    assert run(acme, made.job) is RunOutcome.SUCCEEDED
    return document(acme, made.document.id)


@pytest.fixture
def minutes(acme: Firm, admin: Principal) -> Document:
    """A document of a kind that is for tenant administrators, restricted since."""
    keep_for_admins(acme)
    found = read(acme, b"# Minutes\n\nIt was decided.\n", admin, external_id="minutes")
    hide(acme, found)
    return found


def hide(acme: Firm, found: Document) -> None:
    with as_(make_member(acme, f"dora-{uuid4().hex[:6]}", Role.DPO)):
        restrict([Target(type=TargetType.DOCUMENT, id=found.id)], Because.REQUEST, uuid4())


def next_version(replaced: Document, principal: Principal, *, kind: str = "methodology", **more: Any) -> IngestJob:
    """Past every service: the rows of a next version, as a process could write them that was taken over."""
    with transaction.atomic():
        made = Document.objects.create(
            tenant_id=replaced.tenant_id,
            scope_id=replaced.scope_id,
            kind=kind,
            title="Smuggled",
            slug=uuid4().hex,
            filename="x.md",
            byte_size=len(MINE),
            content_sha256=sha256(MINE).hexdigest(),
            **{"series_id": replaced.series_id, "version": replaced.version + 1, **more},
        )
        SourceFile.objects.create(tenant_id=made.tenant_id, scope_id=made.scope_id, document=made, content=MINE)
        waiting: IngestJob = IngestJob.objects.create(
            tenant_id=made.tenant_id,
            scope_id=made.scope_id,
            document=made,
            actor_kind=principal.kind.value,
            actor_id=principal.id,
            actor_label=principal.label,
            embedding_profile="local",
            next_attempt_at=timezone.now(),
        )
    return waiting


def test_nobody_puts_a_version_over_a_restricted_one_of_a_kind_that_others_file(
    acme: Firm, minutes: Document, analyst: Principal
) -> None:
    with as_(analyst):
        assert not Document.objects.filter(id=minutes.id).exists()
        with pytest.raises(ProgrammingError, match="no document that it is the next version of"):
            next_version(minutes, analyst)
    assert document(acme, minutes.id).status == DocumentStatus.READY


def test_it_looks_the_same_as_after_a_removal(acme: Firm, minutes: Document, analyst: Principal) -> None:
    refusals = []
    for changes in ({}, {"series_id": uuid4()}):
        with as_(analyst), pytest.raises(ProgrammingError) as refused:
            next_version(minutes, analyst, **changes)
        refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_who_may_replace_it_does(acme: Firm, minutes: Document, admin: Principal) -> None:
    with as_(admin):
        waiting = next_version(minutes, admin)
    assert run(acme, waiting) is RunOutcome.SUCCEEDED
    assert document(acme, minutes.id).status == DocumentStatus.SUPERSEDED


def test_a_job_publishes_nothing_over_what_its_uploader_may_not_replace(
    acme: Firm, minutes: Document, analyst: Principal
) -> None:
    """The rows came past the first trigger. The job asks by itself, and so does the database of the job."""
    with changed(_NO_TRIGGER.format("insert"), _NO_TRIGGER.format("publish")):
        with as_(analyst):
            waiting = next_version(minutes, analyst)
        assert run(acme, waiting) is RunOutcome.FAILED
        assert job(acme, waiting.id).error_code == "corpus.not_replaceable"
        assert document(acme, waiting.document_id).status == DocumentStatus.FAILED
        assert document(acme, minutes.id).status == DocumentStatus.READY


@pytest.mark.parametrize("is_held", [True, False])
def test_the_database_asks_again_as_it_is_published(
    acme: Firm, minutes: Document, analyst: Principal, is_held: bool
) -> None:
    """The control: without the trigger it is published."""
    also = () if is_held else (_NO_TRIGGER.format("publish"),)
    with (
        changed(_NO_TRIGGER.format("insert"), *also),
        patch("apps.corpus.services.ingest.finish._require_replaceable"),
    ):
        with as_(analyst):
            waiting = next_version(minutes, analyst)
        if is_held:
            with pytest.raises(ProgrammingError, match="may replace"):
                run(acme, waiting)
        else:
            assert run(acme, waiting) is RunOutcome.SUCCEEDED
            assert document(acme, minutes.id).status == DocumentStatus.SUPERSEDED


def test_the_right_is_asked_as_it_is_when_it_is_published(acme: Firm, analyst: Principal) -> None:
    first = read(acme, b"# Minutes\n\nIt was decided.\n", analyst)
    waiting = ingest(acme, MINE, principal=analyst, replaces=first.id, kind="methodology").job
    keep_for_admins(acme)
    assert run(acme, waiting) is RunOutcome.FAILED
    assert document(acme, first.id).status == DocumentStatus.READY


def test_what_replaces_nothing_is_published_as_before(acme: Firm, analyst: Principal) -> None:
    waiting = ingest(acme, MINE, principal=analyst).job
    keep_for_admins(acme)
    assert run(acme, waiting) is RunOutcome.SUCCEEDED


def test_a_version_that_comes_late_replaces_nothing(acme: Firm, analyst: Principal, admin: Principal) -> None:
    """The second version is read after the third, and replaces none of them."""
    first = read(acme, b"# Minutes\n\nIt was decided.\n", analyst)
    second = ingest(acme, MINE, principal=analyst, replaces=first.id, kind="methodology").job
    read(acme, b"# Third\n\nText.\n", admin, replaces=first.id)
    keep_for_admins(acme)
    assert run(acme, second) is RunOutcome.SUCCEEDED
    assert document(acme, second.document_id).status == DocumentStatus.SUPERSEDED


# --- Earlier versions that are not read yet, or failed ----------------------------------------------------------------


def unread_of(acme: Firm, principal: Principal, status: DocumentStatus) -> Document:
    made = ingest(acme, b"# Minutes\n\nIt was decided.\n", principal=principal, filename="minutes.md").document
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=made.id).update(status=status)
    return document(acme, made.id)


UNREAD = pytest.mark.parametrize("status", [DocumentStatus.RECEIVED, DocumentStatus.FAILED])


@UNREAD
def test_one_that_is_not_published_yet_is_replaced_by_who_may_file_its_kind(
    acme: Firm, admin: Principal, analyst: Principal, status: DocumentStatus
) -> None:
    """Started again, it would be superseded at once. The database refuses by what is seen and what is restricted."""
    keep_for_admins(acme)
    unread = unread_of(acme, admin, status)
    with pytest.raises(KindNotYoursError):
        ingest(acme, MINE, principal=analyst, replaces=unread.id, kind="methodology")
    with as_(analyst), pytest.raises(ProgrammingError, match="lets only tenant_admin file"):
        next_version(unread, analyst)
    hide(acme, unread)
    with as_(analyst), pytest.raises(ProgrammingError, match="no document that it is the next version of"):
        next_version(unread, analyst)
    with as_(admin):
        next_version(unread, admin)


@UNREAD
@pytest.mark.parametrize("asked_by", ["job", "database"])
def test_who_may_replace_it_is_asked_again_as_the_next_one_is_published(
    acme: Firm, analyst: Principal, status: DocumentStatus, asked_by: str
) -> None:
    unread = unread_of(acme, analyst, status)
    waiting = ingest(acme, MINE, principal=analyst, replaces=unread.id, kind="methodology").job
    keep_for_admins(acme)
    if asked_by == "job":
        assert run(acme, waiting) is RunOutcome.FAILED
        assert job(acme, waiting.id).error_code == "corpus.not_replaceable"
        return
    with (
        patch("apps.corpus.services.ingest.finish._require_replaceable"),
        pytest.raises(ProgrammingError, match="may replace"),
    ):
        run(acme, waiting)


def test_a_clock_that_goes_behind_hides_no_version_that_is_replaced(acme: Firm, analyst: Principal) -> None:
    first = read(acme, b"# Minutes\n\nIt was decided.\n", analyst)
    waiting = ingest(acme, MINE, principal=analyst, replaces=first.id, kind="methodology").job
    keep_for_admins(acme)

    def begin_before(made: Document, replaced: list[Document]) -> None:
        made.valid_from = timezone.now() - timedelta(hours=1)

    with (
        patch("apps.corpus.services.ingest.finish._require_replaceable", begin_before),
        pytest.raises(ProgrammingError, match="may replace"),
    ):
        run(acme, waiting)
