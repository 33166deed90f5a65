"""Attacks on the identity of a record: files that claim another one, and ids that look like another one."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.extraction.contracts import MediaType
from apps.corpus.extraction.record_file import RecordFile, RecordType, read_record, write_record
from apps.corpus.models import Document
from apps.corpus.services.ingest.errors import ExternalIdTakenError, InvalidRecordError, RecordNotFoundError
from apps.corpus.services.records.identity import document_id_of, record_document, record_lineage, record_of
from apps.corpus.services.records.upsert import Outcome
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from tests.corpus.ingesting import ingest, run
from tests.corpus.test_records import BODY, upsert
from tests.factories import Firm, make_firm

FILE = RecordFile(
    type=RecordType.DATA_PROFILE, source="ratings", external_id="aaa", about={"title": "Rating"}, body={"rating": "AAA"}
)
CLAIMS = (
    "",
    "aaa",
    "ratings/aab",
    "ratings/AAA",
    "RATINGS/aaa",
    "ratings//aaa",
    "ratings/aaa ",
    "ratings\uff0faaa",
    "x/aaa",
)


@pytest.fixture
def firm(settings: LazySettings) -> Firm:
    return make_firm("acme")


def uploaded(firm: Firm, external_id: str, **more: str) -> Document:
    result = ingest(firm, write_record(FILE), filename="aaa.record.json", external_id=external_id, **more)
    run(firm, result.job)
    with open_scope(tenant=firm.id, reason="a test"):
        found: Document = Document.objects.get(id=result.document.id)
        assert found.media_type == MediaType.RECORD
        return found


@pytest.mark.django_db
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_file_that_states_another_id_than_its_document_is_no_record(firm: Firm, claim: str) -> None:
    """The file itself can be read: without the comparison, it would be cited as what "ratings" calls "aaa"."""
    assert read_record(write_record(FILE), filename="aaa.record.json") == FILE
    document = uploaded(firm, claim)
    with open_scope(tenant=firm.id, reason="a test"):
        assert record_of(document) is None
        assert record_lineage(document) is None
        with pytest.raises(RecordNotFoundError):
            record_document(ScopeId(firm.scopes["fund:alpha"].id), "ratings", "aaa")
    made = upsert(firm, BODY, source="ratings", external_id="aaa")
    assert (made.outcome, made.document.id != document.id) == (Outcome.CREATED, True)


@pytest.mark.django_db
def test_a_file_is_the_record_of_its_own_scope_alone(firm: Firm) -> None:
    document = uploaded(firm, "ratings/aaa", scope="fund:beta")
    with open_scope(tenant=firm.id, reason="a test"):
        assert record_of(document) == FILE
        with pytest.raises(RecordNotFoundError):
            record_document(ScopeId(firm.scopes["fund:alpha"].id), "ratings", "aaa")


@pytest.mark.django_db
def test_a_document_that_has_taken_the_id_of_a_record_is_not_made_one(firm: Firm) -> None:
    taking = ingest(firm, external_id="flows/r-7")
    run(firm, taking.job)
    with pytest.raises(ExternalIdTakenError):
        upsert(firm)


@pytest.mark.parametrize(
    "source", ["", ".", "..", "a/b", "a%2fb", "A", "\u0430", "a\n", "a ", "-a", "a\u200b", "a" * 64]
)
def test_a_source_that_could_be_taken_for_another_has_no_form(source: str) -> None:
    with pytest.raises(InvalidRecordError):
        document_id_of(source, "r-7")


@pytest.mark.parametrize(
    "external_id",
    ["", ".", "..", "../x", "a/b", "a%2Fb", "a\\b", "\u0430", "a\n", "a b", "a\u200b", "a?b", "a#b", "a" * 128],
)
def test_an_external_id_that_could_be_taken_for_another_has_no_form(external_id: str) -> None:
    with pytest.raises(InvalidRecordError):
        document_id_of("flows", external_id)


_any = st.text(st.sampled_from("aA0./-_%:@+~ \n\u00e4\u0430"), max_size=5)


@settings(max_examples=400, deadline=None)
@given(st.tuples(_any, _any), st.tuples(_any, _any))
def test_two_records_never_share_a_document(one: tuple[str, str], other: tuple[str, str]) -> None:
    try:
        ids = [document_id_of(*each) for each in (one, other)]
    except InvalidRecordError:
        return
    assert (ids[0] == ids[1]) is (one == other)
