"""Documents are moved to another scope: filed there at once, and taken from their readers by two people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.urls import reverse
from django.utils import timezone

from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.models import Document, DocumentStatus, IngestJob, SourceFile
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import (
    ExternalIdTakenError,
    KindNotYoursError,
    MoveError,
    RemovalPendingError,
)
from apps.corpus.services.move import document_move
from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_place
from apps.erasure.holds.errors import HoldError
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import RejectionReason
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError, ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.models import Membership
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.corpus.ingesting import actions, ingest, run, short_profile
from tests.corpus.test_records import upsert
from tests.corpus.test_refile import given
from tests.deciding import run_reject
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

WORDS = "It is about the other fund."


@pytest.fixture(autouse=True)
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.TENANT_ADMIN)


@pytest.fixture
def rita(acme: Firm) -> Principal:
    return make_member(acme, "rita", Role.REVIEWER)


def beta(firm: Firm) -> ScopeId:
    return ScopeId(firm.scopes["fund:beta"].id)


def filed(firm: Firm, content: bytes = b"# Costs\n\nThe costs were 7 million.", **more: object) -> Document:
    made = ingest(firm, content, **{"filename": "costs.md", **more})  # type: ignore[arg-type]
    run(firm, made.job)
    with open_scope(tenant=firm.id, reason="a test"):
        found: Document = Document.objects.get(id=made.document.id)
        return found


def read_all(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        jobs = list(IngestJob.objects.filter(state="pending").order_by("requested_at", "id"))
    for each in jobs:
        run(firm, each)


def states(firm: Firm, scope: str) -> list[tuple[int, str]]:
    with open_scope(tenant=firm.id, reason="a test"):
        of_scope = Document.objects.filter(scope_id=firm.scopes[scope].id).order_by("version")
        return list(of_scope.values_list("version", "status"))


def test_it_is_filed_there_and_its_removal_here_is_proposed(acme: Firm, alice: Principal) -> None:
    report = filed(acme, external_id="costs-1", company="Alpha")
    with as_(alice):
        moved = document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    made = moved.made
    assert (made.kind, made.title, made.company, made.external_id) == (report.kind, "costs", "Alpha", "costs-1")
    assert (made.scope_id, made.content_sha256, made.version) == (beta(acme), report.content_sha256, 1)
    assert made.series_id != report.series_id
    (proposal,) = moved.removals
    assert (proposal.reason_code, proposal.origin_id, proposal.proposed_by) == ("wrong_place", report.id, alice.id)
    assert states(acme, "fund:alpha") == [(1, DocumentStatus.READY)], "it answers until somebody else approved"
    assert actions(acme, ["corpus.document.corrected"]) == ["corpus.document.corrected"]


def test_a_rejected_removal_leaves_both(acme: Firm, alice: Principal, rita: Principal) -> None:
    report = filed(acme)
    with as_(alice):
        moved = document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    with as_(rita):
        run_reject(moved.removals[0].id, RejectionReason.MUST_BE_KEPT)
    read_all(acme)
    assert states(acme, "fund:alpha") == states(acme, "fund:beta") == [(1, DocumentStatus.READY)]


def test_earlier_versions_go_along_and_corrections_of_the_same_bytes_are_one(acme: Firm, alice: Principal) -> None:
    first = filed(acme, external_id="old-id")
    second = filed(acme, b"# Costs\n\nThe costs were 8 million.", replaces=first.id)
    with as_(alice):
        third = document_correct(document_id=second.id, changes={"title": "Costs", "external_id": "costs-1"})
    read_all(acme)
    # The id that the first version once had is another document's there.
    other = filed(acme, b"# Other\n\nText.", scope="fund:beta", external_id="old-id")
    with as_(alice):
        moved = document_move(document_id=third.id, scope_id=beta(acme), words=WORDS)
    assert [each.origin_id for each in moved.removals] == [third.id, second.id, first.id]
    assert (moved.made.version, moved.made.title, moved.made.external_id) == (2, "Costs", "costs-1")
    read_all(acme)
    with as_(alice):
        there = Document.objects.filter(series_id=moved.made.series_id).order_by("version")
        assert [(each.content_sha256, each.status) for each in there] == [
            (first.content_sha256, DocumentStatus.SUPERSEDED),
            (second.content_sha256, DocumentStatus.READY),
        ]
        assert Document.objects.get(id=other.id).status == DocumentStatus.READY


def test_ones_own_upload_that_was_never_searchable_is_moved_at_once(acme: Firm, alice: Principal) -> None:
    mine = ingest(acme, principal=alice).document
    with as_(alice):
        moved = document_move(document_id=mine.id, scope_id=beta(acme), words=WORDS)
    assert moved.removals == ()
    assert (states(acme, "fund:alpha"), states(acme, "fund:beta")) == ([], [(1, DocumentStatus.RECEIVED)])


def test_the_same_file_there_stays_as_it_is(acme: Firm, alice: Principal) -> None:
    there = filed(acme, scope="fund:beta", external_id="theirs", title="Their title")
    here = filed(acme, external_id="ours")
    with as_(alice):
        moved = document_move(document_id=here.id, scope_id=beta(acme), words=WORDS)
        assert Document.objects.filter(scope_id=beta(acme)).count() == 1
    assert (moved.made.id, moved.made.title, len(moved.removals)) == (there.id, "Their title", 1)


def test_in_its_own_scope_nothing_happens(acme: Firm, alice: Principal) -> None:
    here = filed(acme)
    with as_(alice):
        moved = document_move(document_id=here.id, scope_id=ScopeId(here.scope_id), words=WORDS)
        assert (moved.made.id, moved.removals, Document.objects.count()) == (here.id, (), 1)


def unchanged(firm: Firm) -> None:
    """Nothing was filed in the other scope, and nothing proposed."""
    with open_scope(tenant=firm.id, reason="a test"):
        assert not RemovalRun.objects.filter(reason_code="wrong_place").exists()
        assert SourceFile.objects.filter(scope_id=firm.scopes["fund:beta"].id).count() <= 1


def test_what_may_not_be_moved_is_refused_whole(acme: Firm, alice: Principal) -> None:
    first = filed(acme, external_id="costs-1")
    second = filed(acme, b"# Costs\n\nEight.", replaces=first.id)
    waiting = ingest(acme, b"# New\n\nText.", filename="new.md").document
    record = upsert(acme)
    run(acme, record.job)
    filed(acme, b"# Other\n\nText.", scope="fund:beta", external_id="taken")
    same_id = filed(acme, b"# Mine\n\nText.", external_id="taken")
    for document, code in [
        (first, "corpus.move_not_current"),
        (waiting, "corpus.move_before_read"),
        (record.document, "corpus.move_of_record"),
    ]:
        with as_(alice), pytest.raises(MoveError) as refused:
            document_move(document_id=document.id, scope_id=beta(acme), words=WORDS)
        assert refused.value.code == code
    with as_(alice), pytest.raises(ExternalIdTakenError):
        document_move(document_id=same_id.id, scope_id=beta(acme), words=WORDS)
    with as_(alice):
        document_correct(document_id=second.id, changes={"title": "On its way"})
        with pytest.raises(MoveError):
            document_move(document_id=second.id, scope_id=beta(acme), words=WORDS)
    unchanged(acme)


def test_twice_is_refused_and_so_is_a_correction_meanwhile(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    with as_(alice):
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    for act in (
        lambda: document_move(document_id=report.id, scope_id=ScopeId(acme.scopes["firm:acme"].id), words=WORDS),
        lambda: document_correct(document_id=report.id, changes={"title": "Other"}),
    ):
        with as_(alice), pytest.raises(RemovalPendingError):
            act()
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.filter(scope_id=acme.scopes["firm:acme"].id).exists()
        assert RemovalRun.objects.count() == 1


def test_what_one_may_not_do_here_or_there_is_refused(acme: Firm) -> None:
    globex = make_firm("globex")
    report = filed(acme)
    foreign = filed(globex)
    analyst = make_member(acme, "anna", Role.ANALYST)
    dpo = make_member(acme, "dora", Role.DPO)
    here = make_member(acme, "hans", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    there = make_member(acme, "theo", Role.TENANT_ADMIN, scopes=["fund:beta"])
    for principal, error in [
        (analyst, PermissionDeniedError),
        (dpo, PermissionDeniedError),
        (here, ScopeNotGrantedError),
        (there, DocumentNotFoundError),
    ]:
        with as_(principal), pytest.raises(error):
            document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    both = make_member(acme, "bodo", Role.TENANT_ADMIN)
    with as_(both), pytest.raises(ScopeNotGrantedError):
        document_move(document_id=report.id, scope_id=beta(globex), words=WORDS)
    with as_(both), pytest.raises(DocumentNotFoundError):
        document_move(document_id=foreign.id, scope_id=beta(acme), words=WORDS)
    unchanged(acme)


def test_a_hold_keeps_it(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    dpo = make_member(acme, "dora", Role.DPO)
    with as_(dpo):
        hold_place(
            matter="Doe v. Acme",
            ground="litigation",
            owner_id=dpo.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=[Target(type=TargetType.DOCUMENT, id=report.id)],
        )
    with as_(alice), pytest.raises((HoldError, DocumentNotFoundError)):
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    unchanged(acme)


@pytest.mark.parametrize("right", ["uploaders", "removers"])
def test_the_policy_says_who_uploads_the_kind_and_removes_it(
    acme: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch, right: str
) -> None:
    report = filed(acme)
    given(acme, monkeypatch, run={right: (Role.DPO,)})
    with as_(alice), pytest.raises(KindNotYoursError):
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    unchanged(acme)


# --- the page ---


def send(visitor: Visitor, *documents: Document, **fields: str) -> Page:
    data = {"action": "move", ACTION_CHECKBOX_NAME: [str(each.id) for each in documents], **fields}
    return Page(visitor.post(reverse("admin:corpus_document_changelist"), data))


def test_the_page_says_who_gains_and_loses_before_anything_is_done(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    make_member(acme, "anna", Role.ANALYST, scopes=["fund:alpha"])
    make_member(acme, "berta", Role.ANALYST, scopes=["fund:beta"])
    gone = make_member(acme, "gone", Role.ANALYST, scopes=["fund:beta"])
    with open_scope(tenant=acme.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=gone.id))
    visitor = Visitor("alice")
    assert "Move to another scope" in visitor.open("corpus_document_change", report.id).text
    assert "Whoever reaches this scope" in send(visitor, report).text
    chosen = {"scope": str(beta(acme)), "words": WORDS}
    page = send(visitor, report, **chosen)
    assert "These can read it then, and could not before: berta." in page.text
    assert "These can read it no longer: anna." in page.text
    other = send(visitor, report, **chosen, confirmed=str(acme.scopes["fund:alpha"].id))
    assert "Who gains and who loses access" in other.text, "a scope whose effects were not shown is not moved to"
    unchanged(acme)
    assert send(visitor, report, **chosen, confirmed=str(beta(acme))).status == 302
    told = visitor.open("corpus_document_changelist").response.content.decode()
    assert "1 document is filed in Beta and being read there" in told
    assert states(acme, "fund:beta") == [(1, DocumentStatus.RECEIVED)]


def test_whoever_decides_reads_where_else_it_is_filed(acme: Firm, alice: Principal, rita: Principal) -> None:
    report = filed(acme)
    with as_(alice):
        (run,) = document_move(document_id=report.id, scope_id=beta(acme), words=WORDS).removals
    seen = Visitor("rita").open("removal_run", run.id).text
    assert "The same file is also filed in" in seen
    assert WORDS in seen
    make_member(acme, "ralf", Role.REVIEWER, scopes=["fund:alpha"])
    assert "is also filed in" not in Visitor("ralf").open("removal_run", run.id).text


def test_several_are_moved_and_what_was_refused_is_told(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    waiting = ingest(acme, b"# New", filename="new.md").document
    chosen = {"scope": str(beta(acme)), "words": WORDS, "confirmed": str(beta(acme))}
    visitor = Visitor("alice")
    send(visitor, report, waiting, **chosen)
    told = visitor.open("corpus_document_changelist").response.content.decode()
    assert "1 document is filed in Beta" in told
    assert "new: Document" in told
    assert "is not searchable yet" in told


def test_who_may_not_is_not_offered_it(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    make_member(acme, "anna", Role.ANALYST)
    visitor = Visitor("anna")
    assert "Move to another scope" not in visitor.open("corpus_document_changelist").response.content.decode()
    assert "Move to another scope" not in visitor.open("corpus_document_change", report.id).text
    send(visitor, report, scope=str(beta(acme)), words=WORDS, confirmed=str(beta(acme)))
    unchanged(acme)
