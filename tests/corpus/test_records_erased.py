"""An erasure reaches records: a person is found in their texts, in names and ids, and what was erased stays away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings

from apps.corpus.extraction.record_file import RecordFile, RecordType, write_record
from apps.corpus.reader import hidden_contained
from apps.corpus.services.ingest.errors import ErasedDocumentError
from apps.corpus.services.records.upsert import Outcome
from apps.erasure.contracts import Origin
from apps.erasure.tombstones import chain
from apps.privacy.people.contracts import PersonDescription, PersonName
from apps.privacy.people.search import person_search
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import remote_profile, run
from tests.corpus.test_ingest_erased import erased
from tests.corpus.test_records import upsert
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)
DOE = PersonDescription(names=(PersonName(full="John Doe"),))


@pytest.fixture
def firm(settings: LazySettings, tmp_path: Path) -> Iterator[Firm]:
    settings.GLASSBOX_TOMBSTONES_URL = str(tmp_path / "tombstones")
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm()
    chain._known.clear()


def test_a_person_is_found_in_a_value_and_in_the_name_of_a_field(firm: Firm) -> None:
    bodies = {
        "in-a-value": {"findings": [{"note": "Approved by John Doe."}]},
        "in-a-name": {"approvals": {"John Doe": True}},
        "not-at-all": {"findings": [{"note": "Approved."}]},
    }
    made = {name: upsert(firm, body, external_id=name) for name, body in bodies.items()}
    for each in made.values():
        run(firm, each.job)
    with as_(make_member(firm, "dana", Role.DPO)):
        found = {hits.target.id for hits in person_search(person=DOE) if hits.target}
    assert found == {made[name].document.id for name in ("in-a-value", "in-a-name")}


def test_what_no_page_shows_of_a_record_is_searched_value_by_value() -> None:
    record = RecordFile(
        type=RecordType.SCHEDULE,
        source="flows",
        external_id="r-7",
        about={"title": "Runs", "company": "Doe and Sons"},
        body={"owner": "Jane Roe", "at": 'a "quoted" line\nand another'},
    )
    read = hidden_contained(write_record(record), filename="r-7.record.json")
    hidden = "\n".join(each.text for each in read.texts)
    assert "Doe and Sons" in hidden
    # What its page shows is not told again.
    assert "Jane Roe" not in hidden
    assert "another" not in hidden


def test_an_erased_record_does_not_come_back_by_its_content_or_its_id(firm: Firm) -> None:
    erased(firm, upsert(firm, {"note": "John Doe"}).document)
    for body in ({"note": "John Doe"}, {"note": "Somebody else"}):
        with pytest.raises(ErasedDocumentError):
            upsert(firm, body)
    assert upsert(firm, {"note": "Somebody else"}, external_id="r-8").outcome is Outcome.CREATED


def test_what_was_removed_for_another_reason_starts_anew(firm: Firm) -> None:
    erased(firm, upsert(firm).document, origin=Origin.REMOVAL)
    again = upsert(firm)
    assert (again.outcome, again.document.version) == (Outcome.CREATED, 1)
    with open_scope(tenant=firm.id, reason="a test"):
        assert again.document.external_id == "flows/r-7"
