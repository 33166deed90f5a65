"""The inventory of a request about a person: what is found, decided and removed, from beginning to end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.conf import LazySettings

from apps.audit.models import DataKey, Event
from apps.audit.selectors import readings_of
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState
from apps.erasure.contracts import Target, TargetType
from apps.erasure.models import RemovalRun, RemovalTarget, Restriction
from apps.erasure.registry import kept
from apps.erasure.runs.runs import RejectionReason
from apps.erasure.runs.staying import Reason
from apps.intents.models import PolicyVersion
from apps.privacy.codes.inventory import Decision, InventoryState, Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Delivery, LetterKind
from apps.privacy.inventory.asking import inventory_request
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide, hits_decide_at_once
from apps.privacy.inventory.excerpts import Excerpts
from apps.privacy.inventory.redacting import redactions_make
from apps.privacy.inventory.restricting import lift_now, restrict_now
from apps.privacy.inventory.runner import inventory_run
from apps.privacy.inventory.selectors import hits_of, standing
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit
from apps.privacy.proposals.prospect import prospect
from apps.privacy.requests.details import details_of, letter_text, words_of
from apps.privacy.requests.services.forgetting import request_forget
from apps.privacy.requests.services.letters import letter_settle, letter_write
from apps.privacy.requests.services.receiving import request_describe
from apps.quality.models import EvaluationQuery
from apps.quality.services.evaluation import evaluation_query_remove
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.ids import TenantId
from apps.tenants.roles import Role
from apps.tenants.selectors.tenants import all_tenants
from tests.audit.inventorying import (
    LETTER,
    NAME,
    PERSON,
    WORDS,
    Found,
    asked_about,
    assessed,
    confirm_all,
    erased,
    found_in,
    group_of,
    groups,
    inventoried,
    redacted_by_worker,
    stored,
)
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile, run
from tests.deciding import inventory_propose, redactions_prepare, request_approve, request_send_back, withdraw
from tests.factories import as_, make_member
from tests.isolation.harness import changed, sql
from tests.model_server import ModelServer
from tests.raising import raises_code
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def found(office: Office) -> Found:
    return baked(found_in, on=office)


def treat(office: Office, request: ErasureRequest, document: Document, treatment: Treatment) -> None:
    with as_(office.dora):
        document_treat(request.id, document.id, treatment, seen=None)


def restricted(office: Office) -> set[object]:
    with open_scope(tenant=office.firm.id, reason="a test"):
        return set(Restriction.objects.values_list("document_id", flat=True))


# --- What is found ---


def test_every_place_is_found_and_none_of_them_holds_a_word(office: Office, found: Found) -> None:
    asked_about(office, found.letter)
    request = assessed(office)
    made = inventoried(office, request)
    documents = {each.target.id for each in groups(office, request) if each.target and each.is_document}
    assert documents == {found.letter.id, found.note.id}
    assert [each.store for each in groups(office, request) if each.is_event] == ["audit.payloads"]
    assert (made.state, made.unreadable) == (InventoryState.DONE, 0)
    assert sum(sum(each) for each in made.counts.values()) == sum(len(each.hits) for each in groups(office, request))
    with changed("SELECT 1"):
        sql("RESET ROLE")
        found_rows = sql("SELECT h::text FROM audit_inventoryhit h UNION ALL SELECT i::text FROM audit_inventory i")
    rows = " ".join(row[0] for row in found_rows).lower()
    assert str(made.id) in rows
    assert not any(word in rows for word in WORDS)


def test_an_excerpt_is_read_when_somebody_looks(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    group = group_of(office, request, found.note)
    with as_(office.dora):
        shown = [Excerpts().of(hit) for hit in group.hits if hit.page == 1]
    assert shown[0] is not None
    assert (shown[0].found, shown[0].before.endswith("Called ")) == (NAME, True)


@pytest.mark.slow
def test_searching_again_keeps_what_was_decided_and_finds_what_is_new(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    before = {hit.id for each in groups(office, request) for hit in each.hits}
    stored(office, b"# Later\n\nFalkenhayn, Johann came by.\n", title="Later notes")
    inventoried(office, request)
    with as_(office.dora):
        there = list(hits_of(request))
        assert {hit.id for hit in there if hit.decision == Decision.CONFIRMED} == before
        assert {hit.decision for hit in there if hit.id not in before} == {Decision.OPEN}


@pytest.mark.slow
def test_a_changed_description_has_to_be_searched_for(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    with as_(office.dora):
        request_describe(request.id, details=replace(PERSON, aliases=("Hannes F.",)))
        problems = " ".join(prospect(office.again(request)).problems)
        assert "has changed since the search" in problems
        request_describe(request.id, details=replace(PERSON, notes="Something else was written down."))
        assert "has changed" not in " ".join(prospect(office.again(request)).problems)


def test_what_lies_beyond_ones_scopes_is_counted_and_not_shown(office: Office, found: Found) -> None:
    stored(office, LETTER + b"\nP.S.\n", title="Of beta", scope="fund:beta")
    request = assessed(office)
    inventoried(office, request)
    nora = make_member(office.firm, "nora", Role.DPO, scopes=["fund:beta"])
    with as_(nora):
        there = standing(request)
        seen = list(hits_of(request))
        hidden = InventoryHit.objects.filter(target_id=found.letter.id).count()
    assert len({hit.target_id for hit in seen}) == 1
    assert (there.total - there.beyond, hidden) == (len(seen), 0)
    assert there.beyond_open == there.beyond > 0
    other = group_of(office, request, found.letter).hits[0]
    with as_(nora), raises_code("audit.inventory_hit_not_found"):
        hits_decide(request.id, [Said(hit_id=other.id, seen=Decision.OPEN, reason=Reason.NAMED)])


def test_only_a_request_that_is_assessed_is_searched_for_by_who_manages_privacy(office: Office) -> None:
    request = office.received(details=PERSON)
    with as_(office.dora), raises_code("audit.inventory_state"):
        inventory_request(request.id)
    ready = assessed(office)
    for who in (office.rita, office.ada):
        with as_(who), pytest.raises(PermissionDeniedError):
            inventory_request(ready.id)


def test_a_second_click_begins_no_second_search(office: Office) -> None:
    request = assessed(office)
    with as_(office.dora):
        assert inventory_request(request.id).id == inventory_request(request.id).id


# --- What is decided ---


@pytest.mark.slow
def test_two_people_at_once_do_not_overwrite_each_other(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    hit = group_of(office, request, found.note).hits[0]
    with as_(office.dora):
        hits_decide(
            request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.NAMED, words="Falkenhayn it is")]
        )
    with as_(office.dirk):
        with raises_code("audit.inventory_hit_decided"):
            hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.SOMEBODY_ELSE)])
        kept_as = InventoryHit.objects.get(id=hit.id)
        assert (kept_as.decision, kept_as.decided_by_id) == (Decision.CONFIRMED, office.dora.id)
        assert b"Falkenhayn" not in bytes(kept_as.words)
        assert words_of(office.again(request), bytes(kept_as.words), part=f"hit:{hit.id}") == "Falkenhayn it is"
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.CONFIRMED, reason=None)])
        assert InventoryHit.objects.get(id=hit.id).decision == Decision.OPEN


def test_all_certain_places_of_a_document_are_one_act_that_is_recorded_with_its_number(
    office: Office, found: Found
) -> None:
    request = assessed(office)
    inventoried(office, request)
    group = group_of(office, request, found.letter)
    with as_(office.dora):
        count = hits_decide_at_once(
            request.id, like=group.hits[0].id, certain=True, reason=Reason.NAMED, seen=[hit.id for hit in group.hits]
        )
        event = Event.objects.get(action="audit.inventory.decided")
        core = event.payload["core"]
    assert count == len(group.certain) > 1
    assert (core["places"], core["confirmed"], core["at_once"]) == (count, count, True)
    assert not group_of(office, request, found.note).confirmed


def test_each_certain_place_is_confirmed_as_what_the_page_shows_it_as(office: Office, found: Found) -> None:
    mail = stored(office, f"# Mail\n\n{NAME} wrote from jf@falken.example about fees.\n".encode(), title="Mail")
    request = assessed(office, replace(PERSON, emails=("jf@falken.example",)))
    inventoried(office, request)
    group = group_of(office, request, mail)
    with as_(office.dora):
        seen = [hit.id for hit in group.hits]
        hits_decide_at_once(request.id, like=group.hits[0].id, certain=True, reason=None, seen=seen)
    confirmed = group_of(office, request, mail).confirmed
    assert {(hit.matched, hit.reason) for hit in confirmed} == {("name", "named"), ("email", "identified")}


def test_what_was_not_seen_is_not_decided_with_the_rest(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    group = group_of(office, request, found.letter)
    with as_(office.dora):
        assert (
            hits_decide_at_once(
                request.id, like=group.hits[0].id, certain=True, reason=Reason.NAMED, seen=[group.certain[0].id]
            )
            == 1
        )
    assert len(group_of(office, request, found.letter).open) == len(group.hits) - 1


def test_a_treatment_is_not_overwritten_and_an_old_version_is_only_removed(office: Office, found: Found) -> None:
    from tests.corpus.ingesting import ingest, run

    second = ingest(office.firm, LETTER + b"\nP.S.\n", title="Letters", replaces=found.letter.id)
    run(office.firm, second.job)
    request = assessed(office)
    inventoried(office, request)
    with as_(office.dora):
        with raises_code("audit.inventory_not_redactable"):
            document_treat(request.id, found.letter.id, Treatment.REDACT, seen=None)
        document_treat(request.id, second.document.id, Treatment.REMOVE, seen=None)
    with as_(office.dirk):
        with raises_code("audit.inventory_treatment_changed"):
            document_treat(request.id, second.document.id, Treatment.REDACT, seen=None)
        document_treat(request.id, second.document.id, Treatment.REDACT, seen=Treatment.REMOVE)
        with raises_code("audit.inventory_hit_not_found"):
            document_treat(request.id, found.other.id, Treatment.REMOVE, seen=None)


# --- What is proposed ---


@pytest.mark.slow
def test_nothing_is_proposed_before_every_place_is_decided_and_every_document_chosen(
    office: Office, found: Found
) -> None:
    request = assessed(office)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="Search for the person first"):
        inventory_propose(request.id)
    inventoried(office, request)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="places are open"):
        inventory_propose(request.id)
    confirm_all(office, request)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="Choose for 2 documents"):
        inventory_propose(request.id)
    treat(office, request, found.letter, Treatment.REDACT)
    treat(office, request, found.note, Treatment.REMOVE)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="must be made first"):
        inventory_propose(request.id)


def test_where_nothing_is_confirmed_there_is_nothing_to_propose(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request, reason=Reason.SOMEBODY_ELSE)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="nothing to erase"):
        inventory_propose(request.id)


@pytest.mark.slow
def test_what_no_removal_reaches_is_named_with_its_ground(office: Office, found: Found) -> None:
    with as_(make_member(office.firm, "carl", Role.COMPLIANCE_OFFICER)):
        series = found.letter.series_id
        EvaluationQuery.objects.create(
            tenant_id=office.firm.id,
            scope_id=found.letter.scope_id,
            text=f"What did {NAME} agree to?",
            series_id=series,
            created_by="carl",
        )
        assert PolicyVersion.objects.exists()
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    for document in (found.letter, found.note):
        treat(office, request, document, Treatment.REMOVE)
    with as_(office.dora):
        assert prospect(request).staying == ()
        with raises_code(
            "audit.inventory_not_proposable", match="1 confirmed place is where no removal reaches"
        ) as told:
            inventory_propose(request.id)
        assert "Change it by hand and search again" in told.value.detail
        assert "Evaluation questions" in told.value.detail
    # Either a person removes it, and it is not found any more ...
    with open_scope(tenant=office.firm.id, reason="a test"):
        (question,) = EvaluationQuery.objects.all()
        evaluation_query_remove(question.id)
    inventoried(office, request)
    with as_(office.dora):
        assert prospect(request).problems == ()


@pytest.mark.slow
def test_what_must_stay_by_law_is_said_with_its_ground_everywhere(office: Office, found: Found) -> None:
    """... or it is said that it must stay: in the proposal, on the run, in the letter; nothing is passed over."""
    with open_scope(tenant=office.firm.id, reason="a test"):
        EvaluationQuery.objects.create(
            tenant_id=office.firm.id,
            scope_id=found.letter.scope_id,
            text=f"What did {NAME} agree to?",
            series_id=found.letter.series_id,
            created_by="carl",
        )
    request = assessed(office)
    inventoried(office, request)
    (row,) = [group for group in groups(office, request) if group.target is None]
    said = [
        Said(hit_id=hit.id, seen=Decision.OPEN, reason=Reason.LEGAL_DUTY, words="It is evidence.") for hit in row.hits
    ]
    with as_(office.dora):
        hits_decide(request.id, said)
    confirm_all(office, request)
    for document in (found.letter, found.note):
        treat(office, request, document, Treatment.REMOVE)
    with as_(office.dora):
        (staying,) = prospect(request).staying
        assert (staying.places, staying.ground) == (1, Reason.LEGAL_DUTY.label)
        proposed = inventory_propose(request.id)
    expected = [{"ground": "17_3_b", "store": "retrieval.evaluation_questions", "places": 1}]
    with as_(office.rita):
        assert RemovalRun.objects.get(id=proposed.run_id).staying == expected
        page = Visitor("rita").open("removal_run", proposed.run_id).text
        assert "1 place: The person; it must stay by law (Article 17(3)(b))" in page
        request_approve(request.id)
    assert erased(office, request) == RequestState.COMPLETED
    with as_(office.dora):
        letter = letter_text(letter_write(request.id, LetterKind.DONE, delivery=Delivery.POST))
    assert letter is not None
    assert "1 place in which you are mentioned stays, because the law requires it" in letter.body


# --- What is left in a redacted version ---


@pytest.mark.slow
def test_a_mention_that_a_redaction_left_is_found_and_named_before_anything_is_proposed(
    office: Office, found: Found
) -> None:
    request = assessed(office)
    inventoried(office, request)
    letter = group_of(office, request, found.letter)
    overlooked = max((hit for hit in letter.hits if hit.page), key=lambda hit: hit.char_start)
    with as_(office.dora):
        hits_decide(
            request.id, [Said(hit_id=overlooked.id, seen=Decision.OPEN, reason=Reason.SOMEBODY_ELSE, words="A cousin")]
        )
    confirm_all(office, request)
    treat(office, request, found.letter, Treatment.REDACT)
    treat(office, request, found.note, Treatment.REMOVE)
    with as_(office.dora):
        redactions_prepare(request.id)
        waiting = Inventory.objects.get(request=request, state=InventoryState.WAITING)
    # It is searched again by itself, and not before there is what is to be searched.
    assert inventory_run(tenant_id=office.firm.id, inventory_id=waiting.id) is None
    redactions_make(tenant_id=office.firm.id, request_id=request.id)
    with open_scope(tenant=office.firm.id, reason="a test"):
        (job,) = IngestJob.objects.filter(state=JobState.PENDING)
    run(office.firm, job)
    with (
        as_(office.dora),
        raises_code("audit.inventory_not_proposable", match="1 redacted version was made since the last search"),
    ):
        inventory_propose(request.id)
    assert inventory_run(tenant_id=office.firm.id, inventory_id=waiting.id) is InventoryState.DONE
    with open_scope(tenant=office.firm.id, reason="a test"):
        redacted = Document.objects.get(id=job.document_id)
    left = group_of(office, request, redacted)
    assert [hit.decision for hit in left.hits] == [Decision.CLEARED]
    # It was no cousin: whoever looks again opens it again.
    with as_(office.dora):
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.CLEARED, reason=None) for hit in left.hits])
        with raises_code("audit.inventory_not_proposable", match="open"):
            inventory_propose(request.id)

    confirm_all(office, request)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="Choose for 1 document"):
        inventory_propose(request.id)
    treat(office, request, redacted, Treatment.REDACT)
    with as_(office.dora):
        assert redactions_prepare(request.id) == 1
    redacted_by_worker(office, request)
    with as_(office.dora):
        inventory_propose(request.id)
    with as_(office.rita):
        request_approve(request.id)
    assert erased(office, request) == RequestState.COMPLETED
    with open_scope(tenant=office.firm.id, reason="a test"):
        (stays,) = Document.objects.filter(series_id=redacted.series_id)
        assert stays.version == 3
        # The second version was redacted, and is gone as well.
        assert RemovalRun.objects.get().redacted == [{"document": str(stays.id), "version": 3, "older": 2}]
    assert naming(WORDS) == {}


# --- The whole way ---


@pytest.mark.slow
def test_a_person_in_the_middle_of_one_document_and_the_subject_of_another(office: Office, found: Found) -> None:
    event_id = asked_about(office, found.letter)
    assert {"corpus_page", "corpus_chunk", "corpus_posting", "corpus_sourcefile", "log"} <= naming(WORDS).keys()
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    treat(office, request, found.letter, Treatment.REDACT)
    treat(office, request, found.note, Treatment.REMOVE)
    with as_(office.dora):
        assert redactions_prepare(request.id) == 1
        assert redactions_prepare(request.id) == 0
    assert restricted(office) == {found.letter.id}
    with as_(office.dora), raises_code("audit.inventory_redaction_asked"):
        document_treat(request.id, found.letter.id, Treatment.REMOVE, seen=Treatment.REDACT)
    with as_(office.dora), raises_code("audit.inventory_not_proposable", match="still being made"):
        inventory_propose(request.id)
    redacted_by_worker(office, request)
    with as_(office.dora):
        proposed = inventory_propose(request.id)
        targets = {(row.type, row.item_id) for row in RemovalTarget.objects.filter(run_id=proposed.run_id)}
    assert proposed.state == RequestState.AWAITING_APPROVAL
    assert {("document", found.letter.id), ("document", found.note.id), ("event_group", event_id)} <= targets
    assert restricted(office) == {found.letter.id, found.note.id}
    with as_(office.rita):
        request_approve(request.id)
    assert erased(office, request) == RequestState.COMPLETED
    assert restricted(office) == set()
    forgotten(office, request)
    with open_scope(tenant=office.firm.id, reason="a test"):
        left = {document.title: document.status for document in Document.objects.all()}
    assert left == {"Letters": DocumentStatus.READY, "Other notes": DocumentStatus.READY}
    assert naming(WORDS) == {}


@pytest.mark.slow
def test_a_person_in_three_documents_that_go(office: Office) -> None:
    three = [stored(office, LETTER + f"\n{name}.\n".encode(), title=name) for name in ("One", "Two", "Three")]
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    for document in three:
        treat(office, request, document, Treatment.REMOVE)
    with as_(office.dora):
        inventory_propose(request.id)
    with as_(office.rita):
        request_approve(request.id)
    assert erased(office, request) == RequestState.COMPLETED
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert Document.objects.count() == 0
    assert naming(WORDS) == {}


def forgotten(office: Office, request: ErasureRequest) -> None:
    """The last letter goes out, and with it the key."""
    with as_(office.dora):
        letter = letter_write(request.id, LetterKind.DONE, delivery=Delivery.POST)
        assert details_of(request) is not None
        body = letter_text(letter)
        assert body is not None
        assert "1 document was removed. 1 document was replaced by a version without the passages" in body.body
        letter_settle(request.id, letter.id)
    with as_(office.dora):
        assert details_of(request) is None
        assert letter_text(letter) is None
        assert DataKey.objects.filter(subject_id=request.id).count() == 0
        with raises_code("audit.request_step"):
            request_forget(request.id)


def naming(words: tuple[str, ...]) -> dict[str, int]:
    """How many rows of each table name the person, in clear: as text, and as the bytes of files. Sealed parts are
    opened with the keys that are there."""
    counted: dict[str, int] = {}
    hexed = [word.encode().hex() for word in (*words, *(word.capitalize() for word in words))]
    with changed("SELECT 1"):
        sql("RESET ROLE")
        tables = sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
        for (table,) in tables:
            rows = [row.lower() for (row,) in sql(f'SELECT t::text FROM "{table}" t')]
            if count := sum(any(word in row for word in (*words, *hexed)) for row in rows):
                counted[table] = count
    for tenant in all_tenants():
        with open_scope(tenant=TenantId(tenant.id), reason="a test"):
            events = list(Event.objects.all())
            opened = [str(reading.payload).lower() for reading in readings_of(events).values()]
            count = sum(any(word in text for word in words) for text in opened)
            if count:
                counted["log"] = count
    return counted


# --- Out of use ---


@pytest.mark.slow
def test_restricted_now_and_in_use_again(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    with as_(office.dora):
        assert restrict_now(request.id) == 2
    with as_(make_member(office.firm, "anna", Role.ANALYST)):
        assert {each.title for each in Document.objects.all()} == {"Other notes"}
    with as_(office.dora):
        lift_now(request.id)
    assert restricted(office) == set()


@pytest.mark.slow
@pytest.mark.parametrize("before", [False, True])
def test_sent_back_it_is_in_use_again_unless_it_was_restricted_before(
    office: Office, found: Found, before: bool
) -> None:
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    for document in (found.letter, found.note):
        treat(office, request, document, Treatment.REMOVE)
    with as_(office.dora):
        if before:
            restrict_now(request.id)
        inventory_propose(request.id)
    both = {found.letter.id, found.note.id}
    assert restricted(office) == both
    with as_(office.rita):
        request_send_back(request.id, reason=RejectionReason.WRONG_TARGETS)
    assert restricted(office) == (both if before else set())
    with as_(office.dora):
        assert inventory_propose(request.id).state == RequestState.AWAITING_APPROVAL
        withdraw(request.id, words="They called.")
    assert restricted(office) == set()


@pytest.mark.slow
def test_an_open_request_keeps_a_purge_off_and_its_end_lets_it_go_on(office: Office, found: Found) -> None:
    target = Target(type=TargetType.DOCUMENT, id=found.note.id)
    request = assessed(office)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert kept([target]) == {}
    inventoried(office, request)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert kept([target]) == {target: f"request:{request.id}"}
    confirm_all(office, request, reason=Reason.SOMEBODY_ELSE)
    with open_scope(tenant=office.firm.id, reason="a test"):
        assert kept([target]) == {}
