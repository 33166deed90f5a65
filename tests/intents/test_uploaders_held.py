"""The database lets nobody file a document of a kind that the policy in force keeps for other roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import ProgrammingError, transaction
from django.utils import timezone

from apps.corpus.models import Document
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import KindNotYoursError
from apps.intents.baseline import baseline_snapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.services.versions import policy_draft_create, policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest
from tests.factories import Firm, as_, make_key, make_member, make_user
from tests.intents.steps import acting, step

pytestmark = pytest.mark.django_db

GIVEN: dict[str, dict[str, Any]] = {"run": {"uploaders": (Role.TENANT_ADMIN,)}, "schedule": {"retired": True}}


def approve(firm: Firm, *, begins: timedelta = timedelta(0)) -> PolicyVersion:
    """A version by which past runs are for tenant administrators, and schedules are retired."""
    policy = baseline_snapshot()
    budgets = tuple(replace(each, **GIVEN.get(each.kind.value, {})) for each in policy.budgets)
    author, approver = make_user("author"), make_user("approver")
    with open_scope(tenant=firm.id, reason="a test"):
        with acting(author):
            version = policy_draft_create(
                snapshot=replace(policy, budgets=budgets), number=2, origin=VersionOrigin.DRAFT, reason="A test."
            )
            step(version, status=VersionStatus.IN_REVIEW)
        with acting(approver, Role.REVIEWER):
            at = timezone.now() + begins
            step(version, status=VersionStatus.APPROVED, approver=approver, approver_label="B", effective_from=at)
    return version


@pytest.fixture
def kept_for_admins(acme: Firm) -> Iterator[None]:
    version = approve(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        policy_version_activate(version)
    return


def insert(firm: Firm, principal: Principal, kind: str) -> Document:
    """Past every service: a row as a process could write it that was taken over."""
    with as_(principal), transaction.atomic():
        made: Document = Document.objects.create(
            tenant_id=firm.id,
            scope_id=firm.root.id,
            kind=kind,
            title="Smuggled",
            slug=uuid4().hex,
            series_id=uuid4(),
            filename="x.md",
            byte_size=1,
            content_sha256=uuid4().hex * 2,
        )
    return made


@pytest.mark.usefixtures("kept_for_admins")
def test_only_a_role_that_the_policy_names_inserts_a_document_of_the_kind(acme: Firm) -> None:
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "tessa", Role.TENANT_ADMIN)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin file documents of the kind run"):
        insert(acme, analyst, "run")
    assert insert(acme, admin, "run").kind == "run"
    assert insert(acme, analyst, "methodology").kind == "methodology"


@pytest.mark.usefixtures("kept_for_admins")
def test_a_key_is_held_by_its_role(acme: Firm) -> None:
    with pytest.raises(ProgrammingError, match="lets only tenant_admin"):
        insert(acme, make_key(acme, Role.ANALYST)[0], "run")
    assert insert(acme, make_key(acme, Role.TENANT_ADMIN)[0], "run").kind == "run"


@pytest.mark.usefixtures("kept_for_admins")
def test_nobody_inserts_a_document_of_a_retired_kind_but_the_platform(acme: Firm) -> None:
    with pytest.raises(ProgrammingError, match="the kind schedule is retired"):
        insert(acme, make_member(acme, "tessa", Role.TENANT_ADMIN), "schedule")


@pytest.mark.usefixtures("kept_for_admins")
def test_who_may_not_upload_a_kind_corrects_no_document_of_it(acme: Firm) -> None:
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "tessa", Role.TENANT_ADMIN)
    document = ingest(acme, kind="run", scope="firm:acme", principal=admin).document
    with as_(analyst):
        with pytest.raises(KindNotYoursError, match="Tenant administrator"):
            document_correct(document_id=document.id, changes={"title": "Mine"})
        with pytest.raises(ProgrammingError, match="lets only tenant_admin"), transaction.atomic():
            Document.objects.filter(id=document.id).update(title="Mine")
    with as_(admin):
        assert document_correct(document_id=document.id, changes={"title": "Ours"}).title == "Ours"


def test_an_approved_version_holds_from_its_time_on_though_nothing_recorded_it(acme: Firm) -> None:
    analyst = make_member(acme, "alice", Role.ANALYST)
    approve(acme)
    with pytest.raises(ProgrammingError, match="lets only tenant_admin"):
        insert(acme, analyst, "run")


def test_an_approved_version_does_not_hold_before_its_time(acme: Firm) -> None:
    analyst = make_member(acme, "alice", Role.ANALYST)
    approve(acme, begins=timedelta(hours=1))
    assert insert(acme, analyst, "run").kind == "run"
