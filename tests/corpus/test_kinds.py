"""Kinds are the firm's: who may upload what is decided by its policy, at every door, and the database holds the key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.db import DatabaseError, connection, transaction

from apps.corpus import registry
from apps.corpus.kinds import Kind, RetentionClass
from apps.corpus.models import Document
from apps.corpus.registry import KindInForce, kinds_in_force, name_of, register_kinds
from apps.corpus.retention import SOURCE
from apps.corpus.services.ingest.errors import KindNotYoursError, RetiredKindError, UnknownKindError
from apps.erasure.declarations.retained import Aim
from apps.intents.fund_house import FUND_HOUSE
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import ingest
from tests.factories import Firm, make_key, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def only_admins(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Past runs are for tenant administrators; schedules are retired."""

    def kinds() -> tuple[KindInForce, ...]:
        given = {"run": {"uploaders": (Role.TENANT_ADMIN,)}, "schedule": {"retired": True}}
        return tuple(replace(each, **given.get(each.kind.value, {})) for each in known)

    with open_scope(tenant=acme.id, reason="a test"):
        known = kinds_in_force()
    monkeypatch.setattr(registry, "_sources", [kinds])
    return


def test_the_kinds_are_those_of_the_policy_in_force_with_their_names(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        found = kinds_in_force()
        assert [(each.kind.value, each.name) for each in found] == [(kind.value, kind.label) for kind in FUND_HOUSE]
        assert (name_of("run"), name_of("loan_file")) == ("Past runs", "Loan file")


def test_kinds_are_equal_by_their_keys() -> None:
    assert {Kind("run", "Past runs"), Kind("run", "Others"), "run"} == {Kind("run")}


def test_without_a_source_nothing_goes_on_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_sources", [])
    with pytest.raises(RuntimeError, match="nobody registered the kinds"):
        kinds_in_force()


def test_there_is_one_source() -> None:
    with pytest.raises(ValueError, match="a source already"):
        register_kinds(lambda: ())


def test_an_unknown_kind_is_refused_with_those_in_use(acme: Firm, only_admins: None) -> None:
    with pytest.raises(UnknownKindError) as refused:
        ingest(acme, kind="loan_file")
    assert refused.value.code == "corpus.unknown_kind"
    assert "fund_profile, style_sample, run" in refused.value.detail
    assert "schedule" not in refused.value.detail


def test_nothing_more_is_uploaded_of_a_retired_kind(acme: Firm, only_admins: None) -> None:
    with pytest.raises(RetiredKindError, match="'schedule' is retired"):
        ingest(acme, kind="schedule")


def test_a_role_uploads_what_the_policy_lets_it(acme: Firm, only_admins: None) -> None:
    analyst, admin = make_member(acme, "alice", Role.ANALYST), make_member(acme, "tessa", Role.TENANT_ADMIN)
    with pytest.raises(KindNotYoursError, match="Tenant administrator"):
        ingest(acme, kind="run", principal=analyst)
    assert ingest(acme, kind="run", principal=admin).created
    assert ingest(acme, kind="methodology", principal=analyst).created


def test_the_upload_page_offers_only_what_the_person_may_upload(acme: Firm, only_admins: None) -> None:
    make_member(acme, "alice", Role.ANALYST)
    page = Visitor("alice").open("corpus_document_add")
    offered = page.tree.xpath("//select[@name='kind']/option/@value")
    assert "fund_profile" in offered
    assert "run" not in offered
    assert "schedule" not in offered


def test_the_page_refuses_a_kind_that_it_did_not_offer(acme: Firm, only_admins: None) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    make_member(acme, "alice", Role.ANALYST)
    file = SimpleUploadedFile("run.md", b"# Run", content_type="text/markdown")
    fields = {"uploads": [file], "scope": str(acme.scopes["fund:alpha"].id), "document_type": "report"}
    page = Visitor("alice").send("corpus_document_add", kind="run", **fields)
    assert "run is not one of the available choices" in page.errors_of("kind")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()


def test_the_api_refuses_a_kind_that_the_role_may_not_upload(acme: Firm, only_admins: None) -> None:
    _, key = make_key(acme, Role.ANALYST)
    response = Api(key).upload(kind="run")
    assert (response.status_code, response.json()["code"]) == (403, "corpus.kind_not_yours")
    assert Api(key).upload(kind="methodology").status_code == 202


def test_the_database_holds_the_form_of_a_key(acme: Firm) -> None:
    document = ingest(acme).document
    for key in ("Run", "loan file", "1st", "", "run\n"):
        with (
            open_scope(tenant=acme.id, reason="a test"),
            pytest.raises(DatabaseError, match="document_kind_key"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute("UPDATE corpus_document SET kind = %s WHERE id = %s", [key, document.id])


def test_no_document_is_without_a_rule_of_the_retention_schedule(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.utils import timezone

    ingest(acme, kind="run")
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.update(status="failed")
        known = kinds_in_force()

        def found(wanted: RetentionClass) -> int:
            aim = Aim(subject=f"document:{wanted.value}", clock="created_at", before=timezone.now())
            return SOURCE.tally(aim).count

        assert (found(RetentionClass.RUN), found(RetentionClass.RECORD)) == (1, 0)
        monkeypatch.setattr(registry, "_sources", [lambda: tuple(each for each in known if each.kind != "run")])
        assert (found(RetentionClass.RUN), found(RetentionClass.RECORD)) == (0, 1)
