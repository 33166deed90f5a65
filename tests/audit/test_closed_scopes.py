"""Scopes and tenants that are erased take in nothing more, and what came into them before goes with them."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event as Flag
from threading import Thread
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection

from apps.audit.ids import new_id
from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.corpus.models import Chunk, Document, IngestJob, Page
from apps.corpus.services.ingest.document import document_ingest
from apps.erasure.contracts import DigestKind, Origin, RunState, Target, TargetType
from apps.erasure.errors import ScopeClosedError
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import RemovalRun, RemovalTarget, Restriction
from apps.erasure.runs.closing import came_since, closed_among
from apps.erasure.runs.runs import RejectionReason, run_propose
from apps.erasure.tombstones.chain import is_tombstoned
from apps.privacy.codes.requests import Ground, SubjectType
from apps.privacy.models import ErasureRequest
from apps.quality.services.evaluation import evaluation_query_add
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.roles import Role
from apps.tenants.services.tenants import scope_create
from tests.audit.acting import sealed
from tests.audit.ending import counted, ended
from tests.audit.removing import again, outcomes
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.deciding import assess, identity_confirm, request_approve, request_propose, request_send_back
from tests.factories import as_, make_member
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)

LATE = b"# Late\n\nMrs. Latecomer asked about the fees of the fund on the last day.\n"


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {
            **settings.GLASSBOX_EMBEDDING_PROFILES,
            "local": remote_profile(server),
        }
        yield baked(make_office)


def requested(office: Office, about: SubjectType) -> ErasureRequest:
    more = {"subject_id": office.firm.tenant.id} if about is SubjectType.TENANT else {}
    request = office.received(about=about, **more)
    with as_(office.dora):
        identity_confirm(request.id)
        assess(request.id, ground=Ground.CONTRACT_ENDED)
        return request_propose(request.id)


def approve(office: Office, request: ErasureRequest) -> RemovalRun:
    with as_(office.rita):
        approved = request_approve(request.id)
    with open_scope(tenant=office.firm.id, reason="a test"):
        found: RemovalRun = RemovalRun.objects.get(id=approved.run_id)
        return found


def of(document: Document) -> Target:
    return Target(type=TargetType.DOCUMENT, id=document.id)


def alpha(office: Office) -> ScopeId:
    return ScopeId(office.firm.scopes["fund:alpha"].id)


def rows_of(office: Office, documents: list[UUID]) -> int:
    with open_scope(tenant=office.firm.id, reason="a test"):
        of_them = sum(model.objects.filter(document_id__in=documents).count() for model in (Page, Chunk, IngestJob))
        return int(of_them + Document.objects.filter(id__in=documents).count())


@pytest.mark.slow
@pytest.mark.parametrize("about", [SubjectType.SCOPE, SubjectType.TENANT])
def test_what_comes_in_any_window_before_the_end_is_gone_or_was_refused(office: Office, about: SubjectType) -> None:
    firm = office.firm
    early = ingest(firm, b"# Early\n\nMr. Early was the first to ask.\n", title="Early")
    run(firm, early.job)
    request = requested(office, about)

    between = ingest(firm, LATE, title="Late")  # read by nobody yet
    ready = ingest(firm, b"# Ready\n\nMr. Ready was read before the approval.\n", title="Ready")
    run(firm, ready.job)
    removal = approve(office, request)
    assert {of(between.document), of(ready.document)} <= outcomes(firm, removal).keys()
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="audit.removal.approved")
        assert payloads_of([event])[event.id]["core"]["joined"]["document"] == 2
        assert Restriction.objects.filter(document_id=between.document.id).exists()

    with pytest.raises(ScopeClosedError):
        ingest(firm, b"# After\n\nNobody comes after the approval.\n", title="After")
    run(firm, between.job)  # its worker had it all the while
    ingested = [each.document.id for each in (early, between, ready)]
    assert rows_of(office, ingested) > 4
    sealed(firm)
    assert ended(firm, removal) is RunState.COMPLETED
    assert rows_of(office, ingested) == 0
    assert counted(firm, *outcomes(firm, removal)) == {}
    with pytest.raises(ScopeClosedError):
        ingest(firm, LATE, title="Once more")
    if about is SubjectType.SCOPE:
        # Elsewhere it is refused as what was erased: a late document has its tombstone, too.
        with open_scope(tenant=firm.id, reason="a test"):
            assert is_tombstoned(DigestKind.CONTENT, between.document.content_sha256) is not None


@pytest.mark.slow
def test_an_upload_that_goes_on_while_it_is_approved_joins_it_or_is_refused(office: Office) -> None:
    """The approval waits for the transaction that takes something in: it sees it, however late it commits."""
    request = requested(office, SubjectType.SCOPE)
    stored, go_on, made = Flag(), Flag(), []

    def upload() -> None:
        try:
            with open_scope(tenant=office.firm.id, reason="a test"):
                made.append(
                    document_ingest(content=LATE, filename="late.md", scope_id=alpha(office), kind="run").document
                )
                stored.set()
                go_on.wait(10)
        finally:
            connection.close()

    thread = Thread(target=upload)
    thread.start()
    assert stored.wait(20)
    approved: list[RemovalRun] = []

    def approval() -> None:
        try:
            approved.append(approve(office, request))
        finally:
            connection.close()

    second = Thread(target=approval)
    second.start()
    second.join(1)
    assert second.is_alive(), "it waits for the upload"
    go_on.set()
    thread.join(20)
    second.join(20)
    (removal,) = approved
    assert of(made[0]) in outcomes(office.firm, removal)
    sealed(office.firm)
    assert ended(office.firm, removal) is RunState.COMPLETED
    assert rows_of(office, [made[0].id]) == 0


def test_from_the_approval_on_no_question_is_answered_in_it_and_none_is_kept_of_it(office: Office) -> None:
    run(office.firm, ingest(office.firm, LATE, title="Late").job)
    request = requested(office, SubjectType.SCOPE)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert ask(text="What are the fees?", scopes=["fund:alpha"]).event is not None
    approve(office, request)
    with open_scope(tenant=office.firm.id, reason="a test"):
        before = Event.objects.count()
        with pytest.raises(ScopeClosedError):
            ask(text="What are the fees?", scopes=["fund:alpha"])
        with pytest.raises(ScopeClosedError):
            evaluation_query_add(text="What are the fees?", scope_key="fund:alpha", document_id=new_id())
        assert Event.objects.count() == before
        # Whoever names no scope asks in the others.
        assert alpha(office) not in ask(text="What are the fees?").event.scope_ids
    with (
        open_scope(tenant=office.firm.id, scopes=[alpha(office)], reason="a test"),
        pytest.raises(ScopeClosedError),
    ):
        ask(text="What are the fees?")


def test_a_closed_scope_gets_no_scope_below_it_and_its_neighbour_is_open(office: Office) -> None:
    approve(office, requested(office, SubjectType.SCOPE))
    beta = ScopeId(office.firm.scopes["fund:beta"].id)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert closed_among([alpha(office), beta]) == {alpha(office)}
        with pytest.raises(ScopeClosedError):
            scope_create(key="fund:below", name="Below", parent=Scope.objects.get(id=alpha(office)))
        assert scope_create(key="fund:beside", name="Beside", parent=Scope.objects.get(id=beta)).parent_id == beta
    assert ingest(office.firm, LATE, scope="fund:beta", title="Beta").created


def test_what_was_only_proposed_or_sent_back_stays_open(office: Office) -> None:
    request = requested(office, SubjectType.TENANT)
    assert ingest(office.firm, LATE, title="Late").created
    with as_(office.rita):
        request_send_back(request.id, reason=RejectionReason.NOT_DUE)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert closed_among([alpha(office)]) == frozenset()


def test_who_approves_is_told_what_came_since_though_it_lies_in_scopes_that_they_do_not_hold(office: Office) -> None:
    request = requested(office, SubjectType.SCOPE)
    late = ingest(office.firm, LATE, title="Late").document
    with as_(office.rita):
        proposal = RemovalRun.objects.get(id=request.run_id)
        assert came_since(proposal) == (of(late),)


def test_the_pages_say_what_came_since_and_what_is_refused_from_then_on(office: Office) -> None:
    request = requested(office, SubjectType.SCOPE)
    rita = Visitor("rita")
    assert "Since it was proposed" not in rita.open("erasure_request", request.id).text
    ingest(office.firm, LATE, title="Late")
    page = rita.open("erasure_request", request.id).text
    assert "Since it was proposed, 1 document came into it" in page
    assert "uploads and questions are refused" in page
    run_page = rita.open("removal_run", request.run_id).text
    assert "Since it was proposed, 1 document came into it. That is removed too." in run_page
    assert "no uploads and no questions" in run_page


def test_a_refused_question_and_scope_are_told_beside_their_field(office: Office) -> None:
    approve(office, requested(office, SubjectType.SCOPE))
    make_member(office.firm, "adam", Role.TENANT_ADMIN)
    adam = Visitor("adam")
    asked = adam.send("ask", question="What are the fees?", scopes="fund:alpha")
    assert (asked.status, "is being erased" in asked.errors_of("scopes")) == (409, True)
    with open_scope(tenant=office.firm.id, reason="a test"):
        parent = str(alpha(office))
    made = adam.send("tenants_scope_add", key="fund:below", name="Below", parent=parent)
    assert "is being erased" in made.errors_of("parent")


def test_nobody_else_adds_to_what_was_proposed(office: Office) -> None:
    """Neither the person who approves, nor the platform to a run that names no scope and no tenant."""
    request = requested(office, SubjectType.SCOPE)
    late = ingest(office.firm, LATE, title="Late").document
    with as_(office.dora):
        single = run_propose(Origin.REQUEST, new_id(), [of(late)], RemovalReason.ERASURE_REQUEST)
    row = {"tenant_id": office.firm.id, "type": "document", "item_id": new_id()}
    with pytest.raises(DatabaseError, match="targets are added"), as_(office.rita):
        RemovalTarget.objects.create(**row, run_id=request.run_id)
    with pytest.raises(DatabaseError, match="targets are added"), open_scope(tenant=office.firm.id, reason="a test"):
        RemovalTarget.objects.create(**row, run_id=single.id)
    assert again(office.firm, single).state == RunState.PROPOSED
