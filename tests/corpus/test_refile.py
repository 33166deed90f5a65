"""Documents are filed as another kind: under the rule of both kinds, recorded, and with who gains and loses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse

from apps.corpus import registry
from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.models import Document, DocumentStatus, IngestJob
from apps.corpus.registry import KindInForce, kinds_in_force
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import KindNotYoursError, NotCurrentError, RetiredKindError, UnknownKindError
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import actions, document, ingest, run
from tests.factories import Firm, as_, make_member
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    from tests.corpus.ingesting import short_profile

    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def filed(acme: Firm, server: ModelServer) -> Document:
    made = ingest(acme, kind="run", scope="firm:acme")
    run(acme, made.job)
    return document(acme, made.document.id)


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.ANALYST)


def given(firm: Firm, monkeypatch: pytest.MonkeyPatch, **changes: dict[str, Any]) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        known = kinds_in_force()

    def kinds() -> tuple[KindInForce, ...]:
        return tuple(replace(each, **changes.get(each.kind.value, {})) for each in known)

    monkeypatch.setattr(registry, "_sources", [kinds])


def test_it_becomes_the_next_version_which_replaces_the_present_one_when_it_is_read(
    acme: Firm, filed: Document, alice: Principal
) -> None:
    with as_(alice):
        made = document_correct(document_id=filed.id, changes={}, kind="methodology")
    assert (made.kind, made.version, made.series_id, made.title) == ("methodology", 2, filed.series_id, filed.title)
    assert document(acme, filed.id).status == DocumentStatus.READY
    with open_scope(tenant=acme.id, reason="a test"):
        job = IngestJob.objects.get(document=made)
    run(acme, job)
    assert (document(acme, filed.id).status, document(acme, filed.id).kind) == (DocumentStatus.SUPERSEDED, "run")
    assert document(acme, made.id).status == DocumentStatus.READY
    assert actions(acme, ["corpus.document.corrected"]) == ["corpus.document.corrected"]


def test_of_its_own_kind_nothing_happens(filed: Document, alice: Principal) -> None:
    with as_(alice):
        assert document_correct(document_id=filed.id, changes={}, kind="run").id == filed.id
        assert Document.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"run": {"uploaders": (Role.TENANT_ADMIN,)}}, KindNotYoursError),
        ({"methodology": {"uploaders": (Role.TENANT_ADMIN,)}}, KindNotYoursError),
        ({"methodology": {"retired": True}}, RetiredKindError),
    ],
)
def test_both_kinds_must_be_the_persons(
    acme: Firm,
    filed: Document,
    alice: Principal,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, dict[str, Any]],
    error: type[Exception],
) -> None:
    given(acme, monkeypatch, **changes)
    with as_(alice), pytest.raises(error):
        document_correct(document_id=filed.id, changes={}, kind="methodology")


def test_what_is_unknown_outdated_or_out_of_reach_is_refused(acme: Firm, filed: Document, alice: Principal) -> None:
    with as_(alice):
        with pytest.raises(UnknownKindError):
            document_correct(document_id=filed.id, changes={}, kind="bakery")
        document_correct(document_id=filed.id, changes={}, kind="methodology")
        with pytest.raises(NotCurrentError):
            document_correct(document_id=filed.id, changes={}, kind="schedule")
    with as_(make_member(acme, "bob", Role.ANALYST, scopes=["fund:beta"])), pytest.raises(DocumentNotFoundError):
        document_correct(document_id=filed.id, changes={}, kind="methodology")
    with as_(make_member(acme, "dora", Role.AUDITOR)), pytest.raises(PermissionDeniedError):
        document_correct(document_id=filed.id, changes={}, kind="methodology")


# --- the page ---


def send(visitor: Visitor, *documents: Document, **fields: str) -> Page:
    data = {"action": "refile", ACTION_CHECKBOX_NAME: [str(each.id) for each in documents], **fields}
    return Page(visitor.post(reverse("admin:corpus_document_changelist"), data))


def test_the_page_says_which_questions_gain_and_lose_before_anything_is_done(filed: Document, alice: Principal) -> None:
    visitor = Visitor("alice")
    assert "File them as" in send(visitor, filed).text
    page = send(visitor, filed, kind="methodology")
    assert "Past runs: 1 document." in page.text
    assert "Questions of Compliance, Methodology reach it then, and did not before." in page.text
    assert "Questions of Performance reach it no longer." in page.text
    other = send(visitor, filed, kind="schedule", confirmed="methodology")
    assert "What changes" in other.text, "a kind whose effects were not shown is not filed"
    with as_(alice):
        assert Document.objects.count() == 1


def test_the_selected_documents_are_filed_and_what_was_refused_is_told(
    acme: Firm, filed: Document, alice: Principal
) -> None:
    waiting = ingest(acme, b"# Another", filename="another.md", kind="run", scope="firm:acme").document
    with as_(alice):
        newer = document_correct(document_id=filed.id, changes={"title": "Newer"})
        run(acme, IngestJob.objects.get(document=newer))
    visitor = Visitor("alice")
    assert send(visitor, filed, newer, waiting, kind="methodology", confirmed="methodology").status == 302
    told = visitor.open("corpus_document_changelist").response.content.decode()
    assert "2 documents are being read anew as Methodology" in told
    assert "report: " in told
    with as_(alice):
        of_kind = dict(Document.objects.values_list("id", "kind"))
        assert (of_kind[filed.id], of_kind[newer.id], of_kind[waiting.id]) == ("run", "run", "methodology")
        assert sorted(of_kind.values()) == ["methodology", "methodology", "run", "run"]


def test_who_adds_no_documents_is_not_offered_it(acme: Firm, filed: Document) -> None:
    make_member(acme, "dora", Role.AUDITOR)
    visitor = Visitor("dora")
    assert "File as another kind" not in visitor.open("corpus_document_changelist").response.content.decode()
    send(visitor, filed, kind="methodology", confirmed="methodology")
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.count() == 1
