"""The wall at the API's door: what a client with a valid key, and every trick of HTTP, brings home.

Keys in the attacks: `alpha`, `alpha-admin` and `alpha-auditor` reach Acme's fund:alpha alone; `acme` reaches all of
Acme. What they are after lies in Acme's fund:beta (the same tenant, so that no filter by tenant hides it) or in Bolt.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client
from rest_framework.pagination import CursorPagination
from rest_framework.views import APIView

from apps.audit.models import Event
from apps.corpus.models import Document, IngestJob
from apps.corpus.services.ingest import document as ingest_service
from apps.corpus.services.ingest.document import IngestResult
from apps.errors import ApplicationError
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion
from apps.intents.snapshots.content import policy_content
from apps.retrieval.contracts import Question
from apps.tenants.api import idempotency
from apps.tenants.api.pagination import CursorPages
from apps.tenants.api.views import ApiView
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import IdempotentRequest, Tenant, User
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_authenticate
from apps.tenants.services.members import grants_set
from tests.corpus.ingesting import ingest, run
from tests.factories import make_key, make_member, make_personal_key
from tests.isolation.harness import as_text, forgetful, going_round, held, rolled_back, unnumbered, wall_down
from tests.isolation.world import KINDS, QUESTION, SCOPES, World, canary, content

BETA = ("acme", "fund:beta")
BOLT = ("bolt", "fund:alpha")
POLICY = policy_content(baseline_snapshot())
# One document of fund:beta has a word of its own in every field that a list can be narrowed by.
SECRET = "kestrelhidden"
SECRET_FIELDS: Mapping[str, Any] = {
    "title": f"Annual note {SECRET}",
    "company": "Kestrel Hidden Holdings",
    "external_id": "kestrel-hidden-7",
    "fiscal_year": 2031,
    "fiscal_quarter": 3,
    "language": "fi",
    "document_type": "news_article",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """Of one document in a place that the caller does not reach."""

    document: UUID
    job: UUID
    event: UUID


@pytest.fixture(scope="module", autouse=True)
def _grounds(world: World) -> None:
    """Keys of fund:alpha alone, and the secret document; the first question of a tenant embeds its examples."""
    for name, role in (
        ("alpha", Role.ANALYST),
        ("alpha-admin", Role.TENANT_ADMIN),
        ("alpha-auditor", Role.AUDITOR),
    ):
        world.keys[name] = make_key(world.acme, role, scopes=["fund:alpha"])[1]
    world.keys["acme-officer"] = make_key(world.acme, Role.COMPLIANCE_OFFICER)[1]
    # No key of a tenant carries a permission that approves: a reviewer's acts for a person.
    make_member(world.acme, "vera", Role.REVIEWER)
    world.keys["acme-reviewer"] = make_personal_key(world.acme, "vera", role=Role.REVIEWER)[1]
    # Removals are proposed in a person's name.
    make_member(world.acme, "nia", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    world.keys["alpha-person"] = make_personal_key(world.acme, "nia", role=Role.TENANT_ADMIN, scopes=["fund:alpha"])[1]
    taken = ingest(
        world.acme, f"# Note\n\nNothing but {SECRET}.\n".encode(), filename="s.md", scope="fund:beta", **SECRET_FIELDS
    )
    run(world.acme, taken.job)
    for name in ("acme", "bolt"):
        assert ask(world.keys[name], QUESTION).status_code == 200


# --- Sending --------------------------------------------------------------------------------------------------------


def call(key: str, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
    """One request below /api/v1/; headers with _ for -. No exception of a view leaves it: that is a 500."""
    client = Client(raise_request_exception=False)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if key:
        named.setdefault("authorization", f"Bearer {key}")
    more = {"content_type": "application/json", "data": json.dumps(body)} if body is not None else {}
    return client.generic(method, f"/api/v1/{path}", headers=named, **more)


def ask(key: str, question: str, scopes: list[str] | None = None, **headers: str) -> HttpResponse:
    return call(key, "POST", "query/", {"question": question, "scopes": scopes or [], "trace": True}, **headers)


def upload(
    key: str, file: bytes, *, scope: str = "fund:alpha", headers: Mapping[str, str] | None = None, **more: Any
) -> HttpResponse:
    form = {"file": SimpleUploadedFile("note.md", file), "scope": scope, "kind": "run", **more}
    client = Client(raise_request_exception=False)
    return client.post("/api/v1/documents/", form, headers={"authorization": f"Bearer {key}", **(headers or {})})


def signed_in(username: str) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get_by_natural_key(username))
    return client


def body(response: HttpResponseBase) -> str:
    """A streamed answer ends where its parts do, or where one of them is refused."""
    sent = b""
    try:
        for part in response if isinstance(response, Iterable) else ():
            sent += part
    except ApplicationError as error:
        sent += str(error).encode()
    return sent.decode()


def brought(response: HttpResponseBase) -> str:
    """The answer as text, with a status that no id in it can look like."""
    headers = " ".join(f"{name}: {value}" for name, value in response.items())
    return f"status={response.status_code}; {headers} {body(response)}"


def anonymous(response: HttpResponseBase, *sent: object) -> tuple[int, list[tuple[str, str]], str]:
    """An answer without what the caller sent and its request's name: the same when nothing else tells two apart."""

    def without(text: str) -> str:
        for each in sent:
            text = text.replace(str(each), "SENT")
        return unnumbered(response, text)

    headers = sorted((name, without(value)) for name, value in response.items())
    return response.status_code, headers, without(body(response))


def pages(key: str, path: str) -> list[Any]:
    """All rows of a list, a page at a time."""
    rows: list[Any] = []
    query = "page_size=7"
    while True:
        found = call(key, "GET", f"{path}?{query}").json()
        rows += found["results"]
        if not found["next"]:
            return rows
        query = urlsplit(found["next"]).query


# --- Taking defences away -------------------------------------------------------------------------------------------


@contextmanager
def key_admitted(world: World, name: str, scope: str) -> Iterator[None]:
    """The same key with a grant of one scope more."""
    with rolled_back():
        key = api_key_authenticate(world.keys[name])
        with open_scope(tenant=world.acme.id, reason="a test"):
            grants_set(api_key=key, scopes=[world.acme.scopes[scope]], keep=True)
        yield


@contextmanager
def member_admitted(world: World, slug: str, username: str) -> Iterator[None]:
    with rolled_back():
        make_member(world.firm(slug), username, Role.ANALYST)
        yield


@contextmanager
def searching(world: World, slug: str) -> Iterator[None]:
    """A search that is told to look into every scope of a firm, whatever the asker holds."""
    scopes = tuple(world.scope_id(slug, scope) for scope in SCOPES)

    def question(*, tenant_id: TenantId, scope_ids: tuple[ScopeId, ...], **asked: Any) -> Question:
        return Question(tenant_id=world.firm(slug).id, scope_ids=scopes, **asked)

    with patch("apps.retrieval.services.asking.Question", question):
        yield


def ids(world: World, place: tuple[str, str]) -> Ids:
    document = world.document(*place)
    with open_scope(tenant=world.firm(place[0]).id, reason="a test"):
        return Ids(
            document=document,
            job=IngestJob.objects.get(document_id=document).id,
            event=Event.objects.get(subject_id=document, action="corpus.document.ready").id,
        )


# --- By id ----------------------------------------------------------------------------------------------------------

# key, method, address, what comes home where nothing stands in the way ({canary} and {document} of the place)
BY_ID = (
    ("alpha", "GET", "documents/{document}/", "{canary}"),
    ("alpha", "GET", "documents/{document}/chunks/", "{canary}"),
    ("alpha", "GET", "documents/{document}/pages/1/", "{canary}"),
    ("alpha", "GET", "documents/{document}/pages/7/", "has no page 7"),
    ("alpha", "GET", "documents/{document}/pages/1/image/", "corpus.page_without_image"),
    ("alpha", "GET", "documents/{document}/pages/7/image/", "has no page 7"),
    ("alpha", "GET", "documents/{document}/versions/", "{canary}"),
    ("alpha", "GET", "documents/{document}/content/", "{canary}"),
    ("alpha", "HEAD", "documents/{document}/content/", "{canary}"),
    ("alpha", "HEAD", "documents/{document}/", "status=200;"),
    ("alpha-person", "DELETE", "documents/{document}/?reason=duplicate", "{kept}"),
    ("alpha", "GET", "jobs/{job}/", "{canary}"),
    ("alpha-admin", "POST", "jobs/{job}/retry/", "status=409;"),
    ("alpha-auditor", "GET", "audit/events/{event}/", "{document}"),
)


@pytest.mark.parametrize("place", [BETA, BOLT], ids=["another-scope", "another-tenant"])
@pytest.mark.parametrize(("key", "method", "path", "loot"), BY_ID)
def test_what_lies_behind_the_wall_is_answered_in_the_same_bytes_as_an_id_that_nobody_has(
    world: World, place: tuple[str, str], key: str, method: str, path: str, loot: str
) -> None:
    hidden = ids(world, place)
    nobody = Ids(document=uuid4(), job=uuid4(), event=uuid4())

    def answer(of: Ids) -> HttpResponseBase:
        return call(world.keys[key], method, path.format(document=of.document, job=of.job, event=of.event))

    with going_round(place):
        # Of Bolt's document it would be told that a request keeps it, the other one's removal would be proposed.
        kept = "status=202;" if place == BETA else "is part of an open erasure request"
        found = held(
            lambda: brought(answer(hidden)),
            loot=loot.format(canary=canary(*place), document=hidden.document, kept=kept),
        )
    assert found.startswith("status=404;")
    said = anonymous(answer(hidden), hidden.document, hidden.job, hidden.event)
    assert said == anonymous(answer(nobody), nobody.document, nobody.job, nobody.event)


@pytest.mark.parametrize("path", ["documents/{document}/", "jobs/{job}/", "audit/events/{event}/"])
def test_options_tells_nothing_of_what_it_was_asked_about(world: World, path: str) -> None:
    hidden = ids(world, BETA)
    nobody = Ids(document=uuid4(), job=uuid4(), event=uuid4())

    def answer(method: str, of: Ids) -> tuple[int, list[tuple[str, str]], str]:
        address = path.format(document=of.document, job=of.job, event=of.event)
        return anonymous(call(world.keys["acme-auditor"], method, address), of.document, of.job, of.event)

    # The auditor of all scopes may see it: a GET tells the two apart, and OPTIONS still does not.
    assert answer("GET", hidden) != answer("GET", nobody)
    assert answer("OPTIONS", hidden) == answer("OPTIONS", nobody)


# --- Lists ----------------------------------------------------------------------------------------------------------

# key, list, and what of Acme's fund:beta and of Bolt stands in it
LISTS = (
    ("alpha", "documents/", canary(*BETA), canary(*BOLT)),
    ("alpha", "jobs/", canary(*BETA), canary(*BOLT)),
    ("alpha", "scopes/", "fund:beta", "firm:bolt"),
    ("alpha-auditor", "audit/events/", "{document}", "{document}"),
)


@pytest.mark.parametrize("place", [BETA, BOLT], ids=["another-scope", "another-tenant"])
@pytest.mark.parametrize(("key", "path", "of_beta", "of_bolt"), LISTS)
def test_a_list_shows_none_of_it_on_any_page(
    world: World, place: tuple[str, str], key: str, path: str, of_beta: str, of_bolt: str
) -> None:
    loot = (of_beta if place == BETA else of_bolt).format(document=world.document(*place))
    with going_round(place):
        held(lambda: json.dumps(pages(world.keys[key], path)), loot=loot)


def test_a_list_has_as_many_rows_as_its_reader_holds(world: World) -> None:
    brought = held(
        lambda: " ".join(f"{path}={len(pages(world.keys['alpha'], path))}" for path in ("documents/", "jobs/")),
        loot=f"documents/={len(SCOPES) * len(KINDS) + 1} jobs/={len(SCOPES) * len(KINDS) + 1}",
    )
    assert brought == f"documents/={len(KINDS)} jobs/={len(KINDS)}"


@pytest.mark.parametrize(
    ("name", "hidden", "unknown"),
    [
        ("company", SECRET_FIELDS["company"], "Nobody & Sons"),
        ("company", str(SECRET_FIELDS["company"]).upper(), "NOBODY & SONS"),
        ("external_id", SECRET_FIELDS["external_id"], "nobody-7"),
        ("fiscal_year", SECRET_FIELDS["fiscal_year"], 2032),
        ("fiscal_quarter", SECRET_FIELDS["fiscal_quarter"], 4),
        ("language", SECRET_FIELDS["language"], "sv"),
        ("document_type", SECRET_FIELDS["document_type"], "policy"),
        ("q", SECRET, "kestrelnobody"),
        ("q", "kestrelh", "kestreln"),
    ],
)
def test_a_filter_with_a_hidden_document_s_value_finds_what_an_unknown_value_finds(
    world: World, name: str, hidden: object, unknown: object
) -> None:
    def narrowed(value: object) -> HttpResponse:
        return call(world.keys["alpha"], "GET", f"documents/?{urlencode({name: value})}")

    held(lambda: narrowed(hidden), loot=SECRET)
    assert anonymous(narrowed(hidden)) == anonymous(narrowed(unknown))


@pytest.mark.parametrize("query", ["kind=run", "status=ready", "kind=compliance_profile&status=ready&page_size=200"])
def test_a_filter_by_what_many_documents_share_counts_none_of_another_scope(world: World, query: str) -> None:
    held(lambda: call(world.keys["alpha"], "GET", f"documents/?{query}"), loot=canary(*BETA))


@pytest.mark.parametrize(
    ("key", "path", "loot"),
    [
        ("alpha", "jobs/?document={document}", canary(*BETA)),
        ("alpha", "jobs/?status=succeeded&document={document}", canary(*BETA)),
        ("alpha-auditor", "audit/events/?subject_id={document}", "{document}"),
        ("alpha-auditor", "audit/events/?subject_id={document}&action=corpus.&outcome=success", "{document}"),
    ],
)
def test_a_list_narrowed_by_a_hidden_document_is_as_empty_as_by_an_unknown_one(
    world: World, key: str, path: str, loot: str
) -> None:
    hidden = world.document(*BETA)

    def narrowed(document: UUID) -> HttpResponse:
        return call(world.keys[key], "GET", path.format(document=document))

    held(lambda: narrowed(hidden), loot=loot.format(document=hidden))
    assert anonymous(narrowed(hidden)) == anonymous(narrowed(uuid4()))


@pytest.mark.parametrize("scope", ["fund:beta", "firm:acme", "firm:bolt"])
def test_a_list_narrowed_to_a_scope_that_is_not_granted_is_refused_as_for_an_unknown_one(
    world: World, scope: str
) -> None:
    def narrowed(key: str) -> HttpResponse:
        return call(world.keys["alpha"], "GET", f"documents/?scope={key}")

    with going_round(BOLT):
        held(lambda: brought(narrowed(scope)), loot="status=200;")
    assert anonymous(narrowed(scope), scope) == anonymous(narrowed("fund:zeta"), "fund:zeta")


# --- Cursors --------------------------------------------------------------------------------------------------------


def cursor_of(key: str, path: str) -> str:
    """The cursor that a list's first page of one row ends with."""
    return parse_qs(urlsplit(call(key, "GET", f"{path}?page_size=1").json()["next"]).query)["cursor"][0]


@pytest.mark.parametrize(
    ("theirs", "mine", "path", "loot"),
    [
        ("acme", "alpha", "documents/", canary(*BETA)),
        ("bolt", "alpha", "documents/", canary(*BETA)),
        ("acme", "alpha", "jobs/", canary(*BETA)),
        ("acme-auditor", "alpha-auditor", "audit/events/", "{document}"),
    ],
)
def test_a_cursor_of_somebody_else_s_list_leads_on_in_one_s_own(
    world: World, theirs: str, mine: str, path: str, loot: str
) -> None:
    cursor = cursor_of(world.keys[theirs], path)
    replayed = f"{path}?{urlencode({'cursor': cursor, 'page_size': 200})}"
    held(
        lambda: call(world.keys[mine], "GET", replayed),
        loot=loot.format(document=world.document("acme", "fund:beta", "compliance_profile")),
    )


FORGED_POSITIONS = (
    "p=nonsense",
    "p=2031-01-01T00%3A00%3A00Z",
    "p=9999-12-31T23%3A59%3A59-23%3A59",
    "p=%00",
    "p=infinity",
    "p=1%27%20OR%20%271%27%3D%271",
    "p=" + "9" * 400,
    "o=-1",
    "o=99999999999999999999",
    "o=one",
    "r=maybe&p=",
    "p=%F0%9F%92%A3&o=2&r=1",
)


@pytest.mark.parametrize("position", FORGED_POSITIONS)
@pytest.mark.parametrize("path", ["documents/", "documents/{own}/chunks/", "scopes/"])
def test_a_forged_cursor_is_refused_or_shows_one_s_own_rows_and_breaks_nothing(
    world: World, path: str, position: str
) -> None:
    query = urlencode({"cursor": b64encode(position.encode()).decode()})
    path = path.format(own=world.document("acme", "fund:alpha"))
    response = call(world.keys["alpha"], "GET", f"{path}?{query}")
    assert response.status_code in (200, 400)
    assert canary(*BETA) not in as_text(response)
    assert "fund:beta" not in as_text(response)


def test_without_the_check_a_forged_cursor_breaks_the_list(world: World) -> None:
    """The control of the above."""
    query = urlencode({"cursor": b64encode(b"p=%00").decode()})
    with patch.object(CursorPages, "decode_cursor", CursorPagination.decode_cursor):
        assert call(world.keys["alpha"], "GET", f"scopes/?{query}").status_code == 500
    assert call(world.keys["alpha"], "GET", f"scopes/?{query}").status_code == 400


# --- Questions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [BETA, ("acme", "firm"), BOLT, ("bolt", "firm")])
def test_a_question_that_names_a_hidden_word_brings_no_passage_home(world: World, place: tuple[str, str]) -> None:
    """Neither in the answer nor in the trace, though the search is told to look there."""
    word = canary(*place)

    def attack() -> HttpResponse:
        with going_round(place), searching(world, place[0]):
            return ask(world.keys["alpha"], f"What maximum drawdown did {word} report in the fourth quarter?")

    brought = held(attack, loot=f"as {word} reported")
    hidden = [str(document) for (slug, scope, _), document in world.documents.items() if (slug, scope) == place]
    assert not [document for document in hidden if document in brought]


def told(response: HttpResponse, word: str) -> dict[str, Any]:
    """An answer without its word, its times and its own ids; stages with what went in and came out of each."""
    answer = json.loads(response.content.decode().replace(word, "WORD"))
    stages = [
        {name: stage[name] for name in ("stage", "status", "count_in", "count_out", "exclusions", "notes")}
        for stage in answer["trace"]["stages"]
        # Its scores are of the question's own letters, and it reads no document.
        if stage["stage"] != "classify"
    ]
    kept = ("answer", "refused", "refusal", "citations", "kinds", "notices", "degraded", "grounding")
    return {**{name: answer[name] for name in kept}, "intent": answer["intent"]["name"], "stages": stages}


@pytest.mark.parametrize("place", [BETA, BOLT], ids=["another-scope", "another-tenant"])
def test_a_question_about_a_hidden_word_is_answered_as_about_a_word_that_nobody_wrote(
    world: World, place: tuple[str, str]
) -> None:
    hidden = canary(*place)
    nobody = hidden[:-1] + "q"

    def answer(word: str) -> dict[str, Any]:
        return told(ask(world.keys["alpha"], f"What did {word} report to the board about the drawdown?"), word)

    with wall_down(), going_round(place), searching(world, place[0]):
        assert answer(hidden) != answer(nobody)
    with rolled_back():
        assert answer(hidden) == answer(nobody)


@pytest.mark.parametrize("scope", ["fund:beta", "firm:acme"])
def test_asking_within_a_scope_that_is_not_granted_is_refused_as_for_an_unknown_one(world: World, scope: str) -> None:
    held(
        lambda: brought(ask(world.keys["alpha"], QUESTION, ["fund:alpha", scope])),
        loot="status=200;",
        without=lambda: key_admitted(world, "alpha", scope),
    )
    with rolled_back():
        refused = anonymous(ask(world.keys["alpha"], QUESTION, [scope]), scope)
        assert refused == anonymous(ask(world.keys["alpha"], QUESTION, ["fund:zeta"]), "fund:zeta")
    assert refused[0] == 400


def test_a_question_that_somebody_else_asked_before_is_searched_anew_in_one_s_own_scopes(world: World) -> None:
    """No cache of an embedding, a plan or an answer carries anything from one asker to the next."""

    def attack() -> HttpResponse:
        same = {"idempotency_key": "one-and-the-same"}
        first = ask(world.keys["acme"], QUESTION, **same)
        assert canary(*BETA) in as_text(first)
        with searching(world, "acme"):
            return ask(world.keys["alpha"], QUESTION, **same)

    brought = held(attack, loot=canary(*BETA))
    assert canary("acme", "fund:alpha") in brought
    assert idempotency.REPEATS_HEADER not in brought


# --- Uploads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scope", ["fund:beta", "firm:acme"])
def test_an_upload_into_a_scope_that_is_not_granted_is_refused_as_for_an_unknown_one(world: World, scope: str) -> None:
    held(
        lambda: brought(upload(world.keys["alpha"], b"A note.", scope=scope)),
        loot="status=202;",
        without=lambda: key_admitted(world, "alpha", scope),
    )
    with rolled_back():
        refused = anonymous(upload(world.keys["alpha"], b"A note.", scope=scope), scope)
        assert refused == anonymous(upload(world.keys["alpha"], b"A note.", scope="fund:zeta"), "fund:zeta")
    assert refused[0] == 400


def _known_anywhere(document: Document) -> IngestResult | None:
    """Deduplication that forgets the scope: what the wall must be stronger than."""
    there = Document.objects.filter(content_sha256=document.content_sha256).first()
    if there is None:
        return None
    return IngestResult(
        document=there, job=IngestJob.objects.filter(document=there).latest("requested_at"), created=False
    )


@pytest.mark.parametrize(
    ("place", "key", "scope"),
    [(BETA, "alpha", "fund:alpha"), (BOLT, "acme", "firm:acme")],
    ids=["another-scope", "another-tenant"],
)
def test_bytes_that_lie_behind_the_wall_are_taken_in_as_new(
    world: World, place: tuple[str, str], key: str, scope: str
) -> None:
    file = content(*place, "run")

    def attack() -> str:
        with going_round(place), patch.object(ingest_service, "_same_bytes", _known_anywhere):
            return brought(upload(world.keys[key], file, scope=scope))

    assert held(attack, loot="status=200;").startswith("status=202;")


@pytest.mark.parametrize("place", [BETA, BOLT], ids=["another-scope", "another-tenant"])
def test_taking_in_known_and_unknown_bytes_is_answered_alike(world: World, place: tuple[str, str]) -> None:
    def shape(file: bytes) -> object:
        response = upload(world.keys["alpha"], file)
        body = response.json()
        names = [name for name in response.headers if name != "Content-Length"]
        return response.status_code, sorted(names), sorted(body), sorted(body["job"]), body["version"], body["status"]

    hidden, unseen = content(*place, "run"), content("nobody", "fund:alpha", "run")
    with rolled_back():
        assert shape(content("acme", "fund:alpha", "run")) != shape(unseen)
    with rolled_back():
        assert shape(hidden) == shape(unseen)


def test_a_new_version_of_a_hidden_document_is_refused_as_of_an_unknown_one(world: World) -> None:
    def refused(replaced: UUID) -> tuple[int, list[tuple[str, str]], str]:
        return anonymous(upload(world.keys["alpha"], b"A note.", replaces=str(replaced)), replaced)

    with rolled_back():
        # A document of one's own can be replaced, so it is the wall that refuses.
        assert refused(world.document("acme", "fund:alpha"))[0] == 202
    with rolled_back():
        unknown = refused(uuid4())
        assert unknown[0] == 400
        assert refused(world.document(*BETA)) == refused(world.document(*BOLT)) == unknown


# --- Idempotency ----------------------------------------------------------------------------------------------------


@contextmanager
def keys_shared_by_all() -> Iterator[None]:
    """Idempotency keys that belong to nobody in particular, and no wall."""
    own = idempotency._known

    def known(key_digest: str, request_digest: str) -> IdempotentRequest | None:
        with forgetful():
            return own(key_digest, request_digest)

    with (
        wall_down(),
        patch.object(idempotency, "_known", known),
        patch.object(idempotency, "_key_digest", lambda key: idempotency._digest([key])),
        patch.object(idempotency, "_principal", lambda: {"principal_kind": "api_key", "principal_id": UUID(int=0)}),
    ):
        yield


@pytest.mark.parametrize("owner", ["acme", "bolt"])
def test_an_idempotency_key_of_another_client_replays_nothing(world: World, owner: str) -> None:
    headers = {"idempotency-key": "report-1"}

    def attack() -> str:
        assert upload(world.keys[owner], b"A note.", headers=headers).status_code == 202
        return brought(upload(world.keys["alpha"], b"A note.", headers=headers))

    held(attack, loot=f"{idempotency.REPLAYED_HEADER}: true", without=keys_shared_by_all)


@pytest.mark.parametrize("owner", ["acme", "bolt"])
def test_an_idempotency_key_of_another_client_is_not_told_to_be_taken(world: World, owner: str) -> None:
    headers = {"idempotency-key": "report-2"}

    def attack() -> str:
        assert upload(world.keys[owner], b"Theirs.", headers=headers).status_code == 202
        return brought(upload(world.keys["alpha"], b"Mine.", headers=headers))

    assert held(attack, loot="status=422;", without=keys_shared_by_all).startswith("status=202;")


# --- Who one is -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [BETA, BOLT], ids=["another-scope", "another-tenant"])
def test_who_am_i_names_no_scope_of_anybody_else(world: World, place: tuple[str, str]) -> None:
    with going_round(place):
        brought = held(
            lambda: call(world.keys["alpha"], "GET", "me/"), loot="fund:beta" if place == BETA else "firm:bolt"
        )
    assert "bolt" not in brought


def test_who_am_i_names_one_s_own_tenant_alone(world: World) -> None:
    def attack() -> HttpResponse:
        first = "apps.tenants.api.account.current_tenant"
        with patch(first, lambda: Tenant.objects.exclude(slug="acme").first() or Tenant(slug="nothing")):
            return call(world.keys["alpha"], "GET", "me/")

    held(attack, loot='"slug":"bolt"')


def test_the_policy_is_one_s_own_tenant_s_alone(world: World) -> None:
    with open_scope(tenant=world.bolt.id, reason="a test"):
        theirs = PolicyVersion.objects.get()

    def attack() -> HttpResponse:
        with forgetful(), patch("apps.intents.selectors.current_scope") as found:
            found.return_value.tenant_id = world.bolt.id
            return call(world.keys["alpha"], "GET", "policy/")

    held(attack, loot=str(theirs.id))


# key, method, what of a version, the body, and what comes home where nothing stands in the way; a key that acts for
# nobody gets no further than to be told so, of a version that it has found; a reviewer's own is told how it stands
POLICY_VERSIONS = (
    ("acme", "GET", "", None, "status=200;"),
    ("acme", "HEAD", "", None, "status=200;"),
    ("acme", "GET", "file/", None, "status=200;"),
    ("acme", "GET", "diff/", None, "status=200;"),
    ("acme", "GET", "check/", None, "status=200;"),
    ("acme-officer", "PUT", "", {"reason": "Mine.", "revision": 1, "content": POLICY}, "intents.person_needed"),
    ("acme-officer", "DELETE", "", None, "intents.person_needed"),
    ("acme-officer", "POST", "submit/", {"revision": 1}, "intents.person_needed"),
    ("acme-reviewer", "POST", "approve/", {"revision": 1}, "intents.not_in_review"),
    ("acme-reviewer", "POST", "reject/", {"reason": "No.", "revision": 1}, "intents.not_in_review"),
    ("acme-reviewer", "POST", "send-back/", {"reason": "No.", "revision": 1}, "intents.not_in_review"),
    ("acme-reviewer", "POST", "withdraw/", {"reason": "No.", "revision": 1}, "intents.not_withdrawable"),
    ("acme-reviewer", "POST", "comments/", {"text": "Hello."}, "status=201;"),
)


@contextmanager
def taken_for(world: World, slug: str) -> Iterator[None]:
    """An application that forgets the tenant, and takes another one's policies for its own."""
    with forgetful(), patch("apps.intents.selectors.current_scope") as found:
        found.return_value.tenant_id = world.firm(slug).id
        yield


@pytest.mark.parametrize(("key", "method", "path", "sent", "loot"), POLICY_VERSIONS)
def test_another_tenant_s_policy_version_is_answered_in_the_same_bytes_as_one_that_nobody_has(
    world: World, key: str, method: str, path: str, sent: Any, loot: str
) -> None:
    with open_scope(tenant=world.bolt.id, reason="a test"):
        theirs = PolicyVersion.objects.get().id
    nobody_s = uuid4()

    def answer(version: UUID) -> HttpResponse:
        return call(world.keys[key], method, f"policy/versions/{version}/{path}", sent)

    with taken_for(world, "bolt"):
        found = held(lambda: brought(answer(theirs)), loot=loot)
    assert found.startswith("status=404;")
    assert anonymous(answer(theirs), theirs) == anonymous(answer(nobody_s), nobody_s)


def test_the_list_of_policy_versions_shows_none_of_another_tenant_s(world: World) -> None:
    with open_scope(tenant=world.bolt.id, reason="a test"):
        theirs = PolicyVersion.objects.get().id

    def attack() -> HttpResponse:
        with taken_for(world, "bolt"), patch("apps.intents.api.versions.version_snapshots", _of_whoever):
            return call(world.keys["acme"], "GET", "policy/versions/")

    held(attack, loot=str(theirs))


def _of_whoever(versions: Iterable[PolicyVersion]) -> dict[UUID, PolicySnapshot]:
    """Contents for the list, whose version they may be: what is listed is what is looked at."""
    return {version.id: baseline_snapshot() for version in versions}


def test_a_narrow_auditor_reads_no_event_of_another_scope_s_question(world: World) -> None:
    """An event of a question is of all scopes that it searched: whoever lacks one of them does not see it."""

    def attack() -> str:
        asked = ask(world.keys["acme"], QUESTION).json()["audit_event_id"]
        return brought(call(world.keys["alpha-auditor"], "GET", f"audit/events/{asked}/"))

    held(attack, loot=str(world.document(*BETA)))


def test_a_narrow_auditor_reads_no_event_of_another_scope_s_rejected_question(world: World) -> None:
    def attack() -> str:
        assert ask(world.keys["acme"], "x" * 5000, ["fund:beta"]).status_code == 413
        return brought(call(world.keys["alpha-auditor"], "GET", "audit/events/?action=retrieval.question.rejected"))

    held(attack, loot='"action":"retrieval.question.rejected"')


IMPOSTURES = (
    {"x_tenant": "bolt"},
    {"x_scope": "fund:beta"},
    {"x_forwarded_user": "ben"},
    {"x_original_url": "/api/v1/documents/?scope=fund:beta"},
    {"x_http_method_override": "DELETE"},
    {"cookie": "tenant_id={bolt}; tenant=bolt"},
)


@pytest.mark.parametrize("headers", IMPOSTURES, ids=lambda headers: next(iter(headers)))
def test_a_header_that_names_somebody_else_changes_not_a_byte(world: World, headers: Mapping[str, str]) -> None:
    sent = {name: value.format(bolt=world.bolt.id) for name, value in headers.items()}
    held(
        lambda: call(world.keys["alpha"], "GET", "documents/", **sent),
        loot=canary(*BOLT),
        # Somebody who was taken at such a header's word.
        without=lambda: patch("apps.tenants.middleware.key_principal", return_value=world.people["ben"]),
    )
    plain = call(world.keys["alpha"], "GET", "documents/")
    assert anonymous(call(world.keys["alpha"], "GET", "documents/", **sent)) == anonymous(plain)


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        ("Bearer {alpha}", 200),
        ("bearer {alpha}", 200),
        ("BEARER  {alpha} ", 200),
        ("Bearer {alpha}, Bearer {bolt}", 401),
        ("Bearer {alpha},{bolt}", 401),
        ("Bearer {alpha} {bolt}", 401),
        ("Basic {bolt}", 401),
        ("{bolt}", 401),
        ("Token {bolt}", 401),
        ("Bearer", 401),
    ],
)
def test_an_authorization_is_one_key_or_none(world: World, authorization: str, status: int) -> None:
    """Two headers reach the application as one, joined with a comma."""
    sent = authorization.format(**world.keys)
    with patch("apps.tenants.middleware.api_key_authenticate", return_value=api_key_authenticate(world.keys["bolt"])):
        assert canary(*BOLT) in as_text(call("", "GET", "documents/", authorization=sent))
    response = call("", "GET", "documents/", authorization=sent)
    assert response.status_code == status
    assert canary(*BOLT) not in as_text(response)


def test_a_key_wins_over_the_session_beside_it_and_they_never_mix(world: World) -> None:
    ben = signed_in("ben")

    def documents(authorization: str) -> HttpResponse:
        return ben.get("/api/v1/documents/", headers={"authorization": authorization} if authorization else {})

    with rolled_back():
        assert canary(*BOLT) in as_text(documents(""))
        with_key = documents(f"Bearer {world.keys['alpha']}")
        assert with_key.json() == call(world.keys["alpha"], "GET", "documents/").json()
        # A key that is not valid is no reason to fall back upon the session.
        for wrong in ("Bearer gbx_000000000000_nothing", "Basic eDp5", "Bearer"):
            assert documents(wrong).status_code == 401


@pytest.mark.parametrize("username", ["olga", "root"])
@pytest.mark.parametrize("path", ["documents/", "scopes/", "me/", "policy/"])
def test_a_session_without_a_membership_is_nobody_s(world: World, username: str, path: str) -> None:
    """A superuser's too."""
    visitor = signed_in(username)
    brought_home = held(
        lambda: brought(visitor.get(f"/api/v1/{path}")),
        loot="status=200;",
        without=lambda: member_admitted(world, "bolt", username),
    )
    assert brought_home.startswith("status=401;")


def test_a_session_s_tenant_is_a_membership_s_whatever_the_session_says(world: World) -> None:
    ann = signed_in("ann")

    def attack() -> HttpResponse:
        session = ann.session
        session["tenant_id"] = str(world.bolt.id)
        session.save()
        return ann.get("/api/v1/documents/")

    found = held(attack, loot=canary(*BOLT), without=lambda: member_admitted(world, "bolt", "ann"))
    assert canary("acme", "fund:alpha") in found


# --- What surrounds an answer ---------------------------------------------------------------------------------------


def test_no_cache_between_may_keep_an_answer_of_any_kind(world: World) -> None:
    alpha, own = world.keys["alpha"], world.document("acme", "fund:alpha")

    def kept() -> list[str]:
        requests: tuple[Callable[[], HttpResponse], ...] = (
            lambda: call(alpha, "GET", "documents/"),
            lambda: call(alpha, "GET", f"documents/{own}/content/"),
            lambda: call(alpha, "GET", f"documents/{uuid4()}/"),
            lambda: call(alpha, "GET", "documents/?nonsense=1"),
            lambda: call(alpha, "DELETE", f"documents/{own}/"),
            lambda: call(alpha, "OPTIONS", "documents/"),
            lambda: call("", "GET", "documents/"),
            lambda: call(alpha, "GET", "no/such/address/"),
            lambda: ask(alpha, QUESTION),
        )
        return [
            str(response.status_code)
            for request in requests
            if "no-store" not in (response := request()).headers.get("Cache-Control", "")
        ]

    with rolled_back(), patch.object(ApiView, "default_response_headers", APIView.default_response_headers):
        assert len(kept()) > 5
    with rolled_back():
        assert kept() == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "documents/?q=%00", None),
        ("GET", "documents/?fiscal_year=1e400", None),
        ("GET", "documents/?fiscal_year=99999999999999999999", None),
        ("GET", "documents/?fiscal_year=NaN", None),
        ("GET", "documents/?company=%F0%9F%92%A3%00", None),
        ("GET", "documents/?scope=%00", None),
        ("GET", "documents/{own}/pages/99999999999999999999/", None),
        ("GET", "documents/{own}/chunks/?page=99999999999999999999", None),
        ("GET", "documents/not-a-uuid/", None),
        ("GET", "jobs/?document=' OR 1=1", None),
        ("POST", "query/", {"question": "x\u0000y and z"}),
        ("POST", "query/", {"question": "drawdown", "scopes": ["\u0000"]}),
        ("POST", "query/", {"question": "drawdown", "scopes": [{"key": "fund:beta"}]}),
    ],
)
def test_what_can_not_be_read_is_refused_without_a_word_of_the_database(
    world: World, method: str, path: str, body: Any
) -> None:
    path = path.format(own=world.document("acme", "fund:alpha"))
    with rolled_back():
        response = call(world.keys["alpha"], method, path.replace(" ", "%20"), body)
    assert response.status_code in (200, 400, 404)
    assert not re.search(r"psycopg|SQL|corpus_|tenants_|Traceback|kestrelacmebeta|kestrelbolt", as_text(response))
