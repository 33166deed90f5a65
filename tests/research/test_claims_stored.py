"""A text is checked under the wall: what its asker and its intents may not reach is as if it were not held."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.intents.contracts import RecordingMode
from apps.research.claims.check import MAXIMUM_CHARS, MAXIMUM_SENTENCE_CHARS, check_text
from apps.research.claims.checked import Checked
from apps.research.claims.contracts import Verdict
from apps.research.claims.in_words import OVER_THE_RATE
from apps.research.claims.presenting import finding_json
from apps.research.claims.reading import read_known
from apps.research.errors import ClaimCheckError
from apps.research.events import CLAIMS_CHECKED
from apps.retrieval.contracts import DocumentFilter, SearchBounds
from apps.retrieval.events import SEARCHED
from apps.retrieval.services.wiring import PolicyGate
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member
from tests.filings.held import take_in
from tests.retrieval.test_recording import keep

pytestmark = pytest.mark.django_db

RIGHT = "Velden Cranes reported revenue of $4,471 million in fiscal 2024."
WRONG = "Velden Cranes reported revenue of $4,971 million in fiscal 2024."
REACHED, WITHHELD = "reference_report", "run"


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def bob(acme: Firm) -> Principal:
    return make_member(acme, "bob", Role.ANALYST, scopes=["fund:alpha"])


def check(principal: Principal, text: str, **more: Any) -> Checked:
    return check_text(text=text, principal=principal, **more)


def told(checked: Checked) -> str:
    """Return all that an asker is told, as bytes would have it."""
    return json.dumps([finding_json(each) for each in checked.findings], sort_keys=True)


def event_of(firm: Firm) -> tuple[Event, dict[str, Any]]:
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action=CLAIMS_CHECKED)
        return event, dict(payloads_of([event])[event.id])


def test_a_figure_is_confirmed_with_the_row_of_its_page(acme: Firm, alice: Principal) -> None:
    report = take_in(acme, 2024, kind=REACHED)
    (found,) = check(alice, RIGHT).findings
    assert found.verdict is Verdict.CONFIRMED
    (source,) = found.operands
    assert source.document_id == report.id
    assert "4,471" in source.quote
    assert "Revenue" in source.quote


def test_a_wrong_figure_is_contradicted_with_a_correction(acme: Firm, alice: Principal) -> None:
    take_in(acme, 2024, kind=REACHED)
    (found,) = check(alice, WRONG).findings
    assert (found.verdict, found.correct) == (Verdict.CONTRADICTED, "$4,471 million")


def test_facts_of_a_kind_that_the_intent_may_not_reach_are_not_read(acme: Firm, alice: Principal) -> None:
    take_in(acme, 2024, kind=WITHHELD)
    checked = check(alice, RIGHT)
    (found,) = checked.findings
    assert found.verdict in (Verdict.NOT_FOUND, Verdict.NOT_CHECKABLE)
    assert found.operands == ()
    assert WITHHELD in checked.reaches[0].withheld
    _, payload = event_of(acme)
    assert payload["core"]["facts_read"] == 0


def test_a_document_of_another_scope_is_as_if_it_were_not_held(acme: Firm, bob: Principal) -> None:
    before = check(bob, f"{RIGHT} {WRONG}")
    take_in(acme, 2024, kind=REACHED, scope="fund:beta")
    after = check(bob, f"{RIGHT} {WRONG}")
    assert told(after) == told(before)
    assert after.reaches == before.reaches


def test_the_same_document_in_a_scope_of_the_asker_decides(acme: Firm, bob: Principal) -> None:
    take_in(acme, 2024, kind=REACHED, scope="fund:alpha")
    assert [each.verdict for each in check(bob, RIGHT).findings] == [Verdict.CONFIRMED]


def test_a_check_in_one_scope_reads_no_other(acme: Firm, alice: Principal) -> None:
    take_in(acme, 2024, kind=REACHED, scope="fund:beta")
    (found,) = check(alice, RIGHT, scopes=["fund:alpha"]).findings
    assert found.verdict is not Verdict.CONFIRMED


def test_the_log_has_counts_and_digests_and_no_word_of_the_text(acme: Firm, alice: Principal) -> None:
    take_in(acme, 2024, kind=REACHED)
    check(alice, f"{RIGHT} {WRONG}")
    event, payload = event_of(acme)
    assert payload["core"]["verdicts"] == {"confirmed": 1, "contradicted": 1}
    assert payload["core"]["claims"] == 2
    written = json.dumps(payload)
    assert not any(word in written for word in ("Velden", "4,471", "4,971", "revenue of"))
    assert event.actor_id == alice.id


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("The drawdown of the Alpha Fund was recovered by the manager within a month.", Verdict.CONFIRMED),
        ("The drawdown of the Alpha Fund was not recovered by the manager within a month.", Verdict.NOT_FOUND),
        ("The manager of the Alpha Fund was recovered by the drawdown within a month.", Verdict.NOT_FOUND),
    ],
)
def test_only_a_sentence_that_says_the_same_confirms_a_claim_in_words(
    acme: Firm, alice: Principal, said: str, verdict: Verdict
) -> None:
    text = b"# Drawdown\n\nThe drawdown of the Alpha Fund was recovered by the manager within a month.\n"
    run(acme, ingest(acme, text, filename="alpha.md", kind="run").job)
    (found,) = check(alice, said).findings
    assert found.verdict is verdict
    assert found.searched.passages > 0
    assert "within a month" in found.passages[0].quote


def test_who_may_not_ask_may_not_check(acme: Firm) -> None:
    auditor = make_member(acme, "carol", Role.AUDITOR)
    with pytest.raises(PermissionDeniedError):
        check(auditor, RIGHT)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (" \n", "research.claims_empty"),
        ("x" * (MAXIMUM_CHARS + 1), "research.claims_too_long"),
        ("One is here. " * 601, "research.claims_too_many_sentences"),
        ("a " * (MAXIMUM_SENTENCE_CHARS // 2) + "end", "research.claims_long_sentence"),
    ],
)
def test_a_text_that_is_none_or_too_long_is_refused(alice: Principal, text: str, code: str) -> None:
    with pytest.raises(ClaimCheckError) as caught:
        check(alice, text)
    assert caught.value.code == code


def searches_of(firm: Firm) -> list[dict[str, Any]]:
    with open_scope(tenant=firm.id, reason="a test"):
        made = list(Event.objects.filter(action=SEARCHED).order_by("occurred_at"))
        payloads = payloads_of(made)
        return [dict(payloads[each.id]) for each in made]


SAID = "The drawdown of the Alpha Fund was recovered by the manager within a month."
BARE = "It was cut by half within one week after that."


def test_a_claim_in_words_is_searched_for_under_the_intent_that_its_sentence_was_gated_by(
    acme: Firm, alice: Principal
) -> None:
    """Alone, the second sentence is of no intent."""
    alone = check(alice, BARE)
    assert [each.intent for each in alone.reaches] == [""]
    checked = check(alice, f"{SAID} {BARE}")
    (intent,) = {each.intent for each in checked.findings}
    assert intent
    _, *of_both = searches_of(acme)
    assert [each["core"]["intent"] for each in of_both] == [intent, intent]
    assert [each["core"]["permitted_kinds"] for each in of_both] == [list(checked.reaches[0].permitted)] * 2


def test_no_text_is_kept_where_questions_are(acme: Firm, alice: Principal) -> None:
    keep(acme, RecordingMode.ENCRYPTED_TEXT)
    check(alice, SAID)
    (payload,) = searches_of(acme)
    assert payload["core"]["recording_mode"] == "hash_only"
    assert "recovered by the manager" not in json.dumps(payload)


def test_each_search_counts_like_a_request(acme: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PrincipalThrottle, "rate", "1/min", raising=False)
    first, second = check(alice, f"{SAID} {BARE}").findings
    assert (first.verdict, second.verdict) == (Verdict.NOT_FOUND, Verdict.NOT_CHECKABLE)
    assert second.reason == OVER_THE_RATE
    assert len(searches_of(acme)) == 1


def test_equal_sentences_are_classified_and_searched_for_once(
    acme: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    classified: list[str] = []
    classify = PolicyGate.classify
    monkeypatch.setattr(PolicyGate, "classify", lambda self, text: classified.append(text) or classify(self, text))
    checked = check(alice, " ".join([SAID] * 30))
    assert len(checked.findings) == 30
    assert len(classified) == len(set(classified))
    assert len(searches_of(acme)) == 1


def test_a_document_whose_facts_were_read_is_confirmed_to_be_there_still(
    acme: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim that is not found says something of all facts that were read, and not only of those that it shows."""
    report = take_in(acme, 2024, kind=REACHED)
    asked: list[set[Any]] = []

    def may_be_read(ids: set[Any]) -> bool:
        asked.append(set(ids))
        return len(asked) > 1

    monkeypatch.setattr("apps.research.claims.check.may_be_read", may_be_read)
    (found,) = check(alice, RIGHT.replace("2024", "2011")).findings
    assert found.operands == ()
    assert asked == [{report.id}, {report.id}]


@pytest.mark.parametrize(("stated", "held"), [(["US"], False), (["DE", "US"], True), ([], True)])
def test_companies_outside_the_profiles_jurisdictions_are_as_if_they_were_not_held(
    acme: Firm, stated: list[str], held: bool
) -> None:
    report = take_in(acme, 2024, kind=REACHED, jurisdictions=stated)
    with open_scope(tenant=acme.id, reason="a test"):
        known = read_known(
            RIGHT,
            SearchBounds(
                tenant_id=report.tenant_id,
                scope_ids=(report.scope_id,),
                kinds=(report.kind,),
                filter=DocumentFilter(jurisdictions=("DE",)),
            ),
        )
    assert (bool(known.held.entries), bool(known.facts)) == (held, held)


@pytest.mark.parametrize(("there", "searches"), [(True, 1), (False, 2)])
def test_what_was_found_is_kept_over_the_tries_while_it_may_be_read(
    acme: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch, there: bool, searches: int
) -> None:
    confirmed = iter([False, True])
    monkeypatch.setattr("apps.research.claims.check.may_be_read", lambda ids: next(confirmed))
    monkeypatch.setattr("apps.research.claims.in_words.may_be_read", lambda ids: there)
    check(alice, SAID)
    assert len(searches_of(acme)) == searches
    assert event_of(acme)[1]["core"]["searches"] == searches
