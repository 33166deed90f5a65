"""The wall at the doors of files: originals, exports, uploads, and what the database server writes, reads and logs."""

from __future__ import annotations

import re
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.files.storage import InMemoryStorage, default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import reverse

from apps.corpus.api.upload import UploadSerializer
from apps.corpus.models import Document, SourceFile
from apps.corpus.services.ingest import document as ingest_service
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.models import User
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_authenticate
from apps.tenants.services.members import grants_set
from config.services.layout import Layout, ServiceName
from tests.conftest import admin_dsn
from tests.corpus.ingesting import ingest
from tests.factories import make_member
from tests.isolation.harness import changed, held, outcome, rolled_back, runtime_connection, sql
from tests.isolation.world import World, canary

BETA = ("acme", "fund:beta")
BOLT = ("bolt", "fund:alpha")
# A phrase of an original that stands in no name, title or header.
SECRET = f"as {canary(*BETA)} reported"
ROLES = ("glassbox_api", "glassbox_worker")
OF_FIVE_MEGABYTES = b"# A long note\n\n" + b"The committee discussed kestrelspooled at length. " * 110_000
POSTGRES_LOG = Layout(settings.GLASSBOX_HOME).log(ServiceName.POSTGRES)


def sent(response: HttpResponseBase) -> str:
    """Status, headers and as much of the body as comes."""
    body = b""
    try:
        for part in response if isinstance(response, Iterable) else ():
            body += part
    except ApplicationError as error:
        body += str(error).encode()
    headers = " ".join(f"{name}: {value}" for name, value in response.items())
    return f"status={response.status_code}; {headers} {body.decode('utf-8', 'replace')}"


def bearing(key: str) -> Client:
    return Client(raise_request_exception=False, headers={"authorization": f"Bearer {key}"})


def signed_in(username: str) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get_by_natural_key(username))
    return client


@contextmanager
def beta_granted(world: World) -> Iterator[None]:
    """ann, and the key of fund:alpha, with a grant of fund:beta more."""
    with rolled_back():
        key = api_key_authenticate(world.keys["acme-alpha"])
        make_member(world.acme, "ann", Role.ANALYST, scopes=["fund:beta"])
        with open_scope(tenant=world.acme.id, reason="a test"):
            grants_set(api_key=key, scopes=[world.acme.scopes["fund:beta"]], keep=True)
        yield


# --- Originals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"range": "bytes=20-140"},
        {"range": "bytes=-160"},
        {"if-none-match": "*"},
    ],
    ids=["whole", "range", "suffix", "etag"],
)
def test_an_original_is_not_handed_out_by_a_hidden_id(world: World, headers: dict[str, str]) -> None:
    client, hidden = bearing(world.keys["acme-alpha"]), world.document(*BETA)
    found = held(
        lambda: sent(client.get(f"/api/v1/documents/{hidden}/content/", headers=headers)),
        loot=SECRET,
        without=lambda: beta_granted(world),
    )
    assert canary(*BETA) not in found
    assert re.match(r"status=40[46];", found)


@pytest.mark.parametrize("method", ["get", "head"])
def test_an_original_s_name_size_and_digest_are_not_in_a_header(world: World, method: str) -> None:
    client, hidden = bearing(world.keys["acme-alpha"]), world.document(*BETA)
    found = held(lambda: sent(getattr(client, method)(f"/api/v1/documents/{hidden}/content/")), loot=canary(*BETA))
    assert "Disposition" not in found
    assert "Repr-Digest" not in found


def test_an_original_is_not_handed_out_by_the_admin(world: World) -> None:
    ann, hidden = signed_in("ann"), world.document(*BETA)
    held(
        lambda: sent(ann.get(reverse("admin:corpus_document_original", args=[hidden]))),
        loot=SECRET,
        without=lambda: beta_granted(world),
    )


def test_the_bytes_of_an_original_are_behind_the_wall_themselves(world: World) -> None:
    """Should its document be found in another way."""

    def attack() -> list[bytes]:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return [bytes(each) for each in SourceFile.objects.values_list("content", flat=True)]

    held(attack, loot=SECRET)


@pytest.mark.slow
def test_no_other_form_of_an_original_s_address_leads_to_it(world: World) -> None:
    hidden, own = world.document(*BETA), world.document("acme", "fund:alpha")
    name = f"run-{canary(*BETA)}.md"
    addresses = (
        f"/api/v1/documents/{hidden}/content/",
        f"/api/v1/documents/{str(hidden).upper()}/content/",
        f"/api/v1/documents/{hidden.hex}/content/",
        f"/api/v1/documents/{hidden}/content",
        f"/api/v1/documents/{hidden}/content/?download=1",
        f"/api/v1/documents/{hidden}/content/{name}",
        f"/api/v1/documents/{hidden}/original/",
        f"/api/v1/documents/{hidden}.md",
        f"/api/v1/documents/{own}/../{hidden}/content/",
        f"/api/v1/documents/{own}/%2e%2e/{hidden}/content/",
        f"//api/v1/documents/{hidden}/content/",
        f"/api/v1/../v1/documents/{hidden}/content/",
        f"/media/{name}",
        f"/media/{hidden}",
        f"/static/{name}",
        f"/files/{hidden}",
        f"/{name}",
        f"/admin/corpus/document/{hidden}/original/",
        f"/admin/corpus/document/{hidden}/original/?_popup=1",
        f"/admin/corpus/document/{own}/../{hidden}/original/",
        f"/admin/corpus/sourcefile/{hidden}/change/",
    )
    client, ann = bearing(world.keys["acme-alpha"]), signed_in("ann")

    def attack() -> str:
        return "\n".join(sent(each.get(address)) for address in addresses for each in (client, ann))

    found = held(attack, loot=SECRET, without=lambda: beta_granted(world))
    assert "status=500" not in found


# --- Roots ----------------------------------------------------------------------------------------------------------


def test_nothing_of_the_corpus_lies_where_files_are_served_from(world: World) -> None:
    served = [
        Path(storage.path(name))
        for finder in finders.get_finders()
        for name, storage in finder.list(ignore_patterns=[])
    ]

    def holding(word: bytes) -> list[Path]:
        return [path for path in served if word in path.read_bytes()]

    # The search finds a word of our own stylesheet, and no word of any document.
    assert holding(b"gb-button")
    assert holding(b"kestrel") == []
    assert isinstance(default_storage, InMemoryStorage)
    assert not settings.MEDIA_ROOT


@pytest.mark.parametrize(
    "address",
    [
        "/static/../manage.py",
        "/static/%2e%2e/manage.py",
        "/static/..%2fmanage.py",
        "/static/glassbox/../../manage.py",
        "/static/glassbox/%2e%2e/%2e%2e/manage.py",
        "/static/./../manage.py",
        "/static//../manage.py",
        "/media/../manage.py",
        "/static/%00../manage.py",
        "/static/../.glassbox/secrets.json",
        "/static/..\\manage.py",
    ],
)
def test_the_static_root_leads_to_no_file_outside_of_it(world: World, address: str) -> None:
    assert sent(Client().get("/static/glassbox/glassbox.css")).startswith("status=200;")
    found = sent(Client(raise_request_exception=False).get(address))
    # A server that joined the two paths would send it.
    assert "DJANGO_SETTINGS_MODULE" in (settings.BASE_DIR / "static" / "../manage.py").read_text()
    assert "DJANGO_SETTINGS_MODULE" not in found
    assert re.match(r"status=40[04];", found)


# --- Uploads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filename", "evil"),
    [
        ("../../../etc/cron.d/note.md", "../"),
        ("/etc/passwd", "/etc"),
        ("..\\..\\windows\\note.md", "..\\"),
        ("C:\\secrets\\note.md", "C:\\"),
        ("....//....//note.md", "..//"),
        ("note.md\r\nSet-Cookie: sessionid=x", "\r\n"),
        ("no\nte.md", "\n"),
        ("no\x1b[2Jte.md", "\x1b"),
    ],
)
def test_an_upload_s_name_is_a_name_and_no_way(world: World, filename: str, evil: str) -> None:
    def attack() -> str:
        return ingest(world.acme, b"A note.", filename=filename).document.filename

    held(attack, loot=evil, without=lambda: _rolled_back_with(patch.object(ingest_service, "clean_filename", str)))


@pytest.mark.parametrize(
    "filename", ["no\x00te.md", "..", ".", "/", "\u202egpj.md", "e\u0301" * 200 + ".md", "~root/.md", "a" * 300]
)
def test_an_upload_s_odd_name_is_stored_harmlessly_or_refused(world: World, filename: str) -> None:
    file = SimpleUploadedFile("x.md", b"A note.")
    file._name = filename  # type: ignore[attr-defined]
    with rolled_back():
        client = bearing(world.keys["acme-alpha"])
        response = client.post("/api/v1/documents/", {"file": file, "scope": "fund:alpha", "kind": "run"})
        assert response.status_code in (202, 400)
        if response.status_code == 202:
            stored = response.json()["filename"]
            assert stored not in ("", ".", "..")
            assert not re.search(r"[/\\\x00-\x1f]", stored)
            # The name comes back in a header when the file is downloaded.
            assert sent(client.get(f"{response['Location']}content/")).startswith("status=200;")


@contextmanager
def _rolled_back_with(context: Any) -> Iterator[None]:
    with rolled_back(), context:
        yield


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"scope": "fund:alpha", "kind": "run"}, 202),
        ({"scope": "fund:beta", "kind": "run"}, 400),
        ({"scope": "fund:alpha", "kind": "nothing"}, 400),
        ({"scope": "fund:alpha", "kind": "run", "unknown": "x"}, 400),
    ],
    ids=["taken", "not-granted", "no-kind", "unknown-field"],
)
def test_an_upload_leaves_no_file_behind(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: dict[str, str], status: int
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spooled: list[tuple[str, bool]] = []

    def noted(self: Any, data: Any = None, **more: Any) -> None:
        spooled.extend((path.name, bool(stat.S_IMODE(path.stat().st_mode) & 0o077)) for path in tmp_path.iterdir())
        plain(self, data=data, **more)

    plain = UploadSerializer.__init__
    with rolled_back(), patch.object(UploadSerializer, "__init__", noted):
        file = SimpleUploadedFile("long.md", OF_FIVE_MEGABYTES)
        response = bearing(world.keys["acme-alpha"]).post("/api/v1/documents/", {"file": file, **form})
    assert response.status_code == status
    # While it was being taken in it was there, for the server's own account alone.
    assert [readable for _, readable in spooled] == [False]
    assert list(tmp_path.iterdir()) == []


def test_an_upload_that_breaks_off_leaves_no_file_behind(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.md"\r\n\r\n' + OF_FIVE_MEGABYTES
    with rolled_back():
        response = bearing(world.keys["acme-alpha"]).post(
            "/api/v1/documents/", body, content_type="multipart/form-data; boundary=b"
        )
    assert response.status_code == 400
    assert list(tmp_path.iterdir()) == []


# --- The database server's own files --------------------------------------------------------------------------------

# A statement, and what a superuser would have to give for it.
READING = "GRANT pg_read_server_files TO {role}"
WRITING = "GRANT pg_write_server_files TO {role}"
RUNNING = "GRANT pg_execute_server_program TO {role}"
SERVER_FILES = (
    ("COPY (SELECT 1) TO '/dev/null'", WRITING),
    ("COPY corpus_page TO '/dev/null'", f"{WRITING}; ALTER TABLE corpus_page DISABLE ROW LEVEL SECURITY"),
    ("COPY tenants_grant FROM '/dev/null'", f"{READING}; ALTER TABLE tenants_grant DISABLE ROW LEVEL SECURITY"),
    ("COPY (SELECT 1) TO PROGRAM 'cat > /dev/null'", RUNNING),
    ("COPY tenants_grant FROM PROGRAM 'true'", f"{RUNNING}; ALTER TABLE tenants_grant DISABLE ROW LEVEL SECURITY"),
    ("SELECT pg_read_file('PG_VERSION')", "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {role}"),
    ("SELECT pg_read_binary_file('PG_VERSION')", "GRANT EXECUTE ON FUNCTION pg_read_binary_file(text) TO {role}"),
    ("SELECT pg_ls_dir('.')", "GRANT EXECUTE ON FUNCTION pg_ls_dir(text) TO {role}"),
    ("SELECT pg_stat_file('PG_VERSION')", "GRANT EXECUTE ON FUNCTION pg_stat_file(text) TO {role}"),
    ("SELECT pg_ls_waldir()", "GRANT pg_monitor TO {role}"),
    ("SELECT pg_ls_tmpdir()", "GRANT pg_monitor TO {role}"),
    ("SELECT lo_import('/dev/null')", "GRANT EXECUTE ON FUNCTION lo_import(text) TO {role}"),
    (
        "SELECT lo_export(424242, '/dev/null')",
        "SELECT lo_from_bytea(424242, ''); GRANT SELECT ON LARGE OBJECT 424242 TO {role}; "
        "GRANT EXECUTE ON FUNCTION lo_export(oid, text) TO {role}",
    ),
    ("SELECT pg_hba_file_rules()", "GRANT EXECUTE ON FUNCTION pg_hba_file_rules() TO {role}"),
    ("SELECT pg_show_all_file_settings()", "GRANT EXECUTE ON FUNCTION pg_show_all_file_settings() TO {role}"),
    ("SELECT pg_rotate_logfile()", "GRANT EXECUTE ON FUNCTION pg_rotate_logfile() TO {role}"),
    ("SET LOCAL log_statement = 'all'", "GRANT SET ON PARAMETER log_statement TO {role}"),
    ("SET LOCAL log_min_error_statement = 'error'", "GRANT SET ON PARAMETER log_min_error_statement TO {role}"),
    ("SET LOCAL log_min_duration_statement = 0", "GRANT SET ON PARAMETER log_min_duration_statement TO {role}"),
    ("CREATE FUNCTION public.f() RETURNS int LANGUAGE sql AS 'SELECT 1'", "GRANT CREATE ON SCHEMA public TO {role}"),
)


@contextmanager
def _as_superuser(*statements: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection that has run the statements as the superuser, in a transaction that is undone."""
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as superuser:
        for statement in statements:
            superuser.execute(statement)
        yield superuser
        superuser.rollback()


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(("statement", "gift"), SERVER_FILES, ids=[each[0] for each in SERVER_FILES])
def test_no_runtime_role_reaches_the_server_s_files_programs_or_log(
    world: World, role: str, statement: str, gift: str
) -> None:
    with _as_superuser(*gift.format(role=role).split("; "), f"SET LOCAL ROLE {role}") as given:
        given.execute(statement)
    with runtime_connection(role) as attacker, pytest.raises(psycopg.errors.InsufficientPrivilege):
        attacker.execute(statement)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    "statement",
    [
        "CREATE EXTENSION file_fdw",
        "CREATE EXTENSION dblink",
        "LOAD 'auto_explain'",
        "ALTER SYSTEM SET log_statement = 'all'",
        "CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE c AS 'libc', 'abs'",
    ],
)
def test_no_runtime_role_extends_or_configures_the_server(world: World, role: str, statement: str) -> None:
    with _as_superuser() as superuser:
        # Whatever else is in its way: here an open transaction, or an extension that is not installed.
        assert not isinstance(refusal(superuser, statement), psycopg.errors.InsufficientPrivilege)
    with runtime_connection(role) as attacker:
        refused = refusal(attacker, statement)
    # One that is not installed is refused before anybody's rights are looked at.
    assert isinstance(refused, psycopg.errors.InsufficientPrivilege | psycopg.errors.FeatureNotSupported)


def refusal(opened: psycopg.Connection[Any], statement: str) -> psycopg.Error | None:
    try:
        opened.execute(statement)
    except psycopg.Error as error:
        return error
    return None


# --- COPY to the client ---------------------------------------------------------------------------------------------


def copied(statement: str, parameters: tuple[Any, ...] | None = None) -> bytes:
    """What the server streams, on the connection that the application itself uses."""
    connection.ensure_connection()
    with connection.connection.cursor() as cursor, cursor.copy(statement, parameters) as stream:
        return b"".join(bytes(part) for part in stream)


@pytest.mark.parametrize(
    "statement",
    [
        "COPY corpus_document TO STDOUT",
        "COPY corpus_page (text) TO STDOUT (FORMAT csv, HEADER)",
        "COPY corpus_chunk TO STDOUT (FORMAT binary)",
        "COPY corpus_posting (term) TO STDOUT",
        "COPY (SELECT text FROM corpus_page) TO STDOUT",
        "COPY (TABLE corpus_chunk) TO STDOUT (FORMAT text)",
        "COPY (SELECT convert_from(content, 'UTF8') FROM corpus_sourcefile) TO STDOUT",
        "COPY (WITH d AS (SELECT * FROM corpus_document) SELECT d.title FROM d ORDER BY random()) TO STDOUT",
        "COPY (UPDATE corpus_document SET title = title RETURNING title) TO STDOUT",
    ],
)
@pytest.mark.parametrize("place", [BETA, BOLT], ids=["another-scope", "another-tenant"])
def test_copying_to_the_client_streams_visible_rows_alone(world: World, statement: str, place: tuple[str, str]) -> None:
    def attack() -> bytes:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return copied(statement)

    assert canary("acme", "fund:alpha") in held(attack, loot=canary(*place))


def test_copying_from_the_client_into_a_table_behind_the_wall_is_refused(world: World) -> None:
    def attack() -> str:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            connection.ensure_connection()
            with connection.connection.cursor() as cursor:
                with cursor.copy("COPY corpus_page (tenant_id, scope_id) FROM STDIN"):
                    """Not one row: it is the statement that is refused."""
                return str(cursor.statusmessage)

    held(attack, loot="COPY 0")


# --- Logs -----------------------------------------------------------------------------------------------------------

# A log of everything that the server would tell; what it is without our settings.
TALKATIVE = "SET LOCAL log_min_messages = 'warning'"
WITH_STATEMENTS = "SET LOCAL log_min_error_statement = 'error'"
WITH_PARAMETERS = "SET LOCAL log_parameter_max_length_on_error = -1"
WITHOUT_A_WALL = "ALTER TABLE corpus_document DISABLE ROW LEVEL SECURITY"


def word() -> str:
    """One for each attack: other processes write into the same log."""
    return f"kestrel{uuid4().hex}"


def logged(world: World, statement: str, *parameters: Any) -> str:
    """What the database server writes of ann's statement, which fails; it writes before it answers."""

    def failing() -> None:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            sql(statement, *parameters)

    before = POSTGRES_LOG.stat().st_size
    assert "Error" in outcome(failing)
    with POSTGRES_LOG.open("rb") as log:
        log.seek(before)
        return log.read().decode("utf-8", "replace")


# One document more, like those that are there, with these columns in place of theirs.
_DOCUMENT = (
    "INSERT INTO corpus_document (tenant_id, scope_id, kind, title, slug, document_type, source_type, company, ticker, "
    "language, jurisdictions, external_id, series_id, version, status, error_code, error_detail, warnings, filename, "
    "media_type, byte_size, content_sha256, page_count, chunk_count, term_count, created_at) "
    "SELECT tenant_id, scope_id, kind, {title}, {slug}, document_type, source_type, company, ticker, language, "
    "jurisdictions, external_id, uuidv7(), version, 'received', error_code, error_detail, warnings, filename, "
    "media_type, {byte_size}, content_sha256, 0, 0, 0, created_at FROM corpus_document"
)


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "title", "slug": "%s::text", "byte_size": "byte_size"},
        {"title": "%s::text", "slug": "uuidv7()::text", "byte_size": "-1"},
        {"title": "%s::text", "slug": "uuidv7()::text", "byte_size": "NULL::bigint"},
    ],
    ids=["unique", "check", "not-null"],
)
def test_the_server_s_log_quotes_no_row_that_a_constraint_refused(world: World, changes: dict[str, str]) -> None:
    """With row-level security PostgreSQL leaves the row out; without it, it would stand in the log."""
    loot = word()
    held(
        lambda: logged(world, _DOCUMENT.format(**changes), loot),
        loot=loot,
        without=lambda: changed(TALKATIVE, WITHOUT_A_WALL),
    )


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT %s::text::uuid",
        "SELECT (title || %s)::int FROM corpus_document",
        "DO $$ BEGIN RAISE EXCEPTION '{word}'; END $$",
    ],
    ids=["bad-cast", "bad-cast-of-a-row", "raised"],
)
def test_the_server_s_log_quotes_no_value_that_an_error_speaks_of(world: World, statement: str) -> None:
    loot = word()
    parameters = [loot] if "%s" in statement else []
    held(
        lambda: logged(world, statement.format(word=loot), *parameters),
        loot=loot,
        without=lambda: changed(TALKATIVE),
    )


@pytest.mark.parametrize(
    ("statement", "settings_of_a_debugger"),
    [
        ("SELECT 1 / 0, '{word}'", [WITH_STATEMENTS]),
        ("SELECT 1 / 0 /* {word} */", [WITH_STATEMENTS]),
        ("SELECT 1 / 0 WHERE %s::text <> ''", [WITH_STATEMENTS, WITH_PARAMETERS]),
    ],
    ids=["literal", "comment", "parameter"],
)
def test_the_server_s_log_holds_no_statement_and_no_parameter(
    world: World, statement: str, settings_of_a_debugger: list[str]
) -> None:
    """A question, a token and a document's text are parameters; a statement that fails keeps them to itself."""
    loot = word()
    parameters = [loot] if "%s" in statement else []
    held(
        lambda: logged(world, statement.format(word=loot), *parameters),
        loot=loot,
        without=lambda: changed(TALKATIVE, *settings_of_a_debugger),
    )


def test_our_own_log_of_a_failed_request_quotes_no_row(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """A traceback ends with what the database said; with row-level security that is the constraint's name alone."""
    with open_scope(tenant=world.acme.id, reason="a test"):
        taken = Document.objects.get(id=world.document("acme", "fund:alpha")).slug

    def attack() -> str:
        caplog.clear()
        client = bearing(world.keys["acme-alpha"])
        file = SimpleUploadedFile("note.md", b"A note.")
        with patch.object(ingest_service, "_free_slug", return_value=taken):
            response = client.post("/api/v1/documents/", {"file": file, "scope": "fund:alpha", "kind": "run"})
        assert response.status_code == 500
        return f"{caplog.text} {sent(response)}"

    assert "document_slug_once" in held(attack, loot=taken)
