"""A restricted document at every door: whoever does not decide about it finds nothing of it, and no sign of it.

It lies in Acme's fund:alpha under a legal hold, beside documents that everybody there may see. ann (analyst), amy
(tenant administrator) and ada (auditor) hold the scope; dan, who placed the hold, sees the document. Each attack is
tried once more with the policy that stops it dropped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import (
    Chunk,
    Document,
    DocumentStatus,
    Embedding1536,
    IngestJob,
    JobState,
    Page,
    Posting,
    SourceFile,
)
from apps.corpus.services.documents import document_delete
from apps.corpus.services.ingest.errors import RestrictedContentError, UnknownDocumentError
from apps.corpus.services.removals import document_remove
from apps.erasure.contracts import Target, TargetType
from apps.erasure.hold_services import hold_place, hold_release
from apps.erasure.models import HeldItem, LegalHold, Restriction
from apps.filings.models import EntityMention, Fact, Relation
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import SearchQuery
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.audit.mutations import acting_as
from tests.corpus.ingesting import FIGURES, NAMES, change_job, document, ingest, job, run
from tests.factories import make_key, make_member
from tests.isolation.harness import KEPT_BY_TWO, as_text, changed, held, rolled_back, sql, unnumbered
from tests.isolation.world import QUESTION, World
from tests.model_server import hashed_vector
from tests.retrieval.stored import bounds, weighted
from tests.visitor import Visitor

SECRET = "kestrelrestricted"
CONTENT = f"# Note {SECRET}\n\n## Performance\n\nThe maximum drawdown of {SECRET} in the fourth quarter was 12.5 %.\n"
CONTENT += (
    f"{FIGURES.decode()}{NAMES.decode()}\nThe owner of {SECRET} AG, Ms. Jane {SECRET.title()}, is named here alone.\n"
)
TABLES = {
    Document: "id",
    SourceFile: "document_id",
    Page: "document_id",
    Chunk: "document_id",
    Posting: "document_id",
    Embedding1536: "document_id",
    IngestJob: "document_id",
    EntityMention: "document_id",
    Fact: "document_id",
    Relation: "document_id",
}
EXTERNAL_ID = "restricted-7"
PEOPLE = ("ann", "amy", "ada")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    document: UUID
    job: UUID
    hold: UUID


@pytest.fixture(scope="module")
def ground(world: World) -> Ground:
    """Held last, so that its job is through; the first question of a tenant embeds its examples."""
    taken = ingest(
        world.acme,
        CONTENT.encode(),
        filename=f"{SECRET}.md",
        title=f"Note {SECRET}",
        external_id=EXTERNAL_ID,
        company=SECRET,
    )
    assert run(world.acme, taken.job) is RunOutcome.SUCCEEDED
    for name, role in (("alpha", Role.ANALYST), ("reviewer", Role.REVIEWER), ("auditor", Role.AUDITOR)):
        world.keys[name] = make_key(world.acme, role, scopes=["fund:alpha"])[1]
    assert SECRET in as_text(api(world, "alpha", "POST", "query/", {"question": QUESTION, "trace": True}))
    dan = world.people["dan"]
    assert dan.id is not None
    with open_scope(tenant=world.acme.id, principal=dan):
        hold = hold_place(
            matter="Kestrel",
            ground="A claim",
            owner_id=dan.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=[Target(type=TargetType.DOCUMENT, id=taken.document.id)],
        )
    return Ground(document=taken.document.id, job=taken.job.id, hold=hold.id)


def unrestricted(*also: str) -> AbstractContextManager[None]:
    """The database without the policy, for this thread, and as other statements leave it."""
    tables = (*(model._meta.db_table for model in TABLES), "corpus_embedding384")
    return changed(*(f"DROP POLICY hidden_by_restriction ON {table}" for table in tables), UNFILTERED, *also)


# Retrieval has a filter of its own, for those whom the policy lets through.
UNFILTERED = """
    CREATE OR REPLACE FUNCTION restricted_documents() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL RESTRICTED
    AS $$ SELECT '{}'::uuid[] $$
"""


def as_person(world: World, name: str, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people[name]):
            return act()

    return attack


def as_system(world: World, act: Callable[[], Any]) -> Callable[[], Any]:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, reason="a test"):
            return act()

    return attack


def api(world: World, key: str, method: str, path: str, body: Any = None) -> Any:
    client = Client(raise_request_exception=False)
    more: Any = {"content_type": "application/json", "data": json.dumps(body)} if body is not None else {}
    headers = {"authorization": f"Bearer {world.keys[key]}"}
    return client.generic(method, f"/api/v1/{path}", headers=headers, **more)


# --- The tables -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("model", TABLES, ids=lambda model: model._meta.label)
def test_no_row_of_it_is_read_by_orm_or_sql(world: World, ground: Ground, model: Any, name: str) -> None:
    column = TABLES[model]
    by_orm = as_person(world, name, lambda: list(model._base_manager.values_list(column, flat=True)))
    held(by_orm, loot=str(ground.document), without=unrestricted)
    statement = f"SELECT {column} FROM {model._meta.db_table}"
    held(as_person(world, name, lambda: sql(statement)), loot=str(ground.document), without=unrestricted)
    counted = f"SELECT CASE WHEN count(*) > 0 THEN 'counted' END FROM {model._meta.db_table} WHERE {column} = %s"
    held(as_person(world, name, lambda: sql(counted, ground.document)), loot="counted", without=unrestricted)


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model._meta.label)
def test_nobody_changes_or_removes_what_they_do_not_see(world: World, ground: Ground, model: Any) -> None:
    """With and without a condition: a statement that reads no column asks the policies of its own command alone."""
    table = model._meta.db_table
    # By what people see alone: that no single person changes a document holds for what they see as well.
    # So does that nobody at all changes some of them.
    with changed(f"ALTER TABLE {table} DISABLE TRIGGER USER", f"GRANT UPDATE ON {table} TO glassbox_api"):
        whole = as_system(world, lambda: sql(f"SELECT count(*) FROM {table}"))()[0][0]
        sound = as_person(world, "amy", lambda: sql(f"SELECT count(*) FROM {table}"))()[0][0]
        assert sound < whole
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET tenant_id = tenant_id")
            assert cursor.rowcount == sound
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            cursor.execute(f"DELETE FROM {table} WHERE {TABLES[model]} = %s", [ground.document])
            assert cursor.rowcount == 0


def test_nobody_adds_to_what_they_do_not_see(world: World, ground: Ground) -> None:
    def attack() -> str:
        sql(
            "INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted) "
            "VALUES (%s, %s, %s, 99, 'x', true)",
            world.acme.id,
            world.scope_id("acme", "fund:alpha"),
            ground.document,
        )
        return "it was let through"

    # By what people see alone: that nobody adds to a document holds for what they see as well.
    held(
        as_person(world, "amy", attack),
        loot="it was let through",
        without=lambda: unrestricted(KEPT_BY_TWO),
        alone=(KEPT_BY_TWO,),
    )


@pytest.mark.parametrize("name", ["ann", "amy", "ben"])
@pytest.mark.parametrize("model", [LegalHold, HeldItem, Restriction], ids=lambda model: model._meta.label)
def test_holds_and_restrictions_are_not_read_by_who_has_no_part_in_them(
    world: World, ground: Ground, model: Any, name: str
) -> None:
    firm = world.bolt if name == "ben" else world.acme

    def attack() -> Any:
        with open_scope(tenant=firm.id, principal=world.people[name]):
            return [f"found {each}" for each in model._base_manager.values_list("id", flat=True)]

    held(attack, loot="found")


def test_what_policies_ask_answers_for_the_open_scopes_alone(world: World, ground: Ground) -> None:
    """Whoever has SQL may ask it too: ids of their own scopes, and nothing of others'."""
    for function in ("restricted_documents", "hidden_documents", "held_documents"):
        asked = f"SELECT {function}()"
        assert as_person(world, "ann", lambda asked=asked: sql(asked))() == [([ground.document],)]
        with open_scope(tenant=world.acme.id, scopes=[world.scope_id("acme", "fund:beta")], reason="a test"):
            assert sql(asked) == [([],)]
        with open_scope(tenant=world.bolt.id, scopes=[world.scope_id("bolt", "fund:alpha")], reason="a test"):
            assert sql(asked) == [([],)]
        with rolled_back(), pytest.raises(Exception, match="no scope is open"):
            sql(asked)
    assert as_person(world, "dan", lambda: sql("SELECT hidden_documents()"))() == [([],)]


@pytest.mark.parametrize("role", ["glassbox_auditor", "glassbox_worker", "glassbox_owner"])
def test_the_other_roles_see_no_more_in_a_persons_scope(world: World, ground: Ground, role: str) -> None:
    titles = as_person(world, "ann", lambda: sql("SELECT title FROM corpus_document"))
    with acting_as(role), rolled_back():
        found = as_text(titles())
    assert "run-kestrelacmealpha" in found
    assert SECRET not in found


def test_who_decides_about_it_and_who_removes_it_see_it(world: World, ground: Ground) -> None:
    def read() -> str:
        return as_text(list(Document.objects.filter(id=ground.document)))

    rita = make_member(world.acme, "rita", Role.REVIEWER)
    assert SECRET in as_person(world, "dan", read)()
    with open_scope(tenant=world.acme.id, principal=rita):
        assert SECRET in read()
    assert SECRET in as_system(world, read)()


# --- The doors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["alpha", "acme", "auditor"])
@pytest.mark.parametrize("path", ["documents/", f"documents/?q={SECRET}", "jobs/"])
def test_no_list_of_the_api_shows_it(world: World, ground: Ground, key: str, path: str) -> None:
    def attack() -> bytes:
        return bytes(api(world, key, "GET", path).content).replace(f"q={SECRET}".encode(), b"")

    held(attack, loot=SECRET if path != "jobs/" else str(ground.job), without=unrestricted)


@pytest.mark.parametrize("path", ["", "chunks/", "pages/1/", "pages/1/image/", "versions/", "content/"])
def test_the_api_does_the_same_for_it_as_for_none(world: World, ground: Ground, path: str) -> None:
    def probe(document_id: UUID) -> str:
        client = Client(headers={"authorization": f"Bearer {world.keys['alpha']}"}, raise_request_exception=False)
        with CaptureQueriesContext(connection) as queries:
            response = client.get(f"/api/v1/documents/{document_id}/{path}")
            body = b"".join(response) if response.streaming else response.content
        ran = [re.sub(r"'[^']*'|s\d+_x\d+", "?", query["sql"]) for query in queries.captured_queries]
        return unnumbered(response, f"{response.status_code} {body.decode()} {ran}").replace(str(document_id), "?")

    def attack() -> str:
        with rolled_back():
            hidden = probe(ground.document)
        with rolled_back():
            return "the same" if hidden == probe(uuid4()) else f"told apart: {hidden}"

    assert held(attack, loot="told apart", without=unrestricted) == "the same"


@pytest.mark.parametrize("key", ["alpha", "acme", "reviewer"])
def test_no_answer_draws_on_it_not_even_of_who_may_see_it(world: World, ground: Ground, key: str) -> None:
    def attack() -> Any:
        return api(world, key, "POST", "query/", {"question": QUESTION, "trace": True})

    brought = held(attack, loot=SECRET, without=unrestricted)
    assert "12.5" in brought


PAGES = {
    "documents": lambda ground: reverse("admin:corpus_document_changelist"),
    "document": lambda ground: reverse("admin:corpus_document_change", args=[ground.document]),
    "its page": lambda ground: reverse("admin:corpus_document_page", args=[ground.document]) + "?page=1",
    "its job": lambda ground: reverse("admin:corpus_ingestjob_change", args=[ground.job]),
    "jobs": lambda ground: reverse("admin:corpus_ingestjob_changelist"),
    "palette": lambda ground: reverse("admin:search") + "?s=Note",
    "company filter": lambda ground: reverse("admin:corpus_document_changelist") + "?kind__exact=run",
}


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_the_admin_shows_it(world: World, ground: Ground, page: str, name: str) -> None:
    def attack() -> bytes:
        visitor = Visitor(name)
        visitor.raise_request_exception = False
        return bytes(visitor.get(PAGES[page](ground)).content)

    held(attack, loot=SECRET, without=unrestricted)


def test_its_page_says_that_it_is_held_to_who_may_see_it(world: World, ground: Ground) -> None:
    with rolled_back():
        text = Visitor("dan").open("corpus_document_change", ground.document).text
    assert "Held, and restricted" in text
    assert "Kestrel" in text
    assert "Remove…" not in text


def test_it_is_removed_by_nobody_who_does_not_see_it(world: World, ground: Ground) -> None:
    def attack() -> str:
        document_remove(document_id=ground.document, reason="duplicate")
        return "it was let through"

    without = lambda: changed(  # noqa: E731
        *(f"DROP POLICY hidden_by_restriction ON {model._meta.db_table}" for model in TABLES),
        "ALTER TABLE corpus_document DISABLE TRIGGER USER",
        *(f"DROP POLICY held_is_kept ON {table}" for table in ("corpus_sourcefile", "corpus_page", "corpus_chunk")),
        "ALTER TABLE audit_helditem DISABLE ROW LEVEL SECURITY",
        "DELETE FROM audit_helditem WHERE type = 'document'",
    )
    brought = held(as_person(world, "amy", attack), loot="it was let through", without=without)
    assert DocumentNotFoundError.__name__ in brought


# --- Counting -------------------------------------------------------------------------------------------------------


def found_by_words(world: World) -> str:
    """Scores hold N and df: a document that counts shows in the score of every other."""
    within = bounds(
        world.acme, "fund:alpha", kinds=[FundHouse.RUN, FundHouse.REFERENCE_REPORT, FundHouse.COMPLIANCE_PROFILE]
    )
    query = SearchQuery(terms=weighted("drawdown", "maximum", SECRET))
    return str(SparseRetriever(k1=1.2, b=0.75).retrieve(query, within=within, top_k=50))


def found_by_meaning(world: World, as_of: Any = None) -> str:
    with open_scope(tenant=world.acme.id, reason="a test"):
        model = Embedding1536.objects.values_list("model", flat=True).first()
    within = bounds(
        world.acme, "fund:alpha", kinds=[FundHouse.RUN, FundHouse.REFERENCE_REPORT, FundHouse.COMPLIANCE_PROFILE]
    )
    if as_of is not None:
        within = replace(within, as_of=as_of)
    query = SearchQuery(terms=(), vector=hashed_vector(QUESTION, 1536), embedding_model=str(model))
    return str(DenseRetriever().retrieve(query, within=within, top_k=50))


def in_store(world: World) -> str:
    within = bounds(
        world.acme, "fund:alpha", kinds=[FundHouse.RUN, FundHouse.REFERENCE_REPORT, FundHouse.COMPLIANCE_PROFILE]
    )
    return str(CorpusInventoryReader().read(within))


SEARCHES: dict[str, Callable[[World], str]] = {
    "words": found_by_words,
    "meaning": found_by_meaning,
    "as of now": lambda world: found_by_meaning(world, timezone.now()),
    "inventory": in_store,
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("who", ["ann", "dan", "the platform"])
def test_every_score_and_count_is_as_if_it_had_never_been_there(
    world: World, ground: Ground, search: str, who: str
) -> None:
    """Against the same database after the document is removed: nothing of it may be left in any figure."""

    def searched() -> str:
        act = lambda: SEARCHES[search](world)  # noqa: E731
        return str(as_system(world, act)() if who == "the platform" else as_person(world, who, act)())

    with rolled_back():
        restricted = searched()
    with rolled_back():
        with open_scope(tenant=world.acme.id, principal=world.people["dan"]):
            hold_release(hold_id=ground.hold, reason="a test")
        with_it = searched()
        with open_scope(tenant=world.acme.id, reason="a test"):
            document_delete(document_id=ground.document)
        never = searched()
    assert restricted == never
    assert with_it != never, "a broken test: the document shows in no figure"


# --- Ingest ---------------------------------------------------------------------------------------------------------


def test_the_same_bytes_do_not_bring_it_back(world: World, ground: Ground) -> None:
    with rolled_back(), pytest.raises(RestrictedContentError):
        ingest(world.acme, CONTENT.encode(), filename="again.md", principal=world.people["amy"])
    with rolled_back():
        other = ingest(world.acme, CONTENT.encode(), scope="fund:beta", principal=world.people["amy"])
        assert other.created


def test_a_next_version_takes_its_place_though_nobody_sees_it(world: World, ground: Ground) -> None:
    with rolled_back():
        taken = ingest(
            world.acme,
            CONTENT.replace("12.5", "9.5").encode(),
            filename="next.md",
            external_id=EXTERNAL_ID,
            principal=world.people["amy"],
        )
        assert taken.document.version == 2
        assert run(world.acme, taken.job) is RunOutcome.SUCCEEDED
        before = document(world.acme, ground.document)
        assert (before.status, before.valid_to is None) == (DocumentStatus.SUPERSEDED, False)
        assert document(world.acme, taken.document.id).status == DocumentStatus.READY


def test_it_can_not_be_named_as_what_is_replaced(world: World, ground: Ground) -> None:
    with rolled_back(), pytest.raises(UnknownDocumentError):
        ingest(world.acme, b"# Other\n\nWords.\n", replaces=ground.document, principal=world.people["amy"])


def test_a_document_that_is_restricted_on_its_way_in_waits_until_it_is_lifted(world: World, ground: Ground) -> None:
    with rolled_back():
        taken = ingest(world.acme, b"# Late\n\nA late document of the fund.\n", principal=world.people["amy"])
        with open_scope(tenant=world.acme.id, principal=world.people["dan"]):
            hold = hold_place(
                matter="Late",
                ground="A claim",
                owner_id=world.people["dan"].id or uuid4(),
                review_on=timezone.now().date() + timedelta(days=30),
                targets=[Target(type=TargetType.DOCUMENT, id=taken.document.id)],
            )
        for _ in range(5):
            change_job(world.acme, taken.job.id, next_attempt_at=None)
            assert run(world.acme, taken.job) is RunOutcome.NOT_CLAIMED
        assert job(world.acme, taken.job.id).state == JobState.PENDING
        with open_scope(tenant=world.acme.id, principal=world.people["dan"]):
            hold_release(hold_id=hold.id, reason="a test")
        assert run(world.acme, taken.job) is RunOutcome.SUCCEEDED


def test_an_answer_that_is_kept_for_repeated_requests_goes_with_it(world: World, ground: Ground) -> None:
    content = b"# Kept\n\nA document whose upload is sent twice.\n"
    headers = {"authorization": f"Bearer {world.keys['acme']}", "idempotency-key": "kept-1"}
    with rolled_back():
        upload = lambda: Client(raise_request_exception=False).post(  # noqa: E731
            "/api/v1/documents/",
            {
                "file": SimpleUploadedFile("kept.md", content, content_type="text/markdown"),
                "scope": "fund:alpha",
                "kind": "run",
            },
            headers=headers,
        )
        first, again = upload(), upload()
        assert first.status_code == 202, first.content
        assert again["Idempotent-Replayed"] == "true"
        with open_scope(tenant=world.acme.id, principal=world.people["dan"]):
            hold_place(
                matter="Kept",
                ground="A claim",
                owner_id=world.people["dan"].id or uuid4(),
                review_on=timezone.now().date() + timedelta(days=30),
                targets=[Target(type=TargetType.DOCUMENT, id=UUID(first.json()["id"]))],
            )
        refused = upload()
        assert (refused.status_code, refused.json()["code"]) == (409, "corpus.restricted_content")


def test_its_scope_ids_stay_a_matter_of_the_scope(world: World, ground: Ground) -> None:
    """A DPO of another scope sees that something is restricted, and may not lift it."""
    with rolled_back():
        beta = make_member(world.acme, "bea", Role.DPO, scopes=["fund:beta"])
        with open_scope(tenant=world.acme.id, principal=beta):
            assert Document.objects.filter(id=ground.document).count() == 0
            assert ScopeId(Restriction.objects.get(document_id=ground.document).scope_id) not in beta.scope_ids
