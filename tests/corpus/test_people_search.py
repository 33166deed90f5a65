"""The search for a person over everything that a tenant holds: what is searched, who may, and what is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings

from apps.audit.models import Event
from apps.audit.services import record
from apps.corpus.redaction.errors import NobodyDescribedError
from apps.corpus.services.documents import document_delete
from apps.erasure.contracts import TargetType
from apps.erasure.registry import register_searched, searched, searched_of
from apps.erasure.searched.rows import RowTexts
from apps.intents.models import PolicyVersion
from apps.privacy.people.contracts import PersonDescription, PersonName
from apps.privacy.people.search import ItemHits, excerpt_of, person_search
from apps.quality.models import EvaluationQuery
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.models import User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.forging import add_group, bare_event, sealed_for
from tests.corpus.ingesting import ingest, remote_profile, run
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

DOE = PersonDescription(names=(PersonName(full="John Doe"),), emails=("j.d@example.com",))
LETTER = b"# Letters\n\nOn Monday John Doe wrote to us.\n\n# Replies to John Doe\n\nNobody has answered him yet.\n"
OTHER = b"# Letters\n\nOn Monday Jane Roe wrote to us about the fees of the fund.\n"


@pytest.fixture
def firm(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm()


@pytest.fixture
def dpo(firm: Firm) -> Principal:
    return make_member(firm, "dana", Role.DPO)


def hits(principal: Principal, person: PersonDescription = DOE, **options: Any) -> list[ItemHits]:
    with as_(principal):
        return list(person_search(person=person, **options))


def stores(found: ItemHits) -> set[str]:
    return {mention.place.store for mention in found.mentions}


@pytest.mark.django_db(transaction=True)
def test_a_document_is_one_hit_with_its_fields_headers_and_pages(firm: Firm, dpo: Principal) -> None:
    made = ingest(firm, LETTER, filename="doe_john.md", title="Letters of John Doe")
    ingest(firm, OTHER, filename="other.md", scope="fund:beta")
    run(firm, made.job)
    (found,) = [each for each in hits(dpo) if each.target and each.target.type is TargetType.DOCUMENT]
    assert (found.target.id, found.is_certain) == (made.document.id, True)  # type: ignore[union-attr]
    assert stores(found) == {"corpus.documents", "corpus.chunks", "corpus.pages"}
    assert {mention.place.part for mention in found.mentions} == {"title", "filename", "slug", "header", ""}
    assert {mention.place.page for mention in found.mentions if mention.place.store == "corpus.pages"} == {1}


def test_an_excerpt_is_read_again_for_whoever_looks(firm: Firm, dpo: Principal) -> None:
    ingest(firm, LETTER, title="What John Doe wrote")
    with as_(dpo):
        (found,) = person_search(person=DOE)
        excerpt = excerpt_of(found.mentions[0])
        assert excerpt is not None
        assert (excerpt.before, excerpt.found, excerpt.after) == ("What ", "John Doe", " wrote")


def test_there_is_no_excerpt_of_what_is_gone(firm: Firm, dpo: Principal) -> None:
    made = ingest(firm, LETTER, title="What John Doe wrote")
    (found,) = hits(dpo)
    with open_scope(tenant=firm.id, reason="a test"):
        document_delete(document_id=made.document.id)
    with as_(dpo):
        assert excerpt_of(found.mentions[0]) is None


def test_the_log_is_searched_group_by_group(firm: Firm, dpo: Principal) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        event = record(
            action="retrieval.question.answered", core={"intent": "facts"}, question={"text": "What does John Doe own?"}
        )
    (found,) = hits(dpo)
    assert found.target is not None
    assert (found.target.type, found.target.id, found.target.part) == (TargetType.EVENT_GROUP, event.id, "question")
    with as_(dpo):
        excerpt = excerpt_of(found.mentions[0])
    assert excerpt is not None
    assert excerpt.found == "John Doe"


def test_a_damaged_group_is_counted_and_not_passed_over_in_silence(firm: Firm, dpo: Principal) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        event = bare_event({"question": "00" * 32})
        add_group(event, "question", sealed_for(event, "question", {"text": "What does John Doe own?"}).ciphertext)
    with as_(dpo):
        search = person_search(person=DOE)
        assert list(search) == []
        assert search.unreadable == 1


def test_an_account_is_found_by_its_names_and_address(firm: Firm, dpo: Principal) -> None:
    User(username="jdx", first_name="John", last_name="Doe", email="j.d@example.com").save()
    member = make_member(firm, "jdx", Role.ANALYST)
    found = [each for each in hits(dpo) if each.store == "tenants.users"]
    assert [(each.target.type, each.target.id) for each in found if each.target] == [(TargetType.USER, member.id)]
    assert {mention.matched for mention in found[0].mentions} == {"name", "email"}


def test_what_people_wrote_into_policies_and_evaluations_is_searched(firm: Firm, dpo: Principal) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        version = PolicyVersion.objects.get()
        question = EvaluationQuery.objects.create(
            tenant_id=firm.id,
            scope_id=firm.root.id,
            text="What does J. Doe earn?",
            series_id=version.id,
            created_by="someone",
        )
    (found,) = hits(dpo)
    assert (found.store, found.item_id, found.target) == ("retrieval.evaluation_questions", question.id, None)


def test_the_least_likely_can_be_left_out(firm: Firm, dpo: Principal) -> None:
    ingest(firm, OTHER, title="Minutes of P. Doe")
    assert len(hits(dpo)) == 1
    assert hits(dpo, minimum_confidence=0.2) == []


def test_only_the_open_scope_is_searched_and_what_it_lacks_is_counted(firm: Firm) -> None:
    ingest(firm, LETTER, title="What John Doe wrote", scope="fund:beta")
    narrow = make_member(firm, "nora", Role.DPO, scopes=["fund:alpha"])
    with as_(narrow):
        search = person_search(person=DOE)
        assert list(search) == []
        assert search.missing_scopes == 2


def test_who_may_not_manage_privacy_may_not_search(firm: Firm) -> None:
    with as_(make_member(firm, "alice", Role.ANALYST)), pytest.raises(PermissionDeniedError):
        person_search(person=DOE)


def test_nobody_is_not_searched_for(firm: Firm, dpo: Principal) -> None:
    with as_(dpo), pytest.raises(NobodyDescribedError):
        person_search(person=PersonDescription())


def test_the_search_is_recorded_without_the_person(firm: Firm, dpo: Principal) -> None:
    hits(dpo)
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="corpus.person.searched")
        assert event.actor_id == dpo.id
        assert event.payload["core"]["names"] == 1
        assert "Doe" not in str(event.payload)


def test_progress_ends_with_everything_done(firm: Firm, dpo: Principal) -> None:
    told: list[tuple[int, int]] = []
    hits(dpo, progress=lambda done, total: told.append((done, total)))
    assert told
    assert told[-1][0] == told[-1][1] > 0


def test_no_two_sources_answer_for_one_store() -> None:
    stores_ = [store for source in searched() for store in source.stores]
    assert len(stores_) == len(set(stores_))
    assert searched_of("corpus.pages") is searched_of("corpus.documents")
    with pytest.raises(ValueError, match="registered twice"):
        register_searched(RowTexts("corpus.pages", "Pages", User, ("email",)))
    with pytest.raises(KeyError):
        searched_of("nobodys")
