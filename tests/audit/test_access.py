"""Requests for access: what is quoted, what the package holds and does not hold, and how it ends."""

from __future__ import annotations

import html as html_module
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.db import DatabaseError, transaction

from apps.audit.models import DataKey, Event
from apps.audit.selectors import readings_of
from apps.erasure.contracts import Target, TargetType
from apps.erasure.registry import kept
from apps.erasure.runs.staying import Reason
from apps.privacy.access_packages.errors import PackageNotFoundError
from apps.privacy.access_packages.everywhere import HIDDEN
from apps.privacy.access_packages.expiring import expire_all
from apps.privacy.access_packages.packages import package_of, package_take_out
from apps.privacy.access_packages.quoting import Chosen, quotes_decide, quotes_decide_at_once
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.codes.inventory import Decision, Quoting, Treatment
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import (
    Delivery,
    Extension,
    Ground,
    Language,
    LetterKind,
    Purpose,
    Refusal,
    SubjectType,
)
from apps.privacy.inventory.deciding import Said, document_treat, hits_decide
from apps.privacy.inventory.restricting import restrict_now
from apps.privacy.models import AccessPackage, ErasureRequest, InventoryHit
from apps.privacy.requests.details import details_of, letter_text
from apps.privacy.requests.selectors import erasure_requests, history
from apps.privacy.requests.services.forgetting import request_forget
from apps.privacy.requests.services.letters import letter_settle
from apps.privacy.requests.services.receiving import request_describe
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Role
from tests.audit.accessing import aged, asked, confirmed, made, prepared, quote_all, taken_out, things
from tests.audit.inventorying import (
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
    inventoried,
    stored,
)
from tests.audit.requesting import Office, make_office
from tests.baked import baked
from tests.corpus.ingesting import remote_profile
from tests.deciding import (
    access_answer,
    assess,
    extend,
    inventory_propose,
    package_make,
    package_take_back,
    refuse,
    request_approve,
    withdraw,
)
from tests.factories import as_, make_member
from tests.isolation.harness import changed, sql
from tests.model_server import ModelServer
from tests.own import OWN
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)
S = RequestState


@pytest.fixture
def office(settings: LazySettings) -> Iterator[Office]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield baked(make_office)


@pytest.fixture
def found(office: Office) -> Found:
    return baked(found_in, on=office)


def there(office: Office, request: ErasureRequest) -> tuple[int, int]:
    """How many packages and keys of packages and of the request there are."""
    with open_scope(tenant=office.firm.id, reason="a test"):
        packages = list(AccessPackage.objects.filter(request=request))
        subjects = [request.id, *(package.id for package in packages)]
        return len(packages), DataKey.objects.filter(subject_id__in=subjects).count()


def actions(office: Office, request: ErasureRequest) -> list[str]:
    with as_(office.dora):
        return [event.action for event in history(request)]


# --- Its life ---


def test_it_has_the_months_and_the_numbers_of_the_others_and_is_told_apart(office: Office) -> None:
    erasure, access = office.received(), office.received(purpose=Purpose.ACCESS)
    assert (erasure.reference[:2], access.reference[:2]) == ("ER", "AR")
    assert (access.number, access.first_due_on) == (erasure.number + 1, erasure.first_due_on)
    with as_(office.dora):
        assert list(erasure_requests(purpose=Purpose.ACCESS)) == [access]
        assert list(erasure_requests(reference=access.reference)) == [access]
        assert list(erasure_requests()) == [access, erasure] or list(erasure_requests()) == [erasure, access]
    assert actions(office, access) == ["audit.access.received"]


@pytest.mark.parametrize("about", [each for each in SubjectType if each is not SubjectType.DATA_SUBJECT])
def test_it_is_about_people_in_documents_alone(office: Office, about: SubjectType) -> None:
    with raises_code("audit.access_subject"):
        office.received(about=about, purpose=Purpose.ACCESS)


def test_nothing_of_an_erasure_can_be_done_by_it(office: Office, found: Found) -> None:
    request = confirmed(office)
    with as_(office.dora):
        for act in (
            lambda: assess(request.id, ground=Ground.OBJECTION),
            lambda: document_treat(request.id, found.letter.id, Treatment.REMOVE, seen=None),
            lambda: restrict_now(request.id),
            lambda: inventory_propose(request.id),
        ):
            with raises_code("audit.request_is_for_access"):
                act()
    hit = group_of(office, request, found.letter).hits[0]
    with as_(office.dora), raises_code("audit.request_is_for_access"):
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.CONFIRMED, reason=Reason.LEGAL_DUTY)])


def test_no_package_is_made_for_an_erasure(office: Office, found: Found) -> None:
    request = assessed(office)
    inventoried(office, request)
    confirm_all(office, request)
    with as_(office.dora), raises_code("audit.request_is_for_erasure"):
        package_make(request.id, told=told_by_rules(request.language))


def test_it_is_refused_on_the_grounds_of_article_12_alone(office: Office) -> None:
    request = asked(office)
    with as_(office.dora):
        with raises_code("audit.request_refusal_ground"):
            refuse(request.id, code=Refusal.LEGAL_CLAIMS, words="No.")
        refuse(request.id, code=Refusal.EXCESSIVE, words="The twelfth time this month.")
        text = letter_text(request.letters.select_related("request").get())
    assert text is not None
    assert "request for access" in text.body
    assert "erasure" not in text.body


@pytest.mark.parametrize("language", Language)
def test_no_letter_of_it_speaks_of_erasing(office: Office, found: Found, language: Language) -> None:
    request = office.received(purpose=Purpose.ACCESS, details=PERSON, language=language)
    with as_(office.dora):
        extend(request.id, code=Extension.COMPLEX, words="Many places.")
        body = letter_text(request.letters.select_related("request").get()).body  # type: ignore[union-attr]
    assert ("Antrag auf Auskunft" if language is Language.GERMAN else "request for access") in body
    assert "Löschung" not in body
    assert "erasure" not in body


# --- What is quoted ---


def test_nothing_is_quoted_that_nobody_looked_at(office: Office, found: Found) -> None:
    request = confirmed(office)
    with raises_code("audit.access_not_preparable") as refused:
        made(office, request)
    assert "nobody has decided whether the words around" in refused.value.detail
    assert there(office, request)[0] == 0


def test_words_about_others_are_hidden_in_every_quote_of_the_document(office: Office) -> None:
    text = f"# Call\n\nJane Roe and {NAME} called. {NAME} asked, and JANE\nROE took notes.\n"
    stored(office, text.encode(), title="A call")
    request = confirmed(office)
    (thing,) = [each for each in things(office, request) if each.group.is_document]
    with as_(office.dora):
        first, *rest = [each.hit.id for each in thing.quotes]
        quotes_decide(request.id, [Chosen(hit_id=first, seen="", quoting=Quoting.QUOTED, hidden=("jane roe",))])
        quotes_decide_at_once(request.id, rest)
    made(office, request)
    package, page = taken_out(office, request)
    words = str(package) + page
    assert "jane" not in words.lower().replace("\n", " ")
    assert HIDDEN in words
    assert NAME in words


def test_a_word_to_hide_that_does_not_stand_there_is_refused_and_not_passed_over(office: Office, found: Found) -> None:
    request = confirmed(office)
    thing = things(office, request)[0]
    with as_(office.dora), raises_code("audit.access_hidden_words") as refused:
        quotes_decide_at_once(request.id, thing.quotable, hidden=("Janet Row",))
    assert "Row" not in refused.value.detail
    assert not any(quote.hit.quoting for quote in things(office, request)[0].quotes)


def test_whoever_is_late_changes_nothing_and_deciding_anew_about_a_place_forgets_its_quote(
    office: Office, found: Found
) -> None:
    request = confirmed(office)
    quote_all(office, request)
    hit = things(office, request)[0].quotes[0].hit
    with as_(office.dora):
        with raises_code("audit.access_quoting_changed"):
            quotes_decide(request.id, [Chosen(hit_id=hit.id, seen="", quoting=Quoting.LEFT_OUT)])
        hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.CONFIRMED, reason=None)])
        with raises_code("audit.inventory_hit_not_found"):
            quotes_decide(request.id, [Chosen(hit_id=hit.id, seen="quoted", quoting=Quoting.LEFT_OUT)])
        assert InventoryHit.objects.get(id=hit.id).quoting == ""


# --- What the package holds ---


def test_it_holds_every_confirmed_place_with_what_article_15_wants(office: Office, found: Found) -> None:
    asked_about(office, found.letter)
    request = prepared(office)
    package, page = taken_out(office, request)
    by_key = {each["key"]: each for each in package["categories"]}
    assert {each["name"] for each in by_key["documents"]["entries"]} == {"Letters", f"Notes on calls {OWN}"}
    assert len(by_key["events"]["entries"]) == 1
    places = [place for each in package["categories"] for entry in each["entries"] for place in entry["places"]]
    with as_(office.dora):
        total = InventoryHit.objects.filter(request=request, decision=Decision.CONFIRMED).count()
        kept_package = package_of(request)
    assert kept_package is not None
    assert (len(places), kept_package.places, package["about"]["places"]) == (total, total, total)
    assert all(place["quote"]["you"].lower() == NAME.lower() for place in places if place["page"])
    assert any("about the fees of" in " ".join(p["quote"]["after"].split()) for p in places)
    for each in by_key.values():
        assert all(each[name] for name in ("purpose", "legal_basis", "source", "retention"))
    assert [name[:3] for name in package["article_15"]][:8] == [f"({letter})" for letter in "abcdefgh"]
    assert {"who", "which", "gets", "region", "leaves_region"} == set(package["recipients"][0])
    assert package["kinds_of_events"][0]["what"]
    assert package["complete"] is True
    said = html_module.unescape(page)
    assert all(word in said for word in (NAME, "Letters", "Notes on calls", "Article 77", "Who gets to see it"))


def test_it_holds_nothing_of_what_was_cleared_or_left_out(office: Office, found: Found) -> None:
    request = asked(office)
    inventoried(office, request)
    note = [hit.id for hit in group_of(office, request, found.note).hits]
    with as_(office.dora):
        cleared = {"seen": Decision.OPEN, "reason": Reason.SOMEBODY_ELSE, "words": "Another"}
        hits_decide(request.id, [Said(hit_id=id, **cleared) for id in note])
    confirm_all(office, request)
    letter = [quote.hit for thing in things(office, request) for quote in thing.quotes]
    with as_(office.dora):
        quotes_decide(request.id, [Chosen(hit_id=hit.id, seen="", quoting=Quoting.LEFT_OUT) for hit in letter])
    made(office, request)
    package, page = taken_out(office, request)
    words = str(package) + page
    assert "Letters" in words
    assert "(Article 15(4))" in words
    secrets = ("Notes on calls", "about his account", "fees of the Alpha Fund", "Other notes", "Jane Roe", "Another")
    for secret in secrets:
        assert secret not in words


def test_where_nothing_is_held_it_says_so(office: Office) -> None:
    request = asked(office)
    inventoried(office, request)
    confirm_all(office, request)
    made(office, request)
    package, page = taken_out(office, request)
    assert package["about"]["places"] == 0
    assert "Nothing is held about you" in page
    with as_(office.dora):
        access_answer(request.id, delivery=Delivery.POST)
        text = letter_text(request.letters.select_related("request").get(kind=LetterKind.DONE))
    assert text is not None
    assert "hold nothing about you except this request" in text.body


def test_who_does_not_hold_every_scope_makes_no_package_and_takes_none_out(office: Office, found: Found) -> None:
    stored(office, f"# Beta\n\n{NAME} again, who is secret.\n".encode(), title="Beta notes", scope="fund:beta")
    nora = make_member(office.firm, "nora", Role.DPO, scopes=["fund:alpha"])
    request = confirmed(office)
    quote_all(office, request)
    assert {thing.name for thing in things(office, request, nora)} == {"Letters", f"Notes on calls {OWN}"}
    with raises_code("audit.access_not_preparable") as refused:
        made(office, request, nora)
    assert "scopes that you don't hold" in refused.value.detail
    made(office, request)
    with as_(nora):
        assert package_of(request) is None
        with pytest.raises(PackageNotFoundError):
            package_take_out(request.id)
    assert "Beta notes" in str(taken_out(office, request)[0])


@pytest.mark.parametrize("name", ["rita", "ada"])
def test_it_is_for_who_manages_privacy_alone(office: Office, found: Found, name: str) -> None:
    request = prepared(office)
    with as_(getattr(office, name)):
        assert package_of(request) is None
        with pytest.raises(PermissionDeniedError):
            package_take_out(request.id)


# --- Where it lies ---


@pytest.mark.slow
def test_no_row_and_no_event_holds_a_word_of_it(office: Office, found: Found) -> None:
    request = prepared(office)
    taken_out(office, request)
    with as_(office.dora):
        access_answer(request.id, delivery=Delivery.POST)
    with changed("SELECT 1"):
        sql("RESET ROLE")
        rows = sql(
            "SELECT p::text FROM audit_accesspackage p UNION ALL SELECT h::text FROM audit_inventoryhit h "
            "UNION ALL SELECT r::text FROM audit_erasurerequest r UNION ALL SELECT l::text FROM audit_letter l"
        )
    with as_(office.dora):
        events = list(Event.objects.filter(subject_id=request.id))
        readings = readings_of(events)
        cores = str([readings[event.id].payload["core"] for event in events])
    text = (" ".join(row[0] for row in rows) + cores).lower()
    assert str(request.id) in text
    assert not any(word in text for word in (*WORDS, "alpha fund"))
    assert {"audit.access.prepared", "audit.access.downloaded", "audit.access.completed"} <= set(
        actions(office, request)
    )


def test_what_it_is_made_of_does_not_change_while_it_is_there(office: Office, found: Found) -> None:
    request = prepared(office)
    hit = things(office, request)[0].quotes[0].hit
    with as_(office.dora):
        with raises_code("audit.inventory_state"):
            hits_decide(request.id, [Said(hit_id=hit.id, seen=Decision.CONFIRMED, reason=None)])
        with raises_code("audit.inventory_state"):
            quotes_decide(request.id, [Chosen(hit_id=hit.id, seen="quoted", quoting=None)])
        with raises_code("audit.request_step"):
            request_describe(request.id, details=PERSON)
        with pytest.raises(DatabaseError), transaction.atomic():
            InventoryHit.objects.filter(id=hit.id).update(quoting="left_out")


def test_taken_back_it_is_destroyed_and_can_be_made_anew(office: Office, found: Found) -> None:
    request = prepared(office)
    assert there(office, request) == (1, 2)
    with as_(office.dora):
        assert package_take_back(request.id).state == S.ASSESSING
    assert there(office, request) == (0, 1)
    made(office, request)
    assert there(office, request) == (1, 2)


def test_it_is_answered_with_a_letter_and_lets_purges_go_on(office: Office, found: Found) -> None:
    request = prepared(office)
    target = Target(type=TargetType.DOCUMENT, id=found.letter.id)
    with as_(office.dora):
        assert target in kept([target])
        access_answer(request.id, delivery=Delivery.POST)
        assert target not in kept([target])
        text = letter_text(request.letters.select_related("request").get(kind=LetterKind.DONE))
        with raises_code("audit.request_step"):
            access_answer(request.id)
    assert office.again(request).state == S.COMPLETED
    assert text is not None
    assert "request for access" in text.body
    assert "erased" not in text.body
    assert "The package that you receive with this letter" in text.body
    taken_out(office, request)


def test_it_is_not_answered_without_a_package_that_is_there(office: Office, found: Found) -> None:
    request = prepared(office)
    aged(request)
    with as_(office.dora):
        with pytest.raises(PackageNotFoundError):
            access_answer(request.id)
        with pytest.raises(PackageNotFoundError):
            package_take_out(request.id)
        assert package_take_back(request.id).state == S.ASSESSING


@pytest.mark.slow
def test_after_thirty_days_package_and_details_are_destroyed(office: Office, found: Found) -> None:
    request = prepared(office)
    with as_(office.dora):
        access_answer(request.id, delivery=Delivery.POST)
        letter_settle(request.id, request.letters.get().id)
    assert expire_all() == 0
    assert there(office, request) == (1, 2)
    aged(request)
    assert expire_all() == 2
    assert there(office, request) == (0, 0)
    with as_(office.dora):
        assert details_of(office.again(request)) is None
    assert actions(office, request)[-2:] == ["audit.access.expired", "audit.access.forgotten"]
    assert expire_all() == 0


def test_a_letter_that_is_not_sent_keeps_its_words_and_not_the_package(office: Office, found: Found) -> None:
    request = prepared(office)
    with as_(office.dora):
        access_answer(request.id, delivery=Delivery.POST)
    aged(request)
    assert expire_all() == 1
    assert there(office, request) == (0, 1)


@pytest.mark.parametrize("end", ["withdraw", "refuse"])
def test_with_the_end_of_its_request_it_goes_at_once(office: Office, found: Found, end: str) -> None:
    request = prepared(office)
    with as_(office.dora):
        if end == "withdraw":
            withdraw(request.id, words="They called.")
        else:
            refuse(request.id, code=Refusal.UNIDENTIFIED, words="It is somebody else.", delivery=Delivery.POST)
    assert there(office, request) == (0, 1)


def test_what_was_known_can_be_destroyed_earlier_and_the_package_goes_with_it(office: Office, found: Found) -> None:
    request = prepared(office)
    with as_(office.dora):
        access_answer(request.id, delivery=Delivery.POST)
        with raises_code("audit.request_step"):
            request_forget(request.id)
        letter_settle(request.id, request.letters.get().id)
        request_forget(request.id)
    assert there(office, request) == (0, 0)


@pytest.mark.slow
def test_an_erasure_of_the_person_takes_packages_and_what_was_known_along(office: Office, found: Found) -> None:
    answered, waiting = prepared(office), prepared(office)
    with as_(office.dora):
        access_answer(answered.id, delivery=Delivery.POST)
        letter_settle(answered.id, answered.letters.get().id)
    erasure = assessed(office)
    inventoried(office, erasure)
    confirm_all(office, erasure)
    with as_(office.dora):
        for document in (found.letter, found.note):
            document_treat(erasure.id, document.id, Treatment.REMOVE, seen=None)
        inventory_propose(erasure.id)
    with as_(office.rita):
        request_approve(erasure.id)
    assert erased(office, erasure) == "completed"
    assert there(office, answered) == (0, 0)
    # It is open: whoever asked is owed an answer, and what is known of them stays until then.
    assert there(office, waiting) == (0, 1)
