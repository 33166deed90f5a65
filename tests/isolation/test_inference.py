"""What can be inferred of rows that can't be read: from scores, counts, work, estimates, constraints and errors.

Most attacks ask the same question twice, once about a value that somebody hidden has and once about one that nobody
has. The wall holds where the two answers are the same: then the answer tells nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.apps import apps
from django.core.paginator import Paginator
from django.db import connection, models, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.corpus.models import Chunk, Document, Embedding384, Embedding768, Embedding1536, IngestJob, Posting
from apps.corpus.services.ingest import document as ingest_service
from apps.intents import selectors
from apps.intents.fund_house import FundHouse
from apps.intents.models import PolicyVersion
from apps.quality.models import EvaluationAnswer, EvaluationQuery
from apps.retrieval.contracts import SearchQuery
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.retrieval.services import ask as ask_service
from apps.retrieval.services import asking
from apps.tenants.context import ScopeContext, open_scope
from apps.tenants.models import Grant, Scope
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from tests.corpus.ingesting import ingest
from tests.isolation.harness import (
    KEPT_BY_TWO,
    Attack,
    as_text,
    changed,
    held,
    outcome,
    rolled_back,
    runtime_connection,
    sql,
    unnumbered,
    wall_down,
)
from tests.isolation.world import QUESTION, World, canary
from tests.model_server import hashed_vector
from tests.retrieval.stored import bounds, weighted

Place = tuple[str, str]
Probe = Callable[[str], Any]

BETA: Place = ("acme", "fund:beta")  # another scope of the attacker's own tenant
BOLT: Place = ("bolt", "fund:beta")  # another tenant
PLACES = [BETA, BOLT]
IN_PLACES = pytest.mark.parametrize("place", PLACES, ids=["another scope", "another tenant"])
HIDDEN_COMPANY = "Kestrel Holdings"
LETTERS = " abcdefghijklmnopqrstuvwxyz"
SCOPED: list[type[ScopedModel]] = [model for model in apps.get_models() if issubclass(model, ScopedModel)]


@pytest.fixture(scope="module", autouse=True)
def _furnished(world: World) -> None:
    """A company that hidden documents alone name, and a row of every scope in the table that nothing fills here."""
    for slug in ("acme", "bolt"):
        with open_scope(tenant=world.firm(slug).id, reason="a test"):
            Document.objects.filter(scope_id=world.scope_id(slug, "fund:beta")).update(company=HIDDEN_COMPANY)
            # The world's profile fills the third table of vectors.
            for model, dimension in ((Embedding384, 384), (Embedding768, 768)):
                model._default_manager.bulk_create(
                    model(
                        tenant_id=chunk.tenant_id,
                        scope_id=chunk.scope_id,
                        document_id=chunk.document_id,
                        chunk=chunk,
                        kind=chunk.kind,
                        model="made up",
                        vector=[0.0] * dimension,
                    )
                    for chunk in Chunk.objects.filter(is_parent=False)
                )


def as_ann(world: World) -> AbstractContextManager[ScopeContext]:
    """The attacker: Acme's fund alpha alone."""
    return open_scope(tenant=world.acme.id, principal=world.people["ann"])


def told_apart(probe: Probe, *, hidden: object, nobodys: object) -> Attack:
    """An attack that asks about both values, and brings home whether the answers differ."""

    def answer(value: str) -> str:
        def once() -> str:
            with rolled_back():
                return as_text(probe(value))

        return outcome(once).replace(value, "?")

    def attack() -> str:
        answers = answer(str(hidden)), answer(str(nobodys))
        return "the same" if answers[0] == answers[1] else f"told apart: {answers[0]} <> {answers[1]}"

    return attack


def of_hidden(world: World, place: Place, model: type[models.Model], *columns: str, **where: Any) -> Any:
    """Values of a hidden row, as whoever may see it reads them."""
    slug, scope = place
    with open_scope(tenant=world.firm(slug).id, reason="read what is hidden"):
        of_scope = {"scope_id": world.scope_id(slug, scope)} if issubclass(model, ScopedModel) else {}
        rows = model._default_manager.filter(**of_scope, **where)
        return rows.values_list(*columns, flat=len(columns) == 1).first()


# --- existence, by answers and by the work for them ---


@pytest.mark.parametrize("path", ["", "chunks/", "pages/1/", "pages/1/image/", "versions/", "content/"])
def test_the_api_does_the_same_for_a_hidden_document_as_for_none(world: World, path: str) -> None:
    def probe(document: str) -> str:
        client = Client(headers={"authorization": f"Bearer {world.keys['acme-alpha']}"})
        with CaptureQueriesContext(connection) as queries:
            response = client.get(f"/api/v1/documents/{document}/{path}")
            body = b"".join(response) if response.streaming else response.content
        ran = [re.sub(r"'[^']*'|s\d+_x\d+", "?", query["sql"]) for query in queries.captured_queries]
        return unnumbered(response, f"{response.status_code} {body.decode('utf-8', 'replace')} {ran}")

    held(told_apart(probe, hidden=world.document(*BETA), nobodys=uuid4()), loot="told apart")


WAYS = {
    "as planned": (),
    "through indexes": ("enable_seqscan", "enable_bitmapscan"),
    "through bitmaps": ("enable_seqscan", "enable_indexscan", "enable_indexonlyscan"),
    "through everything": ("enable_indexscan", "enable_bitmapscan", "enable_indexonlyscan"),
}


def work(statement: str, switched_off: Sequence[str] = ()) -> str:
    """What EXPLAIN ANALYZE counts: the rows, loops and buffers of every node, initial plans included.

    A stand-in for a clock: what takes longer touches more of these.
    """
    with rolled_back():
        for setting in switched_off:
            sql(f"SET LOCAL {setting} = off")
        for _ in range(2):  # the first run also compiles the token functions
            [(plan,)] = sql(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT JSON) {statement}")
    return str(_counted((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]))


def _counted(node: dict[str, Any]) -> tuple[Any, ...]:
    counts = [node.get(name, 0) for name in ("Actual Rows", "Actual Loops", "Rows Removed by Filter")]
    buffers = node.get("Shared Hit Blocks", 0) + node.get("Shared Read Blocks", 0)
    return node["Node Type"], *counts, buffers, *(_counted(each) for each in node.get("Plans", ()))


def worked_apart(table: str, condition: str, *, hidden: object, nobodys: object) -> Attack:
    """Ask in every way that the planner can be made to take; what differs once by chance does not differ each time."""

    def probe(value: str) -> str:
        statement = f"SELECT 1 FROM {table} WHERE {condition.format(value)}"
        return " ".join(f"{way}: {work(statement, switched)}" for way, switched in WAYS.items())

    asked = told_apart(probe, hidden=hidden, nobodys=nobodys)
    return lambda: min((asked() for _ in range(3)), key=len)


@IN_PLACES
@pytest.mark.parametrize(
    ("model", "column"),
    [
        (Document, "id"),
        (Document, "slug"),
        (Document, "title"),
        (Document, "company"),
        (Document, "series_id"),
        (Document, "content_sha256"),
        (Chunk, "id"),
        (Chunk, "document_id"),
        (Posting, "term"),
        (Embedding1536, "chunk_id"),
        (IngestJob, "document_id"),
    ],
    ids=lambda value: value if isinstance(value, str) else value._meta.model_name,
)
@pytest.mark.parametrize("equal", ["= '{}'", "= ANY ('{{\"{}\"}}')"], ids=["equal", "equal to any"])
def test_looking_for_a_hidden_value_is_no_more_work_than_for_none(
    world: World, place: Place, model: type[ScopedModel], column: str, equal: str
) -> None:
    """A condition that the planner trusts not to leak may run before the policy's own; the counts must not tell."""
    words = {"term": canary(*place)} if column == "term" else {}
    hidden = of_hidden(world, place, model, column, **words)
    nobodys = uuid4() if isinstance(hidden, UUID) else f"{hidden}"[:-1] + "~"
    table = model._meta.db_table
    attack = worked_apart(table, f"{column} {equal}", hidden=hidden, nobodys=nobodys)

    def as_attacker() -> str:
        with as_ann(world):
            return as_text(attack())

    held(as_attacker, loot="told apart", without=lambda: wall_down([table]))


@pytest.mark.parametrize("equal", ["= '{}'", "= ANY ('{{\"{}\"}}')"], ids=["equal", "equal to any"])
def test_looking_for_another_account_s_address_is_no_more_work_than_for_none(world: World, equal: str) -> None:
    """Of names that are unique on the platform, and of ids already known, this is not promised: see the README."""
    table, shown = "tenants_user", "GRANT SELECT ON tenants_user TO glassbox_api"
    attack = worked_apart(table, f"email {equal}", hidden="ben@example.com", nobodys="zen@example.com")

    def as_attacker() -> str:
        with as_ann(world):
            return as_text(attack())

    held(as_attacker, loot="told apart", without=lambda: wall_down([table], also=[shown]), alone=(shown,))


def halved(exists_below: Callable[[str], bool], *, start: str) -> str:
    """Read a hidden value letter by letter, from answers to "is one of them below this?", by halving the alphabet."""
    read = start
    while len(read) < len(start) + 12:
        low, high = -1, len(LETTERS)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if exists_below(read + LETTERS[middle]) else (middle, high)
        if low < 0:
            break
        read += LETTERS[low]
    return read


KNOWN = "run-kestrelb"  # how every title of Bolt's begins that the attacker is after


def any_between(bound: str) -> str:
    """Of a list of one, the planner believes that comparing with it costs less than the policy's own comparisons."""
    return f"SELECT 1 FROM corpus_document WHERE title >= ANY ('{{{KNOWN}}}') AND title < ANY ('{{{bound}}}')"


def test_a_hidden_title_can_t_be_read_by_halving_what_the_work_tells(world: World) -> None:
    def attack() -> str:
        with as_ann(world):
            everything = WAYS["through everything"]
            none = work(any_between(KNOWN), everything)
            return halved(lambda bound: work(any_between(bound), everything) != none, start=KNOWN)

    held(attack, loot=canary("bolt", "fund:alpha"), without=lambda: wall_down(["corpus_document"]))


def test_a_hidden_title_can_t_be_read_by_halving_the_errors_without_a_scope(world: World) -> None:
    """Without a token the policy raises; whether it is asked at all must not depend on what the rows hold."""

    def attack() -> str:
        for setting in WAYS["through everything"]:
            sql(f"SET LOCAL {setting} = off")

        def said(bound: str) -> str:
            return outcome(lambda: sql(any_between(bound)))

        none = said(KNOWN)
        return halved(lambda bound: said(bound) != none, start=KNOWN)

    held(attack, loot=canary("bolt", "fund:alpha"), without=lambda: wall_down(["corpus_document"]))


@contextmanager
def meanwhile(world: World, act: Callable[[], Any]) -> Iterator[None]:
    """Something that Bolt does in a transaction of its own, which lasts as long as the block."""
    began, ended = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            with open_scope(tenant=world.bolt.id, reason="a test"):
                act()
                began.set()
                ended.wait(20)
                transaction.set_rollback(True)
        except BaseException as error:  # noqa: BLE001 - raised again below, in the test's own thread
            failures.append(error)
        finally:
            began.set()
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert began.wait(20)
        assert not failures, failures
        yield
    finally:
        ended.set()
        thread.join()
    assert not failures, failures


def test_a_lock_on_a_hidden_row_is_not_felt(world: World) -> None:
    target = world.document(*BOLT)

    def probe(document: str) -> list[tuple[Any, ...]]:
        with as_ann(world):
            return sql(f"SELECT 1 FROM corpus_document WHERE id = '{document}' FOR UPDATE NOWAIT")

    def attack() -> str:
        with meanwhile(world, lambda: Document.objects.select_for_update().get(id=target)):
            return as_text(told_apart(probe, hidden=target, nobodys=uuid4())())

    # Past the policies without a lock on the table: the other thread holds the row.
    held(attack, loot="told apart")


# --- constraints ---

# What else stands before a member's statement: who may write these rows at all, and in whose name. Keys and errors are
# tried without it, so that they say nothing to whoever may write, either.
_WRITERS = (
    KEPT_BY_TWO,
    "ALTER TABLE corpus_ingestjob DISABLE TRIGGER corpus_job_actor",
    "ALTER TABLE intents_certifiedgrant DISABLE TRIGGER intents_certified_grant_step",
    "ALTER TABLE intents_certifiedgrant DISABLE TRIGGER zz_second_person_decided_by_id",
    *(
        f"DROP POLICY writers_{command} ON retrieval_evaluation{name}"
        for name in ("answer", "query")
        for command in ("insert", "update")
    ),
    *(f"GRANT UPDATE ON filings_{name} TO glassbox_api" for name in ("entitymention", "fact", "relation")),
)


def _unique_keys() -> list[tuple[type[ScopedModel], tuple[str, ...]]]:
    keys: list[tuple[type[ScopedModel], tuple[str, ...]]] = []
    for model in SCOPED:
        keys.append((model, ("id",)))
        for constraint in model._meta.constraints:
            if isinstance(constraint, models.UniqueConstraint):
                columns = tuple(model._meta.get_field(name).column for name in constraint.fields)
                keys.append((model, tuple(each for each in columns if each not in ("tenant_id", "scope_id"))))
    return keys


def _named(value: Any) -> str:
    return "-".join(value) if isinstance(value, tuple) else value._meta.model_name


@IN_PLACES
@pytest.mark.parametrize(("model", "key"), _unique_keys(), ids=_named)
@pytest.mark.parametrize("conflict", ["", " ON CONFLICT DO NOTHING"], ids=["insert", "insert or nothing"])
def test_a_unique_constraint_does_not_know_a_hidden_key(
    world: World, place: Place, model: type[ScopedModel], key: tuple[str, ...], conflict: str
) -> None:
    taken = of_hidden(world, place, model, *key)
    values = dict(zip(key, taken if len(key) > 1 else [taken], strict=True))
    probed, fixed = key[0], {column: values[column] for column in key[1:]}

    def probe(value: str) -> str:
        with as_ann(world), connection.cursor() as cursor:
            cursor.execute(_copy_of_own(world, model, {probed: value, **fixed}) + conflict)
            return f"{cursor.rowcount} made"

    nobodys = uuid4() if isinstance(values[probed], UUID) else "made-up"
    index = f"CREATE UNIQUE INDEX probed ON {model._meta.db_table} ({', '.join(key)})"
    held(
        told_apart(probe, hidden=values[probed], nobodys=nobodys),
        loot="told apart",
        without=lambda: changed(*_WRITERS, index),
        alone=_WRITERS,
    )


def _copy_of_own(world: World, model: type[ScopedModel], values: dict[str, Any]) -> str:
    """An insertion of a copy of one of the attacker's rows, with new values where a key would be in the way."""
    given = {column: f"'{value}'" for column, value in values.items()}
    for field in model._meta.concrete_fields:
        if field.column in ("id", "series_id", "document_id", "chunk_id", "grant_id"):
            given.setdefault(field.column, "gen_random_uuid()")
    if model is Document:
        given.setdefault("slug", "gen_random_uuid()::text")
    if model is EvaluationQuery:
        given.setdefault("text", "gen_random_uuid()::text")
    if model is EvaluationAnswer:
        given.setdefault("key", "gen_random_uuid()::text")
    own = f"id = (SELECT min(id::text)::uuid FROM {model._meta.db_table})"
    return _copies(model, own, 1, **given)


FOREIGN_KEYS = [
    (model, field)
    for model in SCOPED
    for field in model._meta.concrete_fields
    if isinstance(field, TenantForeignKey) and field.name != "scope"
]


# What all scopes of a tenant share is hidden from other tenants alone.
HIDDEN_PARENTS = [
    pytest.param(place, model, field, id=f"{model._meta.model_name}-{field.name}-{name}")
    for model, field in FOREIGN_KEYS
    for place, name in ((BETA, "another scope"), (BOLT, "another tenant"))
    if place is BOLT or issubclass(field.related_model, ScopedModel)
]


@pytest.mark.parametrize(("place", "model", "field"), HIDDEN_PARENTS)
def test_a_foreign_key_does_not_know_a_hidden_row(
    world: World, place: Place, model: type[ScopedModel], field: TenantForeignKey
) -> None:
    target, table = field.related_model._meta.db_table, model._meta.db_table
    hidden = of_hidden(world, place, field.related_model, "id")

    def probe(value: str) -> str:
        with as_ann(world):
            sql(f"UPDATE {table} SET {field.column} = '{value}'")
            sql("SET CONSTRAINTS ALL IMMEDIATE")
            return "accepted"

    @contextmanager
    def by_id_alone() -> Iterator[None]:
        with changed(
            *_WRITERS,
            f"CREATE UNIQUE INDEX probed ON {target} (id)",
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_{field.column}_fk",
            f"ALTER TABLE {table} ADD CONSTRAINT probed FOREIGN KEY ({field.column}) REFERENCES {target} (id) "
            "DEFERRABLE INITIALLY DEFERRED",
            *_without_unique_keys(model),
        ):
            yield

    attack = told_apart(probe, hidden=hidden, nobodys=uuid4())
    held(attack, loot="told apart", without=by_id_alone, alone=_WRITERS)


def _without_unique_keys(model: type[ScopedModel]) -> list[str]:
    """So that several rows may be pointed at one: a unique key would answer before the foreign key does."""
    names = [each.name for each in model._meta.constraints if isinstance(each, models.UniqueConstraint)]
    return [f"ALTER TABLE {model._meta.db_table} DROP CONSTRAINT IF EXISTS {name}" for name in names]


@IN_PLACES
@pytest.mark.parametrize("statement", ["grant", "scope"])
def test_the_directory_does_not_know_a_hidden_scope(world: World, place: Place, statement: str) -> None:
    with open_scope(tenant=world.acme.id, reason="a test"):
        grant = Grant.objects.filter(scope_id=world.scope_id("acme", "fund:alpha")).first()

    def probe(scope: str) -> str:
        with as_ann(world):
            if statement == "grant":
                sql(_copies(Grant, f"id = '{grant.id}'", 1, scope_id=f"'{scope}'"))
            else:
                own = f"id = '{world.scope_id('acme', 'fund:alpha')}'"
                sql(_copies(Scope, own, 1, key="'fund:made-up'", parent_id=f"'{scope}'"))
            sql("SET CONSTRAINTS ALL IMMEDIATE")
            return "accepted"

    @contextmanager
    def by_id_alone() -> Iterator[None]:
        table, column = ("tenants_grant", "scope_id") if statement == "grant" else ("tenants_scope", "parent_id")
        with changed(
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
            "CREATE UNIQUE INDEX probed ON tenants_scope (id)",
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_fk",
            f"ALTER TABLE {table} ADD CONSTRAINT probed FOREIGN KEY ({column}) REFERENCES tenants_scope (id) "
            "DEFERRABLE INITIALLY DEFERRED",
        ):
            yield

    held(told_apart(probe, hidden=world.scope_id(*place), nobodys=uuid4()), loot="told apart", without=by_id_alone)


@pytest.mark.parametrize(
    ("statement", "hidden", "nobodys", "granted"),
    [
        ("UPDATE tenants_tenant SET slug = '{}'", "bolt", "volt", "GRANT UPDATE ON tenants_tenant TO glassbox_api"),
        (
            "UPDATE tenants_user SET username = '{}' WHERE username = 'amy'",
            "ben",
            "zen",
            "ALTER TABLE tenants_user DISABLE ROW LEVEL SECURITY; GRANT UPDATE ON tenants_user TO glassbox_api",
        ),
    ],
    ids=["slug", "user name"],
)
def test_a_name_that_is_unique_on_the_platform_can_t_be_tried_out(
    world: World, statement: str, hidden: str, nobodys: str, granted: str
) -> None:
    def probe(value: str) -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            sql(statement.format(value))
            return "taken over"

    attack = told_apart(probe, hidden=hidden, nobodys=nobodys)
    held(attack, loot="told apart", without=lambda: changed(*granted.split("; ")))


@IN_PLACES
def test_uploading_what_is_hidden_looks_like_uploading_anything(world: World, place: Place) -> None:
    document = of_hidden(world, place, Document, "id", kind="run")
    with open_scope(tenant=world.firm(place[0]).id, reason="read what is hidden"):
        content = bytes(Document.objects.get(id=document).source_files.get().content)
    copies = {"hidden": content, "nobodys": content.replace(b"Quarterly", b"Biannual!")}

    def probe(which: str) -> str:
        made = ingest(world.acme, copies[which], filename="a.md", principal=world.people["ann"])
        return f"created: {made.created}"

    once = "CREATE UNIQUE INDEX probed ON corpus_document (content_sha256)"
    held(told_apart(probe, hidden="hidden", nobodys="nobodys"), loot="told apart", without=lambda: changed(once))


@pytest.mark.parametrize(
    ("statement", "quoted"),
    [
        ("INSERT INTO corpus_page SELECT * FROM corpus_page", "Key ("),
        ("UPDATE corpus_chunk SET page_end = page_start - 1, page_start = 5", "Failing row contains"),
        ("UPDATE corpus_document SET title = NULL", "Failing row contains"),
        ("UPDATE corpus_page SET document_id = id; SET CONSTRAINTS ALL IMMEDIATE", "Key ("),
    ],
    ids=["unique", "check", "not null", "foreign key"],
)
def test_an_error_about_a_visible_row_quotes_nothing_of_it(world: World, statement: str, quoted: str) -> None:
    """Errors end up in logs and in answers; of a table behind the wall they name the constraint alone."""

    def attack() -> str:
        with as_ann(world):
            for each in statement.split("; "):
                sql(each)
            return "no error"

    brought = held(attack, loot=quoted, alone=_WRITERS)
    assert "Error" in brought


# --- locks, activity, statistics ---


UPLOADED = "Board pack kestrelboltsecret"


def _guessed_key(*parts: object) -> int:
    """What an advisory lock's number would be if it needed no secret to compute."""
    return int.from_bytes(hashlib.sha256("|".join(map(str, parts)).encode()).digest()[:8], signed=True)


def _upload(world: World) -> None:
    ingest(world.bolt, b"Figures.", filename="a.md", title=UPLOADED)


def test_an_upload_in_progress_can_t_be_guessed_from_advisory_locks(world: World) -> None:
    scope = world.scope_id("bolt", "fund:alpha")

    def probe(title: str) -> list[tuple[Any, ...]]:
        return sql(f"SELECT pg_try_advisory_xact_lock({_guessed_key('ingest', scope, title)})")

    def attack() -> str:
        with meanwhile(world, lambda: _upload(world)):
            return as_text(told_apart(probe, hidden=UPLOADED, nobodys="Board pack of nobody")())

    @contextmanager
    def guessable() -> Iterator[None]:
        with rolled_back(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(ingest_service, "advisory_key", _guessed_key)
            yield

    held(attack, loot="told apart", without=guessable)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 'seen' FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
        "SELECT 'seen' FROM pg_lock_status() WHERE pid <> pg_backend_pid()",
        "SELECT 'seen' FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()",
        "SELECT 'seen' FROM pg_stat_get_activity(NULL) WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()",
        "SELECT 'seen' FROM pg_stat_progress_analyze UNION ALL SELECT 'seen'",
    ],
    ids=["locks", "lock status", "activity", "activity's function", "progress"],
)
def test_what_other_sessions_do_is_not_shown(world: World, statement: str) -> None:
    def attack() -> list[tuple[Any, ...]]:
        with meanwhile(world, lambda: _upload(world)):
            return sql(statement)

    assert "permission denied" in held(attack, loot="seen", without=monitoring)


def test_what_another_session_asks_is_not_shown(world: World) -> None:
    def attack() -> list[tuple[Any, ...]]:
        with runtime_connection() as other:
            other.execute(f"SELECT '{canary(*BOLT)}'")
            return sql("SELECT query FROM pg_stat_activity")

    held(attack, loot=canary(*BOLT), without=monitoring)


def monitoring() -> AbstractContextManager[None]:
    return changed("GRANT pg_monitor, pg_read_all_stats TO glassbox_api")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT n_live_tup FROM pg_stat_user_tables",
        "SELECT idx_tup_read FROM pg_stat_user_indexes",
        "SELECT seq_tup_read FROM pg_stat_xact_user_tables",
        "SELECT pg_stat_get_live_tuples('corpus_document'::regclass)",
        "SELECT pg_stat_get_xact_tuples_returned('corpus_document'::regclass)",
        "SELECT heap_blks_hit FROM pg_statio_user_tables",
        "SELECT xact_commit FROM pg_stat_database",
        "SELECT pg_relation_size('corpus_document')",
        "SELECT pg_table_size('corpus_document')",
        "SELECT pg_indexes_size('corpus_document')",
        "SELECT pg_total_relation_size('corpus_document')",
        "SELECT pg_database_size(current_database())",
    ],
)
def test_counters_and_sizes_of_whole_tables_are_closed(world: World, statement: str) -> None:
    def attack() -> str:
        sql(statement)
        return "counted"

    assert "permission denied" in held(attack, loot="counted", without=monitoring)


# --- functions that tell what they are given ---


LEAKS = {
    "a number": "title::int > 0",
    "a date": "title::date IS NULL",
    "JSON": "('\"' || title)::jsonb IS NULL",
    "a regular expression": "'x' ~ (title || '(')",
    "a query": "query_to_xml(title, false, false, '') IS NULL",
    "a zone": "(now() AT TIME ZONE title) IS NULL",
    "a table": "replace(title, ' ', '_')::regclass IS NULL",
    "a setting": "set_config('kestrel.title', title, true) IS NULL",
    "a division": "1 / (length(title) - length(title)) > 0",
    "a case": "CASE WHEN title LIKE '%kestrel%' THEN 1 / (length(title) * 0) ELSE 1 END > 0",
}

# What an error says that does not quote the value; that there is one tells enough.
MARKS = {
    "a regular expression": "invalid regular expression",
    "a division": "division by zero",
    "a case": "division by zero",
}


@IN_PLACES
@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("statement", ["SELECT 1 FROM corpus_document", "DELETE FROM corpus_document"])
def test_a_function_that_tells_its_argument_is_not_called_with_a_hidden_one(
    world: World, place: Place, leak: str, statement: str
) -> None:
    scope = world.scope_id(*place)
    loot = MARKS.get(leak, canary(*place))

    def attack() -> list[tuple[Any, ...]]:
        with as_ann(world):
            # In this order also where the wall is down: the planner would try what it thinks cheaper first.
            sql(f"{statement} WHERE CASE WHEN scope_id = '{scope}' THEN {LEAKS[leak]} ELSE false END")
            return sql("SELECT current_setting('kestrel.title', true)")

    held(attack, loot=loot, without=lambda: wall_down(["corpus_document"]))


# --- caches ---


@pytest.mark.parametrize(("first", "second", "loot"), [("amy", "ben", "kestrelacme"), ("amy", "ann", canary(*BETA))])
def test_an_answer_is_not_remembered_for_somebody_else(world: World, first: str, second: str, loot: str) -> None:
    def asked(name: str) -> str:
        principal = world.people[name]
        with open_scope(tenant=principal.tenant_id, principal=principal):
            return str(ask_service.ask(text=QUESTION).result)

    def attack() -> str:
        assert loot in asked(first)
        return asked(second)

    @contextmanager
    def memory() -> Iterator[None]:
        """A cache whose key forgets who asks."""
        known: dict[str, Any] = {}
        answer = ask_service.answer

        def answered(question: Any, **more: Any) -> Any:
            if question.text not in known:
                known[question.text] = answer(question, **more)
            return known[question.text]

        with rolled_back(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(ask_service, "answer", answered)
            # The last look, whether its documents may be read still, would find that out.
            patch.setattr(asking, "are_within_reach", lambda documents, bounds: True)
            yield

    brought = held(attack, loot=loot, without=memory)
    assert "kestrel" in brought


def test_a_policy_is_not_remembered_for_another_tenant(world: World) -> None:
    """The process keeps the policies that it has met; whoever names another tenant's must not get it from there."""
    with open_scope(tenant=world.bolt.id, reason="a test"):
        theirs = PolicyVersion.objects.get(number=1)
        known = selectors.version_snapshot(theirs)

    def attack() -> str:
        with as_ann(world):
            return str(selectors.version_snapshot(theirs))

    @contextmanager
    def of_anybody() -> Iterator[None]:
        with rolled_back(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(selectors, "current_scope", lambda: SimpleNamespace(tenant_id=world.bolt.id))
            yield

    held(attack, loot=known.intents[0].description, without=of_anybody)


# --- plans ---


def test_parallel_workers_see_what_their_leader_sees(world: World) -> None:
    def titles() -> list[tuple[Any, ...]]:
        return sql("SELECT title FROM corpus_document ORDER BY title")

    def attack() -> list[tuple[Any, ...]]:
        with as_ann(world):
            for setting in (
                "debug_parallel_query = on",
                "parallel_setup_cost = 0",
                "parallel_tuple_cost = 0",
                "min_parallel_table_scan_size = 0",
                "min_parallel_index_scan_size = 0",
                "max_parallel_workers_per_gather = 4",
                "enable_indexscan = off",
                "enable_bitmapscan = off",
            ):
                sql(f"SET LOCAL {setting}")
            assert "Gather" in as_text(sql("EXPLAIN SELECT title FROM corpus_document ORDER BY title"))
            return titles()

    brought = held(attack, loot=canary(*BETA))
    with rolled_back(), as_ann(world):
        assert brought == as_text(titles())


@pytest.mark.parametrize("mode", ["auto", "force_generic_plan", "force_custom_plan"])
def test_a_prepared_plan_follows_the_scope_that_runs_it(world: World, mode: str) -> None:
    def attack() -> list[tuple[Any, ...]]:
        name = f"titles_{uuid4().hex}"
        sql(f"SET LOCAL plan_cache_mode = {mode}")
        with open_scope(tenant=world.acme.id, principal=world.people["amy"]):
            sql(f"PREPARE {name} AS SELECT title FROM corpus_document")
            assert "kestrelacme" in as_text(sql(f"EXECUTE {name}"))
        with open_scope(tenant=world.bolt.id, principal=world.people["ben"]):
            found = sql(f"EXECUTE {name}")
        sql(f"DEALLOCATE {name}")
        return found

    assert canary("bolt", "firm") in held(attack, loot="kestrelacme")


# --- floods: what another scope or tenant may grow by ---


def flood(world: World, place: Place, count: int, *, title: str = "") -> tuple[str, ...]:
    """Statements, for a superuser, that put copies of a run with its words and vectors into a hidden scope."""
    document = world.document(*place, "run")
    of_document = f"document_id = '{document}'"
    made = "md5('document' || n)::uuid"
    chunk = "md5('chunk' || n)::uuid"
    heading = f"'{title}'" if title else "title || n"
    return (
        _copies(
            Document,
            f"id = '{document}'",
            count,
            id=made,
            title=heading,
            slug="'copy-' || n",
            series_id=made,
            company="'Flooded Holdings'",
        ),
        _copies(Chunk, f"{of_document} AND NOT is_parent", count, id=chunk, document_id=made, parent_id="NULL"),
        _copies(Posting, f"{of_document} AND term IN ('drawdown', 'fourth')", count, document_id=made),
        _copies(Embedding1536, of_document, count, document_id=made, chunk_id=chunk),
    )


def _copies(model: type[models.Model], where: str, count: int, /, **changes: str) -> str:
    values = {"id": "gen_random_uuid()", **changes}
    columns = [field.column for field in model._meta.concrete_fields]
    table = model._meta.db_table
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values.get(each, each) for each in columns)} "
        f"FROM {table}, generate_series(1, {count}) AS n WHERE {where}"
    )


def moved(measure: Callable[[], Any], statements: Sequence[str], *, wall: bool) -> bool:
    """Whether a flood changes what is measured."""
    lowered = () if wall else tuple(f"ALTER TABLE {each._meta.db_table} DISABLE ROW LEVEL SECURITY" for each in SCOPED)
    readings = []
    for flooding in ((), statements):
        with changed(*lowered, *flooding):
            readings.append(outcome(measure))
    return readings[0] != readings[1]


def _bm25(world: World, slug: str) -> str:
    within = bounds(world.firm(slug), kinds=[FundHouse.RUN])
    query = SearchQuery(terms=weighted("drawdown", "fourth"))
    hits = SparseRetriever(k1=1.2, b=0.75).retrieve(query, within=within, top_k=10).hits
    return " ".join(f"{hit.chunk_id} {hit.bm25_score!r}" for hit in hits)


def _cosine(world: World, slug: str) -> str:
    query = SearchQuery(
        terms=(), vector=hashed_vector("the fourth quarter", 1536), embedding_model="text-embedding-3-small"
    )
    ranking = DenseRetriever().retrieve(query, within=bounds(world.firm(slug), kinds=[FundHouse.RUN]), top_k=10)
    hits = " ".join(f"{hit.chunk_id} {hit.cosine_similarity!r}" for hit in ranking.hits)
    return f"{hits} {ranking.coverage}"


def _inventory(world: World, slug: str) -> str:
    return str(CorpusInventoryReader().read(bounds(world.firm(slug), kinds=[FundHouse.RUN])))


def _pages(world: World, slug: str) -> str:
    pages = Paginator(Document._base_manager.order_by("id"), per_page=2)
    return f"{pages.count} in {pages.num_pages} pages, the first: {list(pages.page(1))}"


def _document_frequency(world: World, slug: str) -> str:
    return str(sql("SELECT count(*), sum(cardinality(chunk_numbers)) FROM corpus_posting WHERE term = 'drawdown'"))


READINGS = [(each, place) for each in (_bm25, _cosine, _inventory, _pages, _document_frequency) for place in PLACES]


@pytest.mark.parametrize(
    # The inventory's own manager keeps to the open tenant, whatever the bounds say.
    ("reading", "place"),
    [each for each in READINGS if each != (_inventory, BOLT)],
)
def test_what_hidden_scopes_grow_by_moves_nothing(
    world: World, reading: Callable[[World, str], str], place: Place
) -> None:
    """Scores are compared byte for byte. The bounds name every scope of the place: the wall alone narrows them."""

    def measure() -> str:
        with as_ann(world):
            return reading(world, place[0])

    grown = flood(world, place, 300 if reading is _cosine else 2000)
    assert moved(measure, grown, wall=False)
    assert not moved(measure, grown, wall=True)


def test_an_own_scopes_scores_move_with_its_own_documents(world: World) -> None:
    """The measure is not blind: what the attacker may see does count."""

    def measure() -> str:
        with as_ann(world):
            return _bm25(world, "acme")

    assert moved(measure, flood(world, ("acme", "fund:alpha"), 10), wall=True)


# --- estimates ---

FLOODED_TITLE = "Quarterly flood kestrelboltflood"
ESTIMATED = ("tenant_id", "scope_id", "title", "company")


def analysed(world: World, *opened: str, columns: Sequence[str] = ()) -> AbstractContextManager[None]:
    """Bolt has grown, and the statistics are fresh; with statistics kept, and used, for these columns of documents."""
    kept = ", ".join(f"ALTER COLUMN {each} SET STATISTICS 100" for each in columns)
    return changed(
        *opened,
        # The planner looks into statistics with what is LEAKPROOF alone; ranges of text are not (closed_doors.sql).
        *([f"ALTER TABLE corpus_document {kept}", "ALTER FUNCTION text_lt(text, text) LEAKPROOF"] if kept else []),
        flood(world, ("bolt", "fund:alpha"), 2000, title=FLOODED_TITLE)[0],
        "ANALYZE corpus_document",
    )


@pytest.mark.parametrize(("column", "value"), [("title", FLOODED_TITLE), ("company", "Flooded Holdings")])
@pytest.mark.parametrize("operator", ["=", "<"])
def test_the_planner_estimates_the_same_for_a_hidden_value_as_for_none(
    world: World, column: str, value: str, operator: str
) -> None:
    def probe(asked: str) -> str:
        with as_ann(world):
            return as_text(sql(f"EXPLAIN SELECT 1 FROM corpus_document WHERE {column} {operator} '{asked}'"))

    attack = told_apart(probe, hidden=value, nobodys="Zebra, a made-up name")
    with analysed(world, columns=ESTIMATED):
        assert "told apart" in outcome(attack), "a broken test: with statistics the estimates are the same"
    with analysed(world):
        assert "told apart" not in outcome(attack)


def test_a_hidden_title_can_t_be_read_by_halving_what_the_planner_estimates(world: World) -> None:
    def attack() -> str:
        def rows(bound: str) -> int:
            with as_ann(world):
                statement = f"EXPLAIN (FORMAT JSON) SELECT 1 FROM corpus_document WHERE title < '{bound}'"
                [(plan,)] = sql(statement)
            found: int = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]["Plan Rows"]
            return found

        start = "Quarterly flood kestrelb"
        half = (rows(start) + rows("~")) / 2
        return halved(lambda bound: rows(bound) > half, start=start)

    with analysed(world, columns=ESTIMATED):
        assert "kestrelboltflood" in outcome(attack), "a broken test: with statistics nothing was read either"
    with analysed(world):
        assert "kestrelbolt" not in outcome(attack)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT array_to_string(histogram_bounds, ' ') FROM pg_stats WHERE tablename = 'corpus_document'",
        "SELECT array_to_string(most_common_vals, ' ') FROM pg_stats WHERE tablename = 'corpus_document'",
        "SELECT stavalues1::text FROM pg_statistic WHERE starelid = 'corpus_document'::regclass",
    ],
    ids=["bounds", "most common", "statistic"],
)
def test_the_statistics_of_columns_hold_no_value(world: World, statement: str) -> None:
    def attack() -> list[tuple[Any, ...]]:
        return sql(statement)

    # Even with the right to look, and without the view's own look at row-level security.
    opened = (
        "ALTER TABLE corpus_document DISABLE ROW LEVEL SECURITY",
        "GRANT SELECT ON pg_statistic TO glassbox_api",
    )
    with analysed(world, *opened, columns=ESTIMATED):
        assert re.search("kestrelbolt|Flooded", outcome(attack)), "a broken test: no statistics were kept"
    with analysed(world, *opened):
        assert not re.search("kestrel|Flooded", outcome(attack))
