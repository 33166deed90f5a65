"""Suggestions for examples come from documents that the person may read, and only a person adds them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from apps.corpus.models import Chunk
from apps.corpus.selectors import newest_passages
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because
from apps.intents.errors import NotTheAuthorError, UnknownExampleIntentError
from apps.intents.models import GoldenExample, PolicyVersion
from apps.intents.selectors import version_snapshot
from apps.intents.services.suggesting import MOST_SUGGESTED, Suggested, suggest_examples
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.short_scopes import ShortScopes
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, as_, make_firm, make_member, make_personal_key
from tests.intents.desk_firm import acme, begin, olivia, server
from tests.model_server import Fault, ModelServer
from tests.visitor import Visitor

__all__ = ["acme", "olivia", "server"]

pytestmark = pytest.mark.django_db(transaction=True)

CALENDAR = b"""# Rules of the house

## Swing pricing

Swing pricing protects investors who stay: the price moves when many leave, and whoever leaves bears the cost.

## Lena Voss

A gate means a limit for what leaves the fund on one day.

| Rule | Value |
| --- | --- |
| Redemption gate | 10 % of net assets |

A redemption gate is opened by the board.
"""
SWING = "What do our documents say about swing pricing?"
GATE = "What does \u201cgate\u201d mean?"
ROW = "What is the figure for redemption gate?"


def add(firm: Firm, content: bytes = CALENDAR, **more: Any) -> Any:
    made = ingest(firm, content, **{"filename": "rules.md", "kind": "compliance_profile", **more})
    run(firm, made.job)
    return made.document


def suggested(by: Principal, draft: PolicyVersion, intent: str = "compliance") -> Suggested:
    return suggest_examples(draft_id=draft.id, intent=intent, acting=ShortScopes.all_of(by))


def found(by: Principal, draft: PolicyVersion, intent: str = "compliance") -> set[str]:
    return {each.text for each in suggested(by, draft, intent).questions}


def drafted(by: Principal) -> PolicyVersion:
    """A draft in which the words of the document are terms of one intent."""
    with as_(by):
        content = version_snapshot(PolicyVersion.objects.get(number=1))
    terms = content.intents[1].terms
    own = tuple(replace(terms[0], text=text, decisive=True) for text in ("swing pricing", "gate", "redemption gate"))
    rules = tuple(replace(rule, terms=own) if rule.name == "compliance" else rule for rule in content.intents)
    return begin(by, intents=rules)


def test_each_suggestion_names_its_document_its_page_and_what_it_was_made_of(acme: Firm, olivia: Principal) -> None:
    document = add(acme)
    made = suggested(olivia, drafted(olivia))
    assert made.documents == 1
    assert {each.text for each in made.questions} == {SWING, GATE, ROW}
    assert {(each.document_id, each.title, each.page) for each in made.questions} == {(document.id, document.title, 1)}
    assert len(made.questions) <= MOST_SUGGESTED


def test_the_heading_that_is_a_name_gives_none_and_the_same_documents_give_the_same(
    acme: Firm, olivia: Principal
) -> None:
    add(acme)
    draft = drafted(olivia)
    first = suggested(olivia, draft)
    assert suggested(olivia, draft) == first
    assert not any("Voss" in each.text for each in first.questions)


def test_a_question_of_another_intent_and_an_example_that_is_there_are_left_out(acme: Firm, olivia: Principal) -> None:
    add(acme)
    draft = drafted(olivia)
    # The methods reach the same document by another kind, and do not know its words.
    add(acme, CALENDAR + b"Again.", kind="methodology", filename="methods.md")
    assert found(olivia, draft, "methodology") == set()
    with as_(olivia):
        content = version_snapshot(draft)
    golden = replace(content.examples[0], text=SWING.upper(), intent="performance")
    other = begin(olivia, intents=content.intents, examples=(*content.examples[1:], golden))
    assert found(olivia, other) == {GATE, ROW}


def test_what_means_nearly_the_same_as_an_example_is_left_out(acme: Firm, olivia: Principal) -> None:
    """The model of the test sees words and not their order."""
    add(acme)
    draft = drafted(olivia)
    with as_(olivia):
        content = version_snapshot(draft)
    alike = replace(content.examples[0], text="Do our documents say what about swing pricing?", intent="compliance")
    other = begin(olivia, intents=content.intents, examples=(*content.examples[1:], alike))
    assert found(olivia, other) == {GATE, ROW}


def test_kinds_that_the_intent_does_not_reach_are_not_read(acme: Firm, olivia: Principal) -> None:
    add(acme, kind="run")
    assert suggested(olivia, drafted(olivia)).documents == 0


def test_with_the_provider_down_terms_alone_decide_and_that_is_said(
    acme: Firm, olivia: Principal, server: ModelServer
) -> None:
    add(acme)
    draft = drafted(olivia)
    server.fail_with(Fault.ERROR_500)
    made = suggested(olivia, draft)
    assert made.problem
    assert {each.text for each in made.questions} == {SWING, GATE, ROW}


def test_nothing_is_added_by_itself(acme: Firm, olivia: Principal) -> None:
    add(acme)
    draft = drafted(olivia)
    with as_(olivia):
        before = version_snapshot(draft)
    suggested(olivia, draft)
    with as_(olivia):
        assert version_snapshot(PolicyVersion.objects.get(id=draft.id)) == before


# --- Who may see what -------------------------------------------------------------------------------------------------


@pytest.fixture
def berta(acme: Firm) -> Principal:
    """An officer of one fund alone."""
    return make_member(acme, "berta", Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])


def test_an_officer_without_the_scope_gets_nothing_from_it_by_service_and_sql(
    acme: Firm, olivia: Principal, berta: Principal
) -> None:
    document = add(acme, scope="fund:alpha")
    assert found(olivia, drafted(olivia)) == {SWING, GATE, ROW}
    made = suggested(berta, drafted(berta))
    assert (made.questions, made.documents) == ((), 0)
    with as_(berta):
        assert newest_passages(["compliance_profile"], documents=9, of_each=9) == []
        assert not Chunk.objects.filter(document_id=document.id).exists()


def test_an_officer_without_the_scope_gets_nothing_from_it_by_api_and_page(acme: Firm, berta: Principal) -> None:
    add(acme, scope="fund:alpha")
    draft = drafted(berta)
    _, key = make_personal_key(acme, "berta", role=Role.COMPLIANCE_OFFICER, scopes=["fund:beta"])
    answer = Client().get(
        f"/api/v1/policy/versions/{draft.id}/example-suggestions/?intent=compliance",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert (answer.status_code, answer.json()["questions"], answer.json()["documents"]) == (200, [], 0)
    shown = Visitor("berta").open("policy_draft_suggest", draft.id, "compliance")
    assert "There are no documents that this intent reaches" in shown.text
    assert "swing pricing" not in shown.text


def test_another_firm_gets_nothing(acme: Firm) -> None:
    add(acme)
    bolt = make_firm("bolt")
    charlie = make_member(bolt, "charlie", Role.COMPLIANCE_OFFICER)
    assert found(charlie, drafted(charlie)) == set()


def test_a_restricted_document_gives_nothing(acme: Firm, olivia: Principal) -> None:
    document = add(acme)
    draft = drafted(olivia)
    with open_scope(tenant=acme.id, reason="a test"):
        restrict([Target(type=TargetType.DOCUMENT, id=document.id)], Because.REQUEST, document.id)
    assert found(olivia, draft) == set()


def test_suggestions_are_for_the_author_of_a_draft_and_an_intent_that_it_has(
    acme: Firm, olivia: Principal, berta: Principal
) -> None:
    draft = drafted(olivia)
    with pytest.raises(NotTheAuthorError):
        suggested(berta, draft)
    with pytest.raises(PermissionDeniedError):
        suggested(make_member(acme, "alice", Role.ANALYST), draft)
    with pytest.raises(UnknownExampleIntentError):
        suggested(olivia, draft, "nothing")


# --- The API and the page ---------------------------------------------------------------------------------------------


def test_the_api_gives_each_with_its_place_and_says_what_is_wrong_with_an_intent(acme: Firm, olivia: Principal) -> None:
    document = add(acme)
    draft = drafted(olivia)
    _, key = make_personal_key(acme, "olivia", role=Role.COMPLIANCE_OFFICER)
    address, sent = f"/api/v1/policy/versions/{draft.id}/example-suggestions/", {"Authorization": f"Bearer {key}"}
    answer = Client().get(f"{address}?intent=compliance", headers=sent)
    assert {"text": GATE, "made_from": "term", "words": "gate", "page": 1} | {
        "document_id": str(document.id),
        "title": document.title,
    } in answer.json()["questions"]
    for query, status in (("?intent=nothing", 400), ("", 400), ("?intent=compliance&kind=run", 400)):
        assert Client().get(f"{address}{query}", headers=sent).status_code == status


def test_an_officer_ticks_and_adds_and_the_page_says_who_reads_it(acme: Firm, olivia: Principal) -> None:
    add(acme)
    draft = drafted(olivia)
    visitor = Visitor("olivia")
    assert "Suggest examples from documents" in visitor.open("policy_draft", draft.id).text
    shown = visitor.open("policy_draft_suggest", draft.id, "compliance")
    assert SWING in shown.text
    assert "it stays when the document is erased" in shown.text
    sent = visitor.send("policy_draft_suggest", draft.id, "compliance", text=[SWING, GATE])
    assert sent.response.status_code == 302
    with as_(olivia):
        saved = PolicyVersion.objects.get(id=draft.id)
        added = GoldenExample.objects.filter(intent__version=saved, text__in=[SWING, GATE, ROW])
        assert {(each.text, each.intent.name) for each in added} == {(SWING, "compliance"), (GATE, "compliance")}
        assert saved.revision == draft.revision + 1
    assert SWING not in visitor.open("policy_draft_suggest", draft.id, "compliance").text


@pytest.mark.parametrize(
    ("text", "said"), [([], "Tick at least one question"), (["x" * 501], "at most 500 characters")]
)
def test_what_can_not_be_added_is_told_and_nothing_is_added(
    acme: Firm, olivia: Principal, text: list[str], said: str
) -> None:
    add(acme)
    draft = drafted(olivia)
    answer = Visitor("olivia").send("policy_draft_suggest", draft.id, "compliance", text=text)
    assert answer.response.status_code == 422
    assert said in answer.text
    with as_(olivia):
        assert PolicyVersion.objects.get(id=draft.id).revision == draft.revision


def test_an_intent_that_the_draft_does_not_have_has_no_page(acme: Firm, olivia: Principal) -> None:
    draft = drafted(olivia)
    assert Visitor("olivia").open("policy_draft_suggest", draft.id, "nothing").response.status_code == 404
