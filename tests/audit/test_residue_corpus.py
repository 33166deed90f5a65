"""A document of a firm, in the application's own tables: found everywhere before it is removed, and nowhere after."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.core.cache import cache

from apps.corpus.models import SourceFile
from apps.corpus.terms import terms
from apps.erasure.residue.access import Access, access_from_settings
from apps.erasure.residue.control import control
from apps.erasure.residue.distinctive import NOT_DISTINCTIVE, distinctive
from apps.erasure.residue.encodings import Encoding
from apps.erasure.residue.needles import Needles, make_needles
from apps.erasure.residue.physical import physical_phase
from apps.erasure.residue.places import every_place
from apps.erasure.residue.scanning import scan
from apps.erasure.residue.wal_turnover import turn_over_wal
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from tests.corpus.ingesting import REPORT, chunks, ingest, pages, remote_profile, run, vectors
from tests.factories import Firm, make_firm
from tests.model_server import ModelServer
from tests.own import OWN

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

MAIL = f"zoe@{OWN}.example"
# Every longer word is its own, or one that the report has too.
LETTER = (
    f"# Zoë Brzęczyszczykiewicz{OWN}-Øst\n\n"
    + f"Mrs. Brzęczyszczykiewicz{OWN}-Øst ({MAIL}, no. {OWN}-0815-2024) says {OWN} no to quarterly {OWN} fees. " * 40
).encode()
# In the order in which foreign keys let them go.
_TABLES = (
    "corpus_embedding1536",
    "corpus_posting",
    "corpus_chunk",
    "corpus_page",
    "corpus_sourcefile",
    "corpus_ingestjob",
)


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {
            **settings.GLASSBOX_EMBEDDING_PROFILES,
            "remote": remote_profile(running),
        }
        made = make_firm()
        with open_scope(tenant=made.id, reason="a test"):
            Tenant.objects.filter(id=made.id).update(embedding_profile="remote")
        yield made


@pytest.fixture
def access(settings: LazySettings) -> Access:
    """The server and Redis are shared with other workers of the suite: only what is ours is looked through."""
    return access_from_settings(redis_match=f"*{settings.TEST_DATABASE}*", whole_server=False)


def stored(firm: Firm, content: bytes) -> UUID:
    result = ingest(firm, content)
    run(firm, result.job)
    document_id: UUID = result.document.id
    return document_id


def needles_of(firm: Firm, document_id: UUID) -> Needles:
    texts = [chunk.text for chunk in chunks(firm, document_id)] + [page.text for page in pages(firm, document_id)]
    with open_scope(tenant=firm.id, reason="a test"):
        content = bytes(SourceFile.objects.get(document_id=document_id).content)
    return make_needles(
        texts=[*texts, MAIL],
        ids=[chunk.id for chunk in chunks(firm, document_id)],
        vectors=[list(row.vector) for row in vectors(firm, document_id)],
        contents=[content],
        terms_of=lambda text: terms(text, "en"),
    )


def remove(access: Access, document_id: UUID) -> None:
    with access.connect() as connection:
        # What keeps a held document asks which tenant is open, and an administrator has none open.
        connection.execute("SET session_replication_role = replica")
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table} WHERE document_id = %s", [document_id])
        connection.execute("DELETE FROM corpus_document WHERE id = %s", [document_id])


def test_a_document_is_found_while_it_is_there_and_nowhere_afterwards(firm: Firm, access: Access) -> None:
    # The suite's server keeps gigabytes of WAL, of which only what follows concerns this test.
    assert turn_over_wal(access) == ""
    stays, goes = stored(firm, REPORT), stored(firm, LETTER)
    cache.set("preview", LETTER.decode(), 60)
    needles = distinctive(needles_of(firm, goes), access, gone=[goes])
    assert needles.left_out[NOT_DISTINCTIVE] > 0  # "quarterly": the other document has it too

    before = control(needles, every_place(access))
    assert before.proves, before.as_json()
    assert set(before.scan.by_group()) >= {"heap", "index (btree)", "WAL", "Redis", "dump"}
    assert set(before.scan.by_encoding()) >= {
        Encoding.UTF8,
        Encoding.TERM,
        Encoding.UUID_BYTES,
        Encoding.FLOAT16,
        Encoding.BYTES,
        Encoding.HEX,
        Encoding.VECTOR_TEXT,
    }
    assert before.scan.tables() >= {"corpus_chunk", "corpus_page", "corpus_posting", "corpus_embedding1536"}

    remove(access, goes)
    cache.delete("preview")
    left = scan(needles, every_place(access))
    assert set(left.by_group()) >= {"heap", "index (btree)", "WAL"}
    assert not {"Redis", "dump"} & set(left.by_group())

    result = physical_phase(left.tables(), access=access)
    assert result.complete, result.as_json()
    after = scan(needles, every_place(access))
    assert after.clean, after.as_json()
    others = make_needles(texts=[chunk.text for chunk in chunks(firm, stays)])
    assert scan(others, every_place(access)).found == others.looked_for()


def test_constants_for_the_planner_survive_the_phase(firm: Firm, access: Access) -> None:
    remove(access, stored(firm, LETTER))
    statement = "SELECT attname, n_distinct FROM pg_stats WHERE tablename = 'corpus_chunk' ORDER BY 1"
    with access.connect() as connection:
        constants = connection.execute(statement).fetchall()
    assert constants
    assert physical_phase(["corpus_chunk"], access=access).complete
    with access.connect() as connection:
        assert connection.execute(statement).fetchall() == constants
