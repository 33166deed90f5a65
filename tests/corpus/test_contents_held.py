"""What an unpublished document holds is written by the job that reads its file, whoever brought it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from apps.corpus.models import Chunk, Document, IngestJob, JobStage, Page, SourceFile
from apps.corpus.services.documents import document_delete
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import document, ingest, job, pages, run
from tests.factories import Firm, as_, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def tessa(acme: Firm) -> Principal:
    return make_member(acme, "tessa", Role.TENANT_ADMIN)


Attack = Callable[[Document], Any]
OF_THE_FILE: Mapping[str, Attack] = {
    "another file of the same digest": lambda it: (
        SourceFile.objects.filter(document=it).delete(),
        SourceFile.objects.create(
            tenant_id=it.tenant_id, scope_id=it.scope_id, document=it, content=b"x" * it.byte_size
        ),
    ),
    "other bytes in the file": lambda it: SourceFile.objects.filter(document=it).update(content=b"Mine."),
    "a page": lambda it: Page.objects.create(
        tenant_id=it.tenant_id, scope_id=it.scope_id, document=it, number=1, text="Mine."
    ),
    "a passage": lambda it: Chunk.objects.create(
        tenant_id=it.tenant_id, scope_id=it.scope_id, document=it, kind=it.kind, number=1, text="Mine.",
        page_start=1, page_end=1, char_start=0, char_end=5, token_count=1, content_sha256="0" * 64,
    ),
    "the state of the document": lambda it: Document.objects.filter(id=it.id).update(status="ready"),
    "how many pages were found": lambda it: Document.objects.filter(id=it.id).update(page_count=1),
    "the name by which it is read": lambda it: Document.objects.filter(id=it.id).update(filename="mine.csv"),
    "the digest": lambda it: Document.objects.filter(id=it.id).update(content_sha256="0" * 64),
    "the stage of the job": lambda it: IngestJob.objects.filter(document=it).update(stage=JobStage.EMBED),
    "the lease of the job": lambda it: IngestJob.objects.filter(document=it).update(lease_owner="me"),
    "the end of the job": lambda it: IngestJob.objects.filter(document=it).update(state="succeeded"),
    "the attempts of the job": lambda it: IngestJob.objects.filter(document=it).update(attempts=99),
    "when the job goes on": lambda it: IngestJob.objects.filter(document=it).update(
        next_attempt_at=timezone.now() + timedelta(days=900)
    ),
    "which vectors the job makes": lambda it: IngestJob.objects.filter(document=it).update(embedding_profile="mine"),
    "the id of the job": lambda it: IngestJob.objects.filter(document=it).update(id=uuid4()),
}  # fmt: skip


@pytest.mark.parametrize("attack", OF_THE_FILE.values(), ids=OF_THE_FILE)
def test_nobody_writes_what_a_document_of_theirs_holds(acme: Firm, tessa: Principal, attack: Attack) -> None:
    made = ingest(acme, principal=tessa)
    with as_(tessa), pytest.raises(DatabaseError), transaction.atomic():
        attack(made.document)
    run(acme, made.job)
    assert pages(acme, made.document.id)[0].text.startswith("Alpha Fund, fourth quarter")


def test_nobody_takes_a_page_out_that_was_read(acme: Firm, tessa: Principal) -> None:
    made = ingest(acme, principal=tessa).document
    with open_scope(tenant=acme.id, reason="a test"):
        Page.objects.create(tenant_id=made.tenant_id, scope_id=made.scope_id, document=made, number=1, text="A text.")
    with as_(tessa):
        with pytest.raises(DatabaseError, match="written by the job"), transaction.atomic():
            Page.objects.filter(document=made).delete()
        # The control: it goes with the whole document.
        document_delete(document_id=made.id)
    assert pages(acme, made.id) == []


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("part", [SourceFile, IngestJob])
def test_nobody_takes_the_file_or_the_job_of_an_upload_but_who_brought_it(
    acme: Firm, tessa: Principal, part: type[SourceFile | IngestJob], role: Role
) -> None:
    """The control: who brought it may, since they may discard the whole of it."""
    made = ingest(acme, principal=tessa).document
    mallory, refused = make_member(acme, "mallory", role), pytest.raises(DatabaseError, match="by who may discard it")
    with as_(mallory), refused, transaction.atomic():
        part.objects.filter(document=made).delete()
    with as_(tessa):
        assert part.objects.filter(document=made).delete()[0] == 1


def test_nobody_takes_the_pages_of_an_upload_that_has_no_job(acme: Firm, tessa: Principal) -> None:
    made = ingest(acme, principal=tessa).document
    with open_scope(tenant=acme.id, reason="a test"):
        Page.objects.create(tenant_id=made.tenant_id, scope_id=made.scope_id, document=made, number=1, text="A text.")
        IngestJob.objects.filter(document=made).delete()
    ada, refused = make_member(acme, "ada", Role.TENANT_ADMIN), pytest.raises(DatabaseError, match="may discard it")
    with as_(ada), refused, transaction.atomic():
        Page.objects.filter(document=made).delete()


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.REVIEWER, Role.DPO, Role.COMPLIANCE_OFFICER])
def test_who_adds_no_documents_writes_none_and_no_job(acme: Firm, tessa: Principal, role: Role) -> None:
    """The control: an analyst adds documents, and starts a failed one again."""
    made = ingest(acme, principal=tessa)
    made.document.pk, made.document.version, made.document.slug = None, 2, "another"
    mallory, anna = make_member(acme, "mallory", role), make_member(acme, "anna", Role.ANALYST)
    attacks: Mapping[str, Callable[[], Any]] = {
        "INSERT of corpus_document": lambda: made.document.save(force_insert=True),
        "UPDATE of corpus_document": lambda: Document.objects.update(error_detail="Mine."),
        "UPDATE of corpus_ingestjob": lambda: IngestJob.objects.update(error_detail="Mine."),
    }
    for of, attack in attacks.items():
        with as_(mallory), pytest.raises(DatabaseError, match=of), transaction.atomic():
            attack()
        with as_(anna), transaction.atomic():
            attack()
            transaction.set_rollback(True)


def test_a_document_begins_as_received(acme: Firm, tessa: Principal) -> None:
    made = ingest(acme, principal=tessa).document
    made.pk, made.version, made.slug, made.status = None, 2, "another", "ready"
    with as_(tessa), pytest.raises(DatabaseError, match="begins as received"), transaction.atomic():
        made.save(force_insert=True)


def test_a_job_begins_with_the_file(acme: Firm, tessa: Principal) -> None:
    made = ingest(acme, principal=tessa).job
    made.pk, made.stage = None, JobStage.EMBED
    with as_(tessa), pytest.raises(DatabaseError, match="begins with reading the file"), transaction.atomic():
        made.save(force_insert=True)


def test_the_job_itself_writes_all_of_it_in_the_same_name(acme: Firm, tessa: Principal) -> None:
    """The control of every test above."""
    made = ingest(acme, principal=tessa)
    run(acme, made.job)
    assert (document(acme, made.document.id).status, job(acme, made.job.id).state) == ("ready", "succeeded")


def test_ones_own_upload_is_discarded_with_what_was_read_of_it(acme: Firm, tessa: Principal) -> None:
    made = ingest(acme, BROKEN, filename="cut.json", principal=tessa)
    run(acme, made.job)
    with as_(tessa):
        document_delete(document_id=made.document.id)
        assert not Document.objects.filter(id=made.document.id).exists()
