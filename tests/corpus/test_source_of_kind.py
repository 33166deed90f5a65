"""The source of a document whose upload does not say it is that of its kind, by every way that a document comes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Document
from apps.corpus.registry import kinds_in_force
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.manifest import plan
from apps.corpus.services.ingest.metadata import metadata_from_row
from apps.corpus.services.move import document_move
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.corpus.ingesting import document, ingest, run, short_profile
from tests.corpus.test_refile import given
from tests.factories import Firm, as_, make_key, make_member
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

NEWS = b"# Alpha grounds its fleet\n\nNine aircraft stay on the ground.\n"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def acme(acme: Firm, server: ModelServer, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Firm:
    """Past runs come from research, and methodologies from authorities; schedules are left as they are."""
    settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(server)}
    official, research = {"source_category": SourceType.OFFICIAL}, {"source_category": SourceType.RESEARCH}
    given(acme, monkeypatch, run=research, methodology=official)
    return acme


def read(firm: Firm, content: bytes = NEWS, **said: object) -> Document:
    filename = str(said.pop("filename", "alpha-news-2025-01.md"))
    made = ingest(firm, content, filename=filename, **said)  # type: ignore[arg-type]
    run(firm, made.job)
    return document(firm, made.document.id)


def test_it_is_that_of_the_kind_whatever_type_the_file_is_of(acme: Firm) -> None:
    assert read(acme).source_type == SourceType.RESEARCH
    found = read(acme, kind="schedule")
    assert (found.document_type, found.source_type) == (DocumentType.NEWS_ARTICLE, SourceType.NEWS)


def test_what_an_upload_says_comes_first(acme: Firm) -> None:
    assert read(acme, source_type=SourceType.POLICY).source_type == SourceType.POLICY
    said = metadata_from_row({"source_type": "news"}, filename="x.md")
    assert (said.source_type, metadata_from_row({}, filename="x.md").source_type) == (SourceType.NEWS, None)


def test_a_type_that_an_upload_gives_says_nothing_of_the_source(acme: Firm) -> None:
    made = read(acme, document_type=DocumentType.FORM_10K)
    assert (made.document_type, made.source_type) == (DocumentType.FORM_10K, SourceType.RESEARCH)
    assert read(acme, kind="schedule", document_type=DocumentType.FORM_10K).source_type == SourceType.OFFICIAL


def test_by_the_api(acme: Firm) -> None:
    answer = Api(make_key(acme)[1]).upload(NEWS, kind="methodology")
    assert answer.status_code == 202
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.get().source_type == SourceType.OFFICIAL


def test_by_the_page(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST)
    page = Visitor("alice").open("corpus_document_add")
    assert "By its kind, or else by the document type" in page.text


def test_by_a_manifest(acme: Firm, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_bytes(NEWS)
    (tmp_path / "two.md").write_bytes(b"# Two\n\nAnother text.\n")
    lines = [{"file": "one.md"}, {"file": "two.md", "source_type": "news"}]
    (tmp_path / "documents.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with open_scope(tenant=acme.id, reason="a test"):
        known = kinds_in_force()
    rows = plan(paths=(), manifest=tmp_path / "documents.jsonl", defaults={}, default_kind="run", kinds=known)
    for row in rows:
        assert row.path is not None
        about = {name: getattr(row.metadata, name) for name in ("title", "source_type")}
        ingest(acme, row.path.read_bytes(), filename=row.path.name, kind=row.kind, **about)
    with open_scope(tenant=acme.id, reason="a test"):
        found = dict(Document.objects.values_list("filename", "source_type"))
    assert found == {"one.md": SourceType.RESEARCH, "two.md": SourceType.NEWS}


def test_filed_as_another_kind_it_follows_the_kind(acme: Firm) -> None:
    there = read(acme)
    with as_(make_member(acme, "alice", Role.ANALYST)):
        made = document_correct(document_id=there.id, changes={}, kind="methodology")
    assert (made.version, made.source_type) == (2, SourceType.OFFICIAL)


def test_before_it_is_read_as_well(acme: Firm) -> None:
    there = ingest(acme, NEWS).document
    with as_(make_member(acme, "alice", Role.ANALYST)):
        document_correct(document_id=there.id, changes={}, kind="methodology")
    assert document(acme, there.id).source_type == SourceType.OFFICIAL


def test_what_was_said_or_corrected_stays(acme: Firm) -> None:
    said = read(acme, source_type=SourceType.POLICY)
    other = read(acme, b"# Other words\n\nOf another text.\n", filename="other.md")
    with as_(make_member(acme, "alice", Role.ANALYST)):
        assert document_correct(document_id=said.id, changes={}, kind="methodology").source_type == SourceType.POLICY
        corrected = document_correct(document_id=other.id, changes={"source_type": "news"}, kind="methodology")
        assert corrected.source_type == SourceType.NEWS


def test_a_move_takes_it_along(acme: Firm) -> None:
    there = read(acme, scope="fund:alpha")
    with as_(make_member(acme, "tessa", Role.TENANT_ADMIN)):
        made = document_move(
            document_id=there.id, scope_id=ScopeId(acme.scopes["fund:beta"].id), words="It belongs there."
        ).made
    assert made.source_type == SourceType.RESEARCH
