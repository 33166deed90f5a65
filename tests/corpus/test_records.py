"""Records in the corpus: one document for one id, a version for each change, and the ways of documents for the rest."""

from __future__ import annotations

from typing import Any

import pytest

from apps.corpus.errors import RemovalKeptError
from apps.corpus.extraction.record_file import Number, RecordFile, RecordType, write_record
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services.ingest.errors import (
    ExternalIdTakenError,
    InvalidRecordError,
    RecordKindError,
    RecordNotFoundError,
    RecordRemovalPendingError,
    RecordTooLargeError,
    RecordTypeError,
    UnknownKindError,
)
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.corpus.services.records.identity import record_document, record_of
from apps.corpus.services.records.remove import record_remove
from apps.corpus.services.records.upsert import Outcome, RecordResult, record_upsert
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import Target, TargetType
from apps.erasure.models import RemovalRun
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError, ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.ending import hold
from tests.corpus.ingesting import document, ingest, pages, run
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db

BODY = {"summary": "The drawdown of the Alpha Fund was 12.5 %.", "limits": {"cash": Number("5.00")}}


def upsert(firm: Firm, body: Any = BODY, *, principal: Principal | None = None, **more: Any) -> RecordResult:
    said: dict[str, Any] = {
        "type": RecordType.WORKFLOW_OUTPUT,
        "source": "flows",
        "external_id": "r-7",
        "scope": "fund:alpha",
        "kind": "run",
        **more,
    }
    scope_id = ScopeId(firm.scopes[said.pop("scope")].id)
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        return record_upsert(body=body, scope_id=scope_id, **said)


def versions(firm: Firm) -> list[tuple[int, str]]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Document.objects.order_by("version").values_list("version", "status"))


@pytest.fixture
def firm(acme: Firm) -> Firm:
    return acme


class TestUpsert:
    def test_a_record_becomes_a_document_that_is_read(self, firm: Firm) -> None:
        made = upsert(firm)
        assert made.outcome is Outcome.CREATED
        run(firm, made.job)
        stored = document(firm, made.document.id)
        assert (stored.status, stored.title, stored.external_id) == (
            DocumentStatus.READY,
            "Workflow output r-7",
            "flows/r-7",
        )
        assert (stored.document_type, stored.source_type) == ("record", "internal")
        [page] = pages(firm, stored.id)
        assert "limits\ncash: 5.00" in page.text
        with open_scope(tenant=firm.id, reason="a test"):
            record = record_of(stored)
        assert record is not None
        assert (record.source, record.external_id, record.body) == ("flows", "r-7", BODY)

    def test_the_same_record_makes_no_version_and_says_so(self, firm: Firm) -> None:
        first = upsert(firm)
        again = upsert(firm, dict(reversed(BODY.items())))
        assert (again.outcome, again.document.id) == (Outcome.UNCHANGED, first.document.id)
        run(firm, first.job)
        assert upsert(firm).outcome is Outcome.UNCHANGED
        assert versions(firm) == [(1, "ready")]

    def test_a_change_makes_the_next_version_of_the_same_document(self, firm: Firm) -> None:
        first = upsert(firm)
        run(firm, first.job)
        other = upsert(firm, {**BODY, "summary": "It was 13 %."})
        assert (other.outcome, other.document.series_id) == (Outcome.CHANGED, first.document.series_id)
        run(firm, other.job)
        assert versions(firm) == [(1, "superseded"), (2, "ready")]

    def test_other_details_are_a_change_too(self, firm: Firm) -> None:
        upsert(firm)
        made = upsert(firm, metadata=DocumentMetadata(title="The seventh run", company="Acme"))
        assert (made.outcome, made.document.title, made.document.company) == (
            Outcome.CHANGED,
            "The seventh run",
            "Acme",
        )

    def test_a_change_and_back_before_it_was_read_ends_as_the_last_one_says(self, firm: Firm) -> None:
        """The first version is in force and has the same bytes; the second would otherwise take over and stay."""
        first = upsert(firm)
        run(firm, first.job)
        jobs = [upsert(firm, {"summary": "Other."}).job, upsert(firm).job]
        for job in jobs:
            run(firm, job)
        assert versions(firm) == [(1, "superseded"), (2, "superseded"), (3, "ready")]

    def test_another_source_scope_or_tenant_is_another_record(self, firm: Firm) -> None:
        made = [
            upsert(firm),
            upsert(firm, source="others"),
            upsert(firm, scope="fund:beta"),
            upsert(make_firm("bolt")),
        ]
        assert [each.outcome for each in made] == [Outcome.CREATED] * 4
        assert len({each.document.series_id for each in made}) == 4

    def test_a_compliance_configuration_comes_from_policy(self, firm: Firm) -> None:
        made = upsert(firm, type=RecordType.COMPLIANCE_CONFIGURATION, kind="compliance_profile")
        assert made.document.source_type == "policy"

    def test_a_record_that_could_not_be_read_is_read_again(self, firm: Firm) -> None:
        made = upsert(firm)
        with open_scope(tenant=firm.id, reason="a test"):
            Document.objects.filter(id=made.document.id).update(status=DocumentStatus.FAILED, error_code="x")
        again = upsert(firm)
        assert (again.outcome, document(firm, made.document.id).status) == (Outcome.UNCHANGED, "received")


class TestRefusals:
    def test_a_body_that_is_not_as_its_type_demands_is_told_by_its_pointer(self, firm: Firm) -> None:
        with pytest.raises(InvalidRecordError) as raised:
            upsert(firm, {"entries": [{"date": "2025-03-31"}]}, type=RecordType.SCHEDULE)
        assert raised.value.data == {"place": "/entries/0/name", "reason": "is missing"}
        assert versions(firm) == []

    def test_a_record_that_was_stored_before_there_were_schemas_is_read(self, firm: Firm) -> None:
        old = RecordFile(
            type=RecordType.SCHEDULE, source="flows", external_id="r-7", about={"title": "Old"}, body={"when": "May"}
        )
        made = ingest(firm, write_record(old), filename="r-7.record.json", external_id="flows/r-7")
        run(firm, made.job)
        assert "when: May" in pages(firm, made.document.id)[0].text
        with open_scope(tenant=firm.id, reason="a test"):
            assert record_of(document(firm, made.document.id)) == old

    @pytest.mark.parametrize(
        ("said", "error"),
        [
            ({"kind": "nonsense"}, UnknownKindError),
            ({"source": "Flows"}, InvalidRecordError),
            ({"source": "a/b"}, InvalidRecordError),
            ({"external_id": ""}, InvalidRecordError),
            ({"external_id": "a/b"}, InvalidRecordError),
            ({"external_id": "x\n"}, InvalidRecordError),
            ({"external_id": "x" * 128}, InvalidRecordError),
        ],
    )
    def test_what_it_is_called_and_where_it_belongs(
        self, firm: Firm, said: dict[str, str], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            upsert(firm, **said)
        assert versions(firm) == []

    def test_a_place_is_named(self, firm: Firm) -> None:
        with pytest.raises(InvalidRecordError, match=r"/a/0 contains the control character U\+0000"):
            upsert(firm, {"a": ["\0"]})

    def test_a_record_is_bounded(self, firm: Firm) -> None:
        with pytest.raises(RecordTooLargeError):
            upsert(firm, {"a": "x" * 1024 * 1024})

    def test_kind_and_type_stay(self, firm: Firm) -> None:
        upsert(firm)
        with pytest.raises(RecordKindError):
            upsert(firm, kind="methodology")
        with pytest.raises(RecordTypeError):
            upsert(firm, {"entries": [{"name": "NAV"}]}, type=RecordType.SCHEDULE)
        assert versions(firm) == [(1, "received")]

    def test_a_document_with_its_id_is_not_replaced(self, firm: Firm) -> None:
        ingest(firm, external_id="flows/r-7")
        with pytest.raises(ExternalIdTakenError):
            upsert(firm)

    def test_a_scope_that_is_not_granted(self, firm: Firm) -> None:
        alice = make_member(firm, "alice", Role.ANALYST, scopes=["fund:beta"])
        with pytest.raises(ScopeNotGrantedError):
            upsert(firm, principal=alice)

    def test_a_role_that_adds_nothing(self, firm: Firm) -> None:
        with pytest.raises(PermissionDeniedError):
            upsert(firm, principal=make_member(firm, "rita", Role.AUDITOR))


class TestRemoval:
    def test_the_removal_of_every_version_is_proposed(self, firm: Firm) -> None:
        for body in (BODY, {"a": "b"}):
            run(firm, upsert(firm, body).job)
        bob = make_member(firm, "bob", Role.TENANT_ADMIN)
        with open_scope(tenant=firm.id, principal=bob):
            proposals = remove(firm)
        with open_scope(tenant=firm.id, reason="a test"):
            newest_first = list(Document.objects.order_by("-version").values_list("id", flat=True))
        assert [each.origin_id for each in proposals] == newest_first
        assert versions(firm) == [(1, "superseded"), (2, "ready")]

    def test_a_version_that_is_proposed_already_keeps_its_proposal(self, firm: Firm) -> None:
        first = upsert(firm)
        run(firm, first.job)
        second = upsert(firm, {"a": "b"})
        run(firm, second.job)
        with open_scope(tenant=firm.id, principal=make_member(firm, "bob", Role.TENANT_ADMIN)):
            document_remove(document_id=first.document.id, reason="duplicate")
            assert [each.origin_id for each in remove(firm)] == [second.document.id]
            with pytest.raises(RemovalKeptError):
                remove(firm)

    def test_a_file_that_is_only_called_like_a_record_is_none(self, firm: Firm) -> None:
        ingest(firm, filename="r-7.record.json", external_id="flows/r-7")
        with open_scope(tenant=firm.id, reason="a test"), pytest.raises(RecordNotFoundError):
            record_document(ScopeId(firm.scopes["fund:alpha"].id), "flows", "r-7")

    def test_a_change_waits_for_the_decision_and_the_same_record_is_still_there(self, firm: Firm) -> None:
        run(firm, upsert(firm).job)
        with open_scope(tenant=firm.id, principal=make_member(firm, "bob", Role.TENANT_ADMIN)):
            remove(firm)
        assert upsert(firm).outcome is Outcome.UNCHANGED
        with pytest.raises(RecordRemovalPendingError):
            upsert(firm, {"a": "b"})

    def test_ones_own_that_nobody_could_read_goes_at_once(self, firm: Firm) -> None:
        bob = make_member(firm, "bob", Role.TENANT_ADMIN)
        upsert(firm, principal=bob)
        with open_scope(tenant=firm.id, principal=bob):
            assert remove(firm) == ()
        assert versions(firm) == []
        assert upsert(firm).outcome is Outcome.CREATED

    def test_a_version_under_a_hold_stays(self, firm: Firm) -> None:
        old = upsert(firm)
        run(firm, old.job)
        run(firm, upsert(firm, {"a": "b"}).job)
        hold(make_member(firm, "dpo", Role.DPO), Target(type=TargetType.DOCUMENT, id=old.document.id))
        with open_scope(tenant=firm.id, principal=make_member(firm, "bob", Role.TENANT_ADMIN)):
            # What is held is hidden from who removes, and stays.
            [proposal] = remove(firm)
        assert proposal.origin_id != old.document.id

    def test_absent_and_hidden_are_alike(self, firm: Firm) -> None:
        run(firm, upsert(firm, scope="fund:beta").job)
        bob = make_member(firm, "bob", Role.TENANT_ADMIN, scopes=["fund:alpha"])
        told = []
        for external_id in ("r-7", "r-8"):
            with open_scope(tenant=firm.id, principal=bob), pytest.raises(RecordNotFoundError) as error:
                record_document(ScopeId(firm.scopes["fund:beta"].id), "flows", external_id)
            told.append(error.value.detail.replace(external_id, ""))
        assert told[0] == told[1]

    def test_an_uploaded_document_is_no_record(self, firm: Firm) -> None:
        ingest(firm, external_id="flows/r-7")
        with open_scope(tenant=firm.id, reason="a test"), pytest.raises(RecordNotFoundError):
            record_document(ScopeId(firm.scopes["fund:alpha"].id), "flows", "r-7")


def remove(firm: Firm) -> tuple[RemovalRun, ...]:
    return record_remove(
        scope_id=ScopeId(firm.scopes["fund:alpha"].id), source="flows", external_id="r-7", reason="duplicate"
    )
