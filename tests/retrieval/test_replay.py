"""Running a recorded question again: what is the same, what differs and why, and what can't be known."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.utils import timezone

from apps.audit.models import Event, Outcome
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.corpus.models import Chunk, Document, DocumentStatus
from apps.corpus.services.documents import document_delete
from apps.corpus.services.reindex import Reindexed, document_reindex
from apps.intents.contracts import RecordingMode
from apps.retrieval.events import ANSWERED, REPLAYED
from apps.retrieval.replay.contracts import Hit, HitState, Replay
from apps.retrieval.replay.errors import DifferentQuestionError, NotReplayableError, TooManyGuessesError
from apps.retrieval.replay.run import GUESSES_PER_HOUR, hit_shifts, question_replay
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, as_, make_member
from tests.quality.impacting import asked
from tests.retrieval.asking import ALPHA, QUESTION, events
from tests.retrieval.test_recording import keep
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(firm: Firm) -> Principal:
    """An auditor, who may not ask questions and may run recorded ones again."""
    return make_member(firm, "ada", Role.AUDITOR)


@pytest.fixture
def alice(firm: Firm) -> Principal:
    return make_member(firm, "amy", Role.ANALYST)


def replayed(principal: Principal, event: Event, typed: str | None = QUESTION) -> Replay:
    with as_(principal):
        return question_replay(Event.objects.get(id=event.id), typed=typed)


def states(replay: Replay) -> set[HitState]:
    assert replay.shifts is not None
    return {each.state for each in replay.shifts}


def test_nothing_has_changed_and_nothing_differs(firm: Firm, alice: Principal, ada: Principal) -> None:
    replay = replayed(ada, asked(alice, QUESTION))
    assert replay.equal
    assert replay.context_equal
    assert replay.limits == ()
    assert replay.shifts
    assert states(replay) == {HitState.SAME}
    assert any(each.then and each.then.in_context for each in replay.shifts)


def test_the_documents_are_those_of_then(firm: Firm, alice: Principal, ada: Principal) -> None:
    """A new version and a document that came later are not seen; a question of today finds them."""
    before = asked(alice, QUESTION)
    with open_scope(tenant=firm.id, reason="a test"):
        old = Document.objects.get(filename="alpha.md")
    newer = ALPHA.replace(b"12.5 %", b"13.9 %")
    run(firm, ingest(firm, newer, filename="alpha.md", scope="fund:alpha", kind="run", replaces=old.id).job)
    run(firm, ingest(firm, ALPHA + b"\nA later copy.\n", filename="later.md", scope="fund:alpha", kind="run").job)
    with open_scope(tenant=firm.id, reason="a test"):
        assert Document.objects.get(id=old.id).status == DocumentStatus.SUPERSEDED
    after = asked(alice, QUESTION)
    replay = replayed(ada, before)
    assert (replay.equal, replay.context_equal, replay.limits) == (True, True, ())
    now = replayed(ada, after)
    assert now.equal
    assert now.shifts
    assert old.id not in {each.hit.document_id for each in now.shifts}


def test_the_policy_is_that_of_then(firm: Firm, alice: Principal, ada: Principal) -> None:
    event = asked(alice, QUESTION)
    keep(firm, RecordingMode.ENCRYPTED_TEXT)
    replay = replayed(ada, event)
    assert replay.equal
    assert replay.recorded.policy_version == 1
    (told,) = events(firm, REPLAYED)
    assert told.payload["core"]["policy_version"] == 1


def test_where_the_text_was_kept_nobody_types_it(firm: Firm, alice: Principal, ada: Principal) -> None:
    keep(firm, RecordingMode.ENCRYPTED_TEXT)
    replay = replayed(ada, asked(alice, QUESTION), typed=None)
    assert replay.equal
    (told,) = events(firm, REPLAYED)
    assert told.payload["core"]["typed"] is False


def test_a_document_that_is_gone_is_named_as_the_reason(firm: Firm, alice: Principal, ada: Principal) -> None:
    event = asked(alice, QUESTION)
    with open_scope(tenant=firm.id, reason="a test"):
        document_delete(document_id=Document.objects.get(filename="alpha.md").id)
    replay = replayed(ada, event)
    assert not replay.equal
    assert not replay.context_equal
    gone = [each for each in replay.shifts or () if each.state is HitState.GONE]
    assert gone
    assert {each.why for each in gone} == {"Its document was removed since."}
    assert any("no longer in the corpus" in limit for limit in replay.limits)


def test_a_document_that_is_gone_and_was_not_found_is_known_from_the_log(
    firm: Firm, alice: Principal, ada: Principal
) -> None:
    """It counted for what is a rare word, and no recorded passage names it."""
    event = asked(alice, QUESTION)
    assert replayed(ada, event).limits == ()
    with open_scope(tenant=firm.id, reason="a test"):
        document_delete(document_id=Document.objects.get(filename="rules.md").id)
    (limit,) = replayed(ada, event).limits
    assert limit.startswith("1 document was removed from these scopes since.")


def test_documents_that_were_indexed_anew_since_are_named(firm: Firm, alice: Principal, ada: Principal) -> None:
    event = asked(alice, QUESTION)
    with open_scope(tenant=firm.id, reason="a test"):
        one = Document.objects.get(filename="alpha.md")
        Document.objects.filter(id=one.id).update(terms_version=1)
        assert document_reindex(document_id=one.id) is Reindexed.DONE
    replay = replayed(ada, event)
    assert replay.equal
    (limit,) = replay.limits
    assert limit.startswith("1 document was reindexed since")


def test_the_stages_are_set_as_they_were_then(
    firm: Firm, alice: Principal, ada: Principal, settings: LazySettings
) -> None:
    settings.GLASSBOX_RETRIEVAL_STAGES = "cut_top_k=1, expand_top_k=0"
    before = asked(alice, QUESTION)
    settings.GLASSBOX_RETRIEVAL_STAGES = ""
    replay = replayed(ada, before)
    assert (replay.equal, replay.context_equal, replay.limits) == (True, True, ())
    after = replayed(ada, asked(alice, QUESTION))
    assert after.now.context_sha256 != replay.now.context_sha256


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (None, "The settings of the stages were not recorded at that time"),
        ({"cut_top_k": 1, "polish": True}, ", polish, "),
    ],
)
def test_what_is_not_known_of_the_stages_settings_is_named(
    firm: Firm, alice: Principal, ada: Principal, then: dict[str, Any] | None, said: str
) -> None:
    told = told_of(firm, asked(alice, QUESTION))
    del told["core"]["stage_settings"]
    if then is not None:
        told["core"]["stage_settings"] = then
    with open_scope(tenant=firm.id, reason="a test"):
        before = record(action=ANSWERED, scopes=firm.scope_ids(*firm.scopes), **told)
    assert any(said in each for each in replayed(ada, before).limits)


@pytest.mark.parametrize(
    ("then", "why"),
    [({"reranker": "oracle"}, "nothing named oracle is installed"), ({"cut_top_k": 0}, "its setting cut_top_k")],
)
def test_a_setting_that_is_none_any_more_ends_the_run(
    firm: Firm, alice: Principal, ada: Principal, then: dict[str, Any], why: str
) -> None:
    told = told_of(firm, asked(alice, QUESTION))
    told["core"]["stage_settings"] |= then
    with open_scope(tenant=firm.id, reason="a test"):
        before = record(action=ANSWERED, scopes=firm.scope_ids(*firm.scopes), **told)
    with pytest.raises(NotReplayableError, match=why):
        replayed(ada, before)


def test_another_analysis_of_words_than_todays_is_named(firm: Firm, alice: Principal, ada: Principal) -> None:
    """Also of a question that was recorded before the log told which."""
    told = told_of(firm, asked(alice, QUESTION))
    del told["core"]["terms_version"]
    with open_scope(tenant=firm.id, reason="a test"):
        before = record(action=ANSWERED, scopes=firm.scope_ids(*firm.scopes), **told)
    assert any("by analysis 1 then and by 2 now" in each for each in replayed(ada, before).limits)


def test_a_passage_whose_text_was_changed_under_its_id_is_found(firm: Firm, alice: Principal, ada: Principal) -> None:
    event = asked(alice, QUESTION)
    with open_scope(tenant=firm.id, reason="a test"):
        Chunk.objects.filter(document__filename="alpha.md", is_parent=False).update(content_sha256="0" * 64)
    replay = replayed(ada, event)
    assert not replay.equal
    assert replay.changed


@pytest.mark.parametrize(
    ("embedding", "limit"),
    [
        ({"model": "an older model"}, "embedded by an older model then and by text-embedding-3-small now"),
        (None, "no model embedded the question"),
    ],
)
def test_another_embedding_than_today_is_named(
    firm: Firm, alice: Principal, ada: Principal, embedding: object, limit: str
) -> None:
    told = told_of(firm, asked(alice, QUESTION))
    told["core"]["embedding"] = embedding
    with open_scope(tenant=firm.id, reason="a test"):
        before = record(action=ANSWERED, scopes=firm.scope_ids(*firm.scopes), **told)
    replay = replayed(ada, before)
    assert any(limit in each for each in replay.limits)


@pytest.mark.parametrize("typed", [QUESTION.lower(), QUESTION + "?", "", QUESTION.replace(" ", "  ", 1)])
def test_another_text_is_not_run_and_the_attempt_is_recorded(
    firm: Firm, alice: Principal, ada: Principal, typed: str
) -> None:
    event = asked(alice, QUESTION)
    with pytest.raises(DifferentQuestionError):
        replayed(ada, event, typed=typed)
    (attempt,) = events(firm, REPLAYED)
    assert (attempt.outcome, attempt.subject_id, attempt.actor_label) == (Outcome.REFUSED, event.id, "ada")
    assert attempt.payload == {"core": {"typed": True, "code": DifferentQuestionError.code}}


def test_blanks_around_the_question_and_a_browsers_line_ends_do_not_matter(
    firm: Firm, alice: Principal, ada: Principal
) -> None:
    event = asked(alice, f"{QUESTION}\nIn per cent, please.")
    assert replayed(ada, event, typed=f"  {QUESTION}\r\nIn per cent, please.\r\n").intent_equal


def test_guessing_ends(firm: Firm, alice: Principal, ada: Principal) -> None:
    event = asked(alice, QUESTION)
    for number in range(GUESSES_PER_HOUR):
        with pytest.raises(DifferentQuestionError):
            replayed(ada, event, typed=f"guess {number}")
    with pytest.raises(TooManyGuessesError):
        replayed(ada, event, typed=QUESTION)


def test_the_run_is_an_event_of_ids_and_digests(firm: Firm, alice: Principal, ada: Principal) -> None:
    event = asked(alice, QUESTION)
    replayed(ada, event)
    (told,) = events(firm, REPLAYED)
    (answered,) = events(firm, ANSWERED)
    assert (told.subject_type, told.subject_id, told.actor_label) == ("event", event.id, "ada")
    assert set(told.scope_ids) == set(answered.scope_ids)
    assert told.payload["question"]["hmac_sha256"] == answered.payload["question"]["hmac_sha256"]
    assert told.payload["core"]["equal"] is True
    assert told.payload["core"]["hits"]["same"] == len(answered.payload["passages"]["hits"])
    assert "Alpha" not in str(told.payload)


def test_a_removed_part_is_named(firm: Firm, alice: Principal, ada: Principal) -> None:
    """Without passages and answer there is a run, and less to compare; without the question there is none."""
    core = told_of(firm, asked(alice, QUESTION))
    with open_scope(tenant=firm.id, reason="a test"):
        without_passages = record(
            action=ANSWERED, core=core["core"], question=core["question"], scopes=firm.scope_ids(*firm.scopes)
        )
        without_question = record(action=ANSWERED, core=core["core"], scopes=firm.scope_ids(*firm.scopes))
    replay = replayed(ada, without_passages)
    assert (replay.shifts, replay.context_equal, replay.equal) == (None, None, True)
    assert len(replay.limits) == 2
    with pytest.raises(NotReplayableError, match="the question was removed"):
        replayed(ada, without_question)


def told_of(firm: Firm, event: Event) -> dict[str, Any]:
    with open_scope(tenant=firm.id, reason="a test"):
        told = payloads_of([Event.objects.get(id=event.id)])[event.id]
    return {group: dict(values) for group, values in told.items()}


def test_other_events_have_no_decision_to_repeat(firm: Firm, ada: Principal) -> None:
    (first, *_) = events(firm, "corpus.document.ready")
    with pytest.raises(NotReplayableError):
        replayed(ada, first)


def test_who_may_not_read_the_log_may_not_run_it_again(firm: Firm, alice: Principal) -> None:
    event = asked(alice, QUESTION)
    with pytest.raises(PermissionDeniedError):
        replayed(alice, event)
    assert Visitor("amy").send("question_replay", event.id, question=QUESTION).status == 403


def test_an_event_of_a_scope_that_a_reader_lacks_is_not_there(firm: Firm, alice: Principal) -> None:
    make_member(firm, "abe", Role.AUDITOR, scopes=["fund:beta"])
    event = asked(alice, QUESTION)
    assert Visitor("abe").open("question_replay", event.id).status == 404
    assert Visitor("abe").send("question_replay", event.id, question=QUESTION).status == 404


def test_opening_the_page_runs_nothing(firm: Firm, alice: Principal, ada: Principal) -> None:
    page = Visitor("ada").open("question_replay", asked(alice, QUESTION).id)
    assert "only its keyed digest was kept" in page.text
    assert events(firm, REPLAYED) == []


def test_the_page_shows_then_and_now(firm: Firm, alice: Principal, ada: Principal) -> None:
    page = Visitor("ada").send("question_replay", asked(alice, QUESTION).id, question=QUESTION)
    assert page.status == 200
    assert "The same decision as then" in page.text
    assert "Nothing, as far as is known" in page.text
    assert "no-store" in page.response["Cache-Control"]


def test_a_wrong_text_is_refused_beside_the_field(firm: Firm, alice: Principal, ada: Principal) -> None:
    page = Visitor("ada").send("question_replay", asked(alice, QUESTION).id, question="Something else")
    assert page.status == 422
    assert "not the question that was asked" in page.errors_of("question")


def test_a_version_that_was_late_was_never_current(firm: Firm, alice: Principal, ada: Principal) -> None:
    """It came in after its successor: it ends at the instant at which it begins."""
    event = asked(alice, QUESTION)
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.filter(filename="beta.md").update(
            status=DocumentStatus.SUPERSEDED, valid_from=timezone.now() - timedelta(days=9)
        )
        Document.objects.filter(filename="beta.md").update(valid_to=timezone.now() - timedelta(days=9))
    replay = replayed(ada, event)
    assert HitState.GONE in states(replay)


def hit(chunk: int, rank: int, *, sha: str = "a", context: bool = True) -> Hit:
    return Hit(
        chunk_id=UUID(int=chunk),
        document_id=uuid4(),
        kind="run",
        ref_id="",
        content_sha256=sha,
        rank=rank,
        rankings=frozenset({"dense"}),
        in_context=context,
    )


def test_every_passage_of_either_side_is_told_once() -> None:
    then = [hit(1, 1), hit(2, 2), hit(3, 3), hit(4, 4), hit(5, 5)]
    now = [hit(1, 1), hit(3, 2), hit(4, 4, context=False), hit(5, 5, sha="b"), hit(6, 6)]
    shifts = hit_shifts(then, now, why_gone=lambda each: f"why {each.rank}")
    assert [(each.hit.chunk_id.int, each.state, each.changed, each.why) for each in shifts] == [
        (1, HitState.SAME, False, ""),
        (2, HitState.GONE, False, "why 2"),
        (3, HitState.MOVED, False, ""),
        (4, HitState.MOVED, False, ""),
        (5, HitState.MOVED, True, ""),
        (6, HitState.NEW, False, ""),
    ]
