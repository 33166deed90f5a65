"""A person takes out what is held about them: all of it, and nothing of anybody else."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import takewhile
from typing import Any
from uuid import UUID, uuid4

import pytest
from lxml import html
from pytest_django import DjangoDbBlocker

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.errors import ApplicationError
from apps.intents.models import PolicyVersion, ReviewComment
from apps.privacy.codes.requests import LetterKind, Requester, SubjectType
from apps.privacy.my_data import acts
from apps.privacy.my_data.contracts import Format
from apps.privacy.my_data.events import MY_DATA_CUT_SHORT, MY_DATA_EXPORTED
from apps.privacy.my_data.services import NobodysDataError, my_data_export
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.letters import letter_write
from apps.privacy.requests.services.receiving import request_receive
from apps.quality.models import EvaluationQuery
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Membership, Scope, User
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import user_principal
from apps.tenants.services.members import membership_revoke
from tests.audit.forging import able
from tests.factories import Firm, as_, make_firm, make_key, make_member, make_personal_key
from tests.grounds import for_one_test, shared_ground

pytestmark = pytest.mark.django_db

Json = dict[str, Any]
# Words that stand nowhere else: each is found only where its owner's are.
ALICES, BOBS = "Why did the heron fall in May?", "Why did the osprey rise in June?"
ALICE, BOB = "alice-heron", "bob-osprey"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """alice reaches fund:alpha, bob all; carl administers. bolt is another firm, of which alice is a member, too."""

    firm: Firm
    bolt: Firm
    alice: Principal
    bob: Principal
    carl: Principal


def make_world() -> World:
    firm, bolt = make_firm("acme"), make_firm("bolt")
    carl = make_member(firm, "carl", Role.TENANT_ADMIN)
    alice = make_member(firm, ALICE, Role.ANALYST, scopes=["fund:alpha"])
    bob = make_member(firm, BOB, Role.ANALYST)
    for username, principal, words in ((ALICE, alice, ALICES), (BOB, bob, BOBS)):
        _lives(firm, username, principal, words)
    with as_(make_member(bolt, ALICE, Role.ANALYST)):
        _asks("What of the bolt?", bolt.scope_ids("fund:alpha"))
    return World(firm=firm, bolt=bolt, alice=alice, bob=bob, carl=carl)


@pytest.fixture(scope="module")
def shared_world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    with shared_ground(make_world, blocker=django_db_blocker) as world:
        yield world


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    return for_one_test(shared_world)


def _lives(firm: Firm, username: str, principal: Principal, words: str) -> None:
    """What a person leaves in each table that holds something of people."""
    make_personal_key(firm, username, role=Role.ANALYST, scopes=["fund:alpha"])
    with as_(principal):
        _asks(words, firm.scope_ids("fund:alpha"))
        version = PolicyVersion.objects.get()
        with open_scope(tenant=firm.id, principal=able(principal)):
            ReviewComment.objects.create(
                tenant_id=firm.id,
                version=version,
                author_id=principal.id,
                author_label=username,
                text=f"{username} says so",
            )
        with open_scope(tenant=firm.id, reason="a test"):
            query = EvaluationQuery.objects.create(
                tenant_id=firm.id,
                scope_id=firm.scopes["fund:alpha"].id,
                text=f"What does {username} want?",
                series_id=uuid4(),
                created_by=username,
            )
        with open_scope(tenant=firm.id, principal=able(principal)):
            record(
                action="retrieval.evaluation.added",
                core={"series_id": str(query.series_id), "pages": []},
                subject_type="evaluation_query",
                subject_id=query.id,
                scopes=firm.scope_ids("fund:alpha"),
            )


def _asks(words: str, scopes: list[ScopeId]) -> Event:
    return record(
        action="retrieval.question.answered",
        core={"intent": "risk", "policy_version": 1, "filters": ["company:sure"]},
        question={"text": words, "hmac_sha256": "ab" * 32, "length_chars": len(words)},
        answer={"refusal": "", "grounding": "grounded", "ref_ids": ["Letter to Mrs Starling, p. 3"]},
        passages={"hits": [{"document_id": str(uuid4()), "ref_id": "Letter to Mrs Starling, p. 3"}]},
        scopes=scopes,
    )


def taken(principal: Principal, format: Format = Format.JSON) -> bytes:
    with as_(principal):
        parts = my_data_export(format)
    return b"".join(parts)


def document(principal: Principal) -> Json:
    found: Json = json.loads(taken(principal))
    assert found["complete"] is True
    return found


def entries(found: Json, key: str) -> list[Json]:
    return next(list(each["entries"]) for each in found["categories"] if each["key"] == key)


def told(firm: Firm, action: str) -> list[Event]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Event.objects.filter(action=action))


def test_it_holds_the_account_the_access_and_the_acts(world: World) -> None:
    found = document(world.alice)
    assert entries(found, "account")[0]["email"] == f"{ALICE}@example.com"
    assert [each["role"] for each in entries(found, "memberships")] == ["Analyst"]
    assert {each["invited_by"] for each in entries(found, "memberships")} <= {
        "another person",
        "the platform's operator",
    }
    assert {(each["scope"], each["through"]) for each in entries(found, "grants")} == {
        ("Alpha (fund:alpha)", "your membership"),
        ("Alpha (fund:alpha)", "a key of yours"),
    }
    key = entries(found, "keys")[0]
    assert (key["kind"], key["name"]) == ("acts for you", "script")
    question = next(each for each in entries(found, "events") if each["action"] == "retrieval.question.answered")
    assert question["who"] == "you"
    assert question["your_name_then"] == ALICE
    assert question["question"]["text"] == ALICES
    assert question["answer"]["grounding"] == "grounded"
    assert question["details"]["policy_version"] == 1
    assert [each["text"] for each in entries(found, "policy_comments")] == [f"{ALICE} says so"]
    assert [each["text"] for each in entries(found, "evaluation_questions")] == [f"What does {ALICE} want?"]


def test_secrets_digests_and_names_of_documents_are_in_no_package(world: World) -> None:
    with open_scope(tenant=world.firm.id, reason="a test"):
        digest = ApiKey.objects.get(person_id=world.alice.id).secret_sha256
        password = User.objects.get_by_natural_key(ALICE).password
    for format in (Format.JSON, Format.HTML):
        text = taken(world.alice, format).decode()
        assert not any(each in text for each in (digest, password, "Starling", "abababab"))


@pytest.mark.slow
@pytest.mark.parametrize("format", [Format.JSON, Format.HTML])
def test_nothing_of_another_person_is_in_it(world: World, format: Format) -> None:
    """Neither their name, nor their words, nor an id of theirs, whoever of the two takes it out."""
    assert not others_in(taken(world.alice, format).decode(), world, of=world.bob, word="osprey")
    assert not others_in(taken(world.bob, format).decode(), world, of=world.alice, word="heron")
    # What is looked for is there, in its owner's.
    assert others_in(taken(world.bob, format).decode(), world, of=world.bob, word="osprey")


def others_in(text: str, world: World, *, of: Principal, word: str) -> list[str]:
    with open_scope(tenant=world.firm.id, reason="a test"):
        own = Membership.objects.filter(user_id=of.id).values_list("id", flat=True)
        keys = ApiKey.objects.filter(person_id=of.id).values_list("id", flat=True)
        marks = [word, *(str(each) for each in (of.id, *own, *keys))]
    return [mark for mark in marks if mark in text]


@pytest.mark.slow
def test_who_else_took_part_is_another_person(world: World) -> None:
    with open_scope(tenant=world.firm.id, reason="a test"):
        mine, bobs = (Membership.objects.get(user_id=each.id) for each in (world.alice, world.bob))
    with as_(world.carl):
        membership_revoke(mine)
        membership_revoke(bobs)
        record(
            action="intents.access.asked",
            core={"asked_about": "user", "user_id": str(world.alice.id), "api_key_id": None, "verdict": "refused"},
            subject_type="policy_version",
        )
        record(action="intents.access.asked", core={"asked_about": "user", "user_id": str(world.bob.id)})
    again = make_member(world.firm, ALICE, Role.AUDITOR)
    found = document(again)
    revoked = [each for each in entries(found, "events") if each["action"] == "tenants.membership.revoked"]
    assert [(each["who"], each["about"], each["details"]["user_id"]) for each in revoked] == [
        ("another person", "your role", "you")
    ]
    asked = [each for each in entries(found, "events") if each["action"] == "intents.access.asked"]
    assert [(each["who"], each["details"]["user_id"]) for each in asked] == [("another person", "you")]
    text = json.dumps(found)
    assert "carl" not in text
    assert str(world.carl.id) not in text
    carls = [each for each in entries(document(world.carl), "events") if "asked" in each["action"]]
    assert [(each["who"], each["details"]["user_id"]) for each in carls] == [("you", "another person")] * 2


def test_the_other_tenant_is_not_in_it(world: World) -> None:
    text = taken(world.alice).decode()
    assert "the bolt" not in text
    assert str(world.bolt.id) not in text
    bolts = taken(user_principal(User.objects.get_by_natural_key(ALICE), world.bolt.id)).decode()
    assert "What of the bolt?" in bolts
    assert "heron fall" not in bolts


def test_the_words_of_a_question_stand_there_only_where_they_were_kept(world: World) -> None:
    with as_(world.alice):
        record(
            action="retrieval.question.answered",
            core={"intent": "risk", "recording_mode": "digest"},
            question={"hmac_sha256": "cd" * 32, "length_chars": 31},
            scopes=world.firm.scope_ids("fund:alpha"),
        )
    newest = entries(document(world.alice), "events")[0]
    assert newest["question"] == {"length_chars": 31}


def test_events_of_a_scope_that_is_out_of_reach_are_counted_and_not_shown(world: World) -> None:
    scopes = world.firm.scope_ids("fund:beta")
    with open_scope(tenant=world.firm.id, scopes=scopes, principal=_widened(world)):
        _asks("What of the cormorant?", scopes)
    found = document(world.alice)
    assert "cormorant" not in json.dumps(found)
    assert found["about"]["not_reached"].startswith("1 events about you touched scopes")


def _widened(world: World) -> Principal:
    return Principal(
        kind=world.alice.kind,
        id=world.alice.id,
        label=world.alice.label,
        tenant_id=world.alice.tenant_id,
        scope_ids=frozenset(world.firm.scope_ids("fund:beta")),
        roles=world.alice.roles,
    )


def test_a_key_of_ones_own_takes_out_what_it_reaches(world: World) -> None:
    principal, _ = make_personal_key(world.firm, BOB, role=Role.ANALYST, scopes=["fund:beta"])
    found = document(principal)
    assert entries(found, "account")[0]["username"] == BOB
    assert "with this key" in found["about"]["not_reached"]
    assert "osprey rise" not in json.dumps(found)


def test_a_key_of_the_firm_is_nobody(world: World) -> None:
    principal, _ = make_key(world.firm)
    with as_(principal), pytest.raises(NobodysDataError):
        my_data_export(Format.JSON)
    with open_scope(tenant=world.firm.id, reason="a test"), pytest.raises(NobodysDataError):
        my_data_export(Format.JSON)
    assert told(world.firm, MY_DATA_EXPORTED) == []


@pytest.mark.slow
def test_that_it_was_taken_is_an_event_of_ids_and_counts(world: World) -> None:
    found = document(world.alice)
    (event,) = told(world.firm, MY_DATA_EXPORTED)
    assert (event.actor_id, event.subject_id) == (world.alice.id, world.alice.id)
    with open_scope(tenant=world.firm.id, reason="a test"):
        core = payloads_of([event])[event.id]["core"]
    assert core["format"] == "json"
    assert core["categories"] == len(found["categories"])
    assert core["unreached_events"] == 0
    assert not any(each["action"] == MY_DATA_EXPORTED for each in entries(found, "events"))
    again = [each for each in entries(document(world.alice), "events") if each["action"] == MY_DATA_EXPORTED]
    assert len(again) == 1


def test_without_its_event_nothing_is_handed_out(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.privacy.my_data.services.record", _fails)
    with as_(world.alice), pytest.raises(RuntimeError):
        my_data_export(Format.JSON)


def _fails(**named: object) -> None:
    raise RuntimeError("the log is full")


def test_all_pages_of_the_events_are_in_it_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = entries(document(world.alice), "events")
    monkeypatch.setattr(acts, "BATCH", 2)
    paged = entries(document(world.alice), "events")
    # The first package's own event came between.
    assert [each["id"] for each in paged[1:]] == [each["id"] for each in whole]
    assert len({each["id"] for each in paged}) == len(paged)


def test_who_loses_the_membership_in_the_middle_gets_no_more(world: World) -> None:
    with as_(world.bob):
        parts = my_data_export(Format.ZIP)
    begun = next(parts)
    assert begun
    with open_scope(tenant=world.firm.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=world.bob.id))
    with pytest.raises(ApplicationError):
        list(parts)
    (cut,) = told(world.firm, MY_DATA_CUT_SHORT)
    assert cut.subject_id == world.bob.id


def test_the_archive_holds_the_page_the_data_and_a_readme(world: World) -> None:
    archive = zipfile.ZipFile(BytesIO(taken(world.alice, Format.ZIP)))
    assert archive.testzip() is None
    assert archive.namelist() == ["README.txt", "my-data.html", "my-data.json"]
    assert json.loads(archive.read("my-data.json"))["complete"] is True
    page = archive.read("my-data.html").decode()
    assert ALICES in page
    assert page.rstrip().endswith("</html>")
    assert "Acme holds about alice-heron" in archive.read("README.txt").decode()


def test_each_chapter_of_the_page_holds_its_own(world: World) -> None:
    page = html.document_fromstring(taken(world.alice, Format.HTML).decode())
    found = document(world.alice)
    for category in found["categories"]:
        chapter = page.get_element_by_id(category["key"])
        within = list(takewhile(lambda each: each.tag != "h2", chapter.itersiblings()))
        rows = [row for each in within for row in each.xpath(".//tbody/tr[not(@class)]")]
        # The first package's own event came between.
        later = sum(each.get("action") == MY_DATA_EXPORTED for each in category["entries"])
        assert len(rows) == len(category["entries"]) - later, category["key"]
        assert any("Nothing is held" in each.text_content() for each in within) == (not rows)


def test_the_page_asks_nobody_and_runs_nothing(world: World) -> None:
    with as_(world.alice):
        _asks("<script>alert(1)</script> & <img src=x onerror=alert(2)>", world.firm.scope_ids("fund:alpha"))
    page = taken(world.alice, Format.HTML).decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;img" in page
    assert not re.search(r"<(script|img|link|iframe|object)|url\(|@import|https?://", page)


def test_purposes_recipients_periods_and_rights_are_told(world: World) -> None:
    found = document(world.alice)
    for category in found["categories"]:
        assert all(category[name] for name in ("about", "purpose", "legal_basis", "source", "retention"))
    assert [name[:3] for name in found["article_15"]][:8] == [f"({letter})" for letter in "abcdefgh"]
    kinds = {each["action"]: each for each in found["kinds_of_events"]}
    assert set(kinds) == {each["action"] for each in entries(found, "events")}
    answered = kinds["retrieval.question.answered"]
    assert (answered["at_least"], answered["in_force"]) == ("7 years", ["kept for 7 years"])
    providers = {each["who"]: each for each in found["recipients"]}
    assert providers["Provider of answers"]["gets"] == "nothing leaves this installation"
    assert "Auditor" in providers["Who may read the audit log"]["which"]


def test_a_provider_outside_the_region_is_named_as_one(world: World) -> None:
    with open_scope(tenant=world.firm.id, reason="a test"):
        type(world.firm.tenant).objects.filter(id=world.firm.id).update(generation_profile="openai")
    provider = next(each for each in document(world.alice)["recipients"] if each["who"] == "Provider of answers")
    assert (provider["region"], provider["leaves_region"]) == ("us", True)
    assert "words of your questions" in provider["gets"]


def test_a_request_about_the_account_is_told_with_its_letters_to_who_wrote_it(world: World) -> None:
    dora = make_member(world.firm, "dora", Role.DPO)
    by = {}
    for requester in (Requester.PERSON, Requester.AUTHORITY):
        with as_(dora):
            made = request_receive(
                subject_type=SubjectType.USER,
                subject_id=UUID(str(world.alice.id)),
                requester=requester,
                details=Details(requester_name="Alice Heron", requester_email="a@example.com", notes="a nuisance"),
            )
            letter_write(made.id, LetterKind.RECEIVED)
        by[requester] = made.reference
    found = document(world.alice)
    (request,) = entries(found, "erasure_requests")
    assert request["reference"] == by[Requester.PERSON]
    assert [each["kind"] for each in request["letters"]] == ["We have your request"]
    assert made.reference not in request["letters"][0]["words"]
    assert request["reference"] in request["letters"][0]["words"]
    text = json.dumps(found)
    assert "nuisance" not in text
    assert by[Requester.AUTHORITY] not in text
    assert entries(document(world.bob), "erasure_requests") == []


def test_a_scope_that_is_not_reached_any_more_is_not_named(world: World) -> None:
    with open_scope(tenant=world.firm.id, reason="a test"):
        membership = Membership.objects.get(user_id=world.alice.id)
    with as_(world.carl):
        membership_revoke(membership)
    again = make_member(world.firm, ALICE, Role.ANALYST, scopes=["fund:beta"])
    scopes = {each["scope"] for each in entries(document(again), "grants")}
    assert scopes == {"Beta (fund:beta)", "a scope that you can no longer reach"}


def test_the_world_holds_what_the_tests_look_for(world: World) -> None:
    with open_scope(tenant=world.firm.id, reason="a test"):
        assert Scope.objects.count() == 3
        assert ReviewComment.objects.count() == 2
        assert EvaluationQuery.objects.count() == 2
