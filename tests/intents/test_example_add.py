"""A question becomes a golden example of a draft: into which, as what, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse

from apps.audit.models import Event
from apps.intents.contracts import UNRECOGNISED
from apps.intents.errors import (
    DuplicateExampleError,
    EmptyExampleError,
    NotTheAuthorError,
    ReasonMissingError,
    UnknownExampleIntentError,
)
from apps.intents.models import GoldenExample, PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import draft_save
from apps.intents.services.examples import golden_example_add
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.deciding import version_submit
from tests.factories import Firm, make_member
from tests.intents.desk_firm import acme, begin, follow, olivia, server
from tests.visitor import Page, Visitor

__all__ = ["acme", "olivia", "server"]

pytestmark = pytest.mark.django_db

TEXT = "Which sector cost the Alpha Fund the most this year?"


def texts(version: PolicyVersion, intent: str) -> list[str]:
    return [each.text for each in version_snapshot(version).examples if each.intent == intent]


def send(visitor: Visitor, **fields: Any) -> Page:
    sent = {"step": "add", "text": TEXT, "intent": "attribution", "draft": "new", "reason": "It was not recognised."}
    return visitor.send("policy_example_add", **{**sent, **fields})


def versions(firm: Firm) -> list[int]:
    with open_scope(tenant=firm.id, reason="a test"):
        return sorted(PolicyVersion.objects.values_list("number", flat=True))


# --- The service ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intent", ["attribution", UNRECOGNISED])
def test_it_goes_last_into_a_new_draft_which_is_begun_with_a_reason(acme: Firm, olivia: Principal, intent: str) -> None:
    with open_scope(tenant=acme.id, principal=olivia):
        example = golden_example_add(text=f"  {TEXT}\n ", intent=intent, draft_id=None, reason="It was missed.")
        draft = PolicyVersion.objects.get(number=2)
        assert texts(draft, intent) == [*texts(PolicyVersion.objects.get(number=1), intent), TEXT]
        assert (draft.status, draft.reason, draft.author_id) == (VersionStatus.DRAFT, "It was missed.", olivia.id)
        assert GoldenExample.objects.get(id=example.id).text == TEXT
        recorded = Event.objects.filter(subject_id=draft.id).order_by("occurred_at", "id")
        assert [each.action for each in recorded] == ["intents.policy.drafted", "intents.policy.draft_changed"]


def test_an_existing_draft_gets_it_with_its_own_reason_and_the_next_revision(acme: Firm, olivia: Principal) -> None:
    draft = begin(olivia, reason="Better examples.")
    with open_scope(tenant=acme.id, principal=olivia):
        golden_example_add(text=TEXT, intent="attribution", draft_id=draft.id)
        saved = PolicyVersion.objects.get(id=draft.id)
        assert TEXT in texts(saved, "attribution")
    assert (saved.reason, saved.revision) == ("Better examples.", draft.revision + 1)
    assert versions(acme) == [1, 2]


def test_who_has_the_draft_open_elsewhere_is_told_and_loses_nothing(acme: Firm, olivia: Principal) -> None:
    draft = begin(olivia)
    with open_scope(tenant=acme.id, principal=olivia):
        stood_there = version_snapshot(draft)
        golden_example_add(text=TEXT, intent="attribution", draft_id=draft.id)
        with pytest.raises(Exception, match="has changed since you read it"):
            draft_save(draft.id, content=stood_there, reason="The other window.", revision=draft.revision)
        assert TEXT in texts(PolicyVersion.objects.get(id=draft.id), "attribution")


@pytest.mark.parametrize("change", [str.upper, lambda text: text.replace(" ", "  \t"), lambda text: f" {text}\n"])
@pytest.mark.parametrize("into_draft", [True, False])
def test_the_same_words_in_another_case_or_spacing_are_refused_and_nothing_is_begun(
    acme: Firm, olivia: Principal, change: Any, into_draft: bool
) -> None:
    draft_id = begin(olivia).id if into_draft else None
    before = versions(acme)
    with open_scope(tenant=acme.id, principal=olivia):
        there = policy_in_force().examples[0]
        label = policy_in_force().label_of(there.intent)
        with pytest.raises(DuplicateExampleError, match=f"for {label}"):
            golden_example_add(text=change(there.text), intent="narrative", draft_id=draft_id, reason="Again.")
    assert versions(acme) == before


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"text": " \n "}, EmptyExampleError),
        ({"intent": "gossip"}, UnknownExampleIntentError),
        ({"reason": "  "}, ReasonMissingError),
    ],
)
def test_what_can_not_be_added_begins_no_draft(
    acme: Firm, olivia: Principal, values: dict[str, str], error: type[Exception]
) -> None:
    wanted: dict[str, Any] = {"text": TEXT, "intent": "attribution", "draft_id": None, "reason": "Why.", **values}
    with open_scope(tenant=acme.id, principal=olivia), pytest.raises(error):
        golden_example_add(**wanted)
    assert versions(acme) == [1]


def test_a_draft_is_its_author_s_alone(acme: Firm, olivia: Principal) -> None:
    draft = begin(olivia)
    oscar = make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    with open_scope(tenant=acme.id, principal=oscar), pytest.raises(NotTheAuthorError):
        golden_example_add(text=TEXT, intent="attribution", draft_id=draft.id)


def test_who_may_not_edit_policies_adds_nothing(acme: Firm) -> None:
    reviewer = make_member(acme, "rupert", Role.REVIEWER)
    with open_scope(tenant=acme.id, principal=reviewer), pytest.raises(PermissionDeniedError):
        golden_example_add(text=TEXT, intent="attribution", draft_id=None, reason="Mine.")


# --- The page ---------------------------------------------------------------------------------------------------------


def test_from_a_question_to_the_form_with_what_the_classifier_says_now(olivia: Principal) -> None:
    page = Visitor("olivia").send("policy_example_add", text=TEXT)
    assert page.status == 200
    assert page.tree.xpath("//textarea[@name='text']")[0].text_content().strip() == TEXT
    assert "in force, says now" in page.text
    assert page.errors_of("intent") == ""
    assert page.tree.xpath("//select[@name='draft']/option/@value") == ["new"]


def test_the_form_offers_the_own_drafts_newest_first_and_nobody_else_s(acme: Firm, olivia: Principal) -> None:
    first, second = begin(olivia, reason="The first."), begin(olivia, reason="The second.")
    begin(make_member(acme, "oscar", Role.COMPLIANCE_OFFICER), reason="Not hers.")
    page = Visitor("olivia").send("policy_example_add", text=TEXT)
    assert page.tree.xpath("//select[@name='draft']/option/@value") == [str(second.id), str(first.id), "new"]
    assert page.tree.xpath("//select[@name='draft']/option[@selected]/@value") == [str(second.id)]
    assert "Not hers" not in page.text


@pytest.mark.slow
def test_it_is_added_and_the_page_says_what_it_changes(acme: Firm, olivia: Principal) -> None:
    visitor = Visitor("olivia")
    sent = send(visitor)
    assert sent.status == 302
    page = follow(visitor, sent.location)
    with open_scope(tenant=acme.id, principal=olivia):
        draft = PolicyVersion.objects.get(number=2)
    assert "It is in your draft, version 2" in page.text
    assert TEXT in page.text
    assert f"of {len(policy_examples(acme)) + 1} review examples" in page.text
    assert f"of {len(policy_examples(acme))}, " in page.text
    assert any(str(draft.id) in link for link in page.links)


def policy_examples(firm: Firm) -> tuple[Any, ...]:
    with open_scope(tenant=firm.id, reason="a test"):
        return policy_in_force().examples


@pytest.mark.slow
def test_the_question_stands_in_no_address(olivia: Principal) -> None:
    visitor = Visitor("olivia")
    shown, sent = visitor.send("policy_example_add", text=TEXT), send(visitor)
    done = follow(visitor, sent.location)
    addresses = [
        sent.location,
        *(str(each) for page in (shown, done) for each in page.tree.xpath("//@href | //@action")),
    ]
    assert not [address for address in addresses if "sector" in address]
    assert all("no-store" in page.response["Cache-Control"] for page in (shown, done))


def test_a_counter_example_is_added_as_unrecognised(acme: Firm, olivia: Principal) -> None:
    assert send(Visitor("olivia"), intent="unrecognised").status == 302
    with open_scope(tenant=acme.id, principal=olivia):
        assert texts(PolicyVersion.objects.get(number=2), UNRECOGNISED)[-1] == TEXT


def test_a_duplicate_is_refused_beside_the_text_with_where_it_is(acme: Firm, olivia: Principal) -> None:
    there = policy_examples(acme)[0]
    page = send(Visitor("olivia"), text=there.text.upper())
    assert page.status == 422
    assert "Version 1 already has this review example" in page.errors_of("text")
    assert versions(acme) == [1]


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("text", "", "Enter the question"),
        ("text", "x" * 501, "at most 500 characters"),
        ("intent", "", "Choose the intent"),
        ("intent", "gossip", "Select a valid choice"),
        ("draft", "6a0f5f0e-5c1b-5d0a-9a55-0b1a5e11e000", "Select a valid choice"),
        ("reason", " ", "Say why"),
    ],
)
def test_what_is_missing_is_said_beside_its_field(
    acme: Firm, olivia: Principal, field: str, value: str, complaint: str
) -> None:
    page = send(Visitor("olivia"), **{field: value})
    assert page.status == 422
    assert complaint in page.errors_of(field)
    assert versions(acme) == [1]


def test_an_intent_that_the_chosen_draft_has_not_is_refused_beside_the_intent(acme: Firm, olivia: Principal) -> None:
    fewer = replace_intents(acme)
    draft = begin(olivia, **fewer)
    page = send(Visitor("olivia"), draft=str(draft.id))
    assert "has no intent 'attribution'" in page.errors_of("intent")


def replace_intents(firm: Firm) -> dict[str, Any]:
    """The policy in force without attribution."""
    with open_scope(tenant=firm.id, reason="a test"):
        policy = policy_in_force()
    intents = tuple(rule for rule in policy.intents if rule.name != "attribution")
    return {
        "intents": intents,
        "examples": tuple(each for each in policy.examples if each.intent != "attribution"),
    }


def test_a_draft_that_was_submitted_meanwhile_is_offered_no_more(
    acme: Firm, olivia: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = begin(olivia, total_cap_chars=14000)
    monkeypatch.setattr("apps.intents.services.reviews.require_accuracy", lambda version, checked: None)
    with open_scope(tenant=acme.id, principal=olivia):
        version_submit(draft.id)
    page = send(Visitor("olivia"), draft=str(draft.id))
    assert "Select a valid choice" in page.errors_of("draft")


def test_an_example_that_is_not_in_an_own_draft_is_not_shown(acme: Firm, olivia: Principal) -> None:
    in_force = policy_examples(acme)[0]
    visitor = Visitor("olivia")
    for added in (str(in_force.id), str(uuid4()), "x"):
        page = visitor.open("policy_example_add", added=added)
        assert "is no longer in a draft of yours" in page.text
        assert in_force.text not in page.text


@pytest.mark.slow
def test_a_better_neighbour_is_told_as_what_the_example_changes(acme: Firm, olivia: Principal) -> None:
    """The test's vectors stand for words: a copy in other words' order pulls its twin along."""
    with open_scope(tenant=acme.id, reason="a test"):
        policy = policy_in_force()
    lonely = replace(policy.examples[0], id=uuid4(), text="Quokkas gambol beneath jacaranda boughs", intent="narrative")
    draft = begin(olivia, examples=(*policy.examples, lonely))
    visitor = Visitor("olivia")
    sent = send(
        visitor, text="Beneath jacaranda boughs quokkas gambol", intent="compliance", draft=str(draft.id), reason=""
    )
    text = follow(visitor, sent.location).text
    assert "Without this example, the question would get" in text
    assert "“Quokkas gambol beneath jacaranda boughs” got" in text


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.ANALYST, Role.AUDITOR])
def test_others_are_refused_with_who_may(acme: Firm, role: Role) -> None:
    make_member(acme, "somebody", role)
    for page in (Visitor("somebody").open("policy_example_add"), send(Visitor("somebody"))):
        assert page.status == 403
        assert "Compliance officer" in page.text
    assert versions(acme) == [1]


def test_the_button_elsewhere_and_the_form_share_one_address(olivia: Principal) -> None:
    page = Visitor("olivia").open("policy_example_add")
    assert page.status == 200
    assert page.tree.xpath("//form[contains(@class,'gb-form')]/@action") == [reverse("admin:policy_example_add")]
