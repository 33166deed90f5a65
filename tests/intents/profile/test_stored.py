"""A profile in the database: a draft's author writes it, two people put it in force, and then nobody changes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, transaction

from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError, OwnVersionError
from apps.intents.models import PolicyProfileRule, PolicyProof, PolicyVersion
from apps.intents.profile.contracts import ProfileRule, RuleSort
from apps.intents.proof.rendering import proof_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import draft_copy, draft_start
from apps.intents.services.proofs import kept_proof
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.corpus.ingesting import short_profile
from tests.deciding import version_approve
from tests.factories import Firm, as_, make_firm, make_member
from tests.intents.drafting import Typed
from tests.intents.profile.rules import ATLAS, PAST, TAX
from tests.intents.reviewing import drafted, submitted, wider
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db

TAXES = "\u0422\u0410XES"
"""Begins with two letters of another script."""


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def olivia(acme: Firm, server: ModelServer) -> Principal:
    return make_member(acme, "olivia", Role.COMPLIANCE_OFFICER)


@pytest.fixture
def rupert(acme: Firm, olivia: Principal) -> Principal:
    return make_member(acme, "rupert", Role.REVIEWER, scopes=["fund:alpha"])


def with_rules(*rules: ProfileRule) -> Any:
    return lambda snapshot: replace(wider(snapshot), profile=rules)


def in_force(firm: Firm) -> PolicySnapshot:
    with open_scope(tenant=firm.id, reason="a test"):
        return policy_in_force()


def test_two_people_put_a_profile_in_force_and_its_author_is_not_one_of_them(
    acme: Firm, olivia: Principal, rupert: Principal
) -> None:
    version = submitted(olivia, with_rules(TAX, ATLAS, PAST))
    with as_(replace(olivia, roles=frozenset({*olivia.roles, Role.REVIEWER}))), pytest.raises(OwnVersionError):
        version_approve(version.id)
    with as_(rupert):
        kept = kept_proof(version)
        assert kept is not None
        assert kept.problem == ""
        assert any("refuses no question for its words" in each.sentence and not each.holds for each in kept.stated)
        version_approve(version.id)
    assert in_force(acme).profile == (TAX, ATLAS, PAST)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.update(terms=["something else"]),
        lambda rows: rows.update(in_question="allow", in_answer="flag"),
        lambda rows: rows.update(text="Other words."),
        lambda rows: rows._raw_delete("default"),
    ],
)
def test_the_database_lets_nobody_change_the_profile_of_a_version_that_was_approved(
    acme: Firm, olivia: Principal, rupert: Principal, change: Any
) -> None:
    version = submitted(olivia, with_rules(TAX))
    with as_(rupert):
        version_approve(version.id)
    for who in (olivia, rupert):
        with as_(who), pytest.raises(IntegrityError, match="only a draft can be changed"), transaction.atomic():
            change(PolicyProfileRule.objects.filter(version=version))
    added = {**ATLAS.as_json(), "tenant_id": acme.id, "version_id": version.id, "position": 9}
    with as_(olivia), pytest.raises(IntegrityError, match="only a draft can be changed"), transaction.atomic():
        PolicyProfileRule.objects.create(**added)
    assert in_force(acme).profile == (TAX,)


def test_somebody_elses_draft_gets_no_rule(acme: Firm, olivia: Principal) -> None:
    version = drafted(olivia, with_rules(TAX))
    other = make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    with as_(other), pytest.raises(IntegrityError, match="only its author"), transaction.atomic():
        PolicyProfileRule.objects.filter(version=version).update(text="Mine.")


@pytest.mark.parametrize(
    "row",
    [
        {"sort": "rumour"},
        {"in_answer": "maybe"},
        {"in_question": "allow"},
        {"terms": []},
        {"intents": ["performance"]},
        {"sort": "disclaimer"},
        {"key": "Tax Advice"},
        {"terms": ["x"] * 101},
    ],
)
def test_the_table_refuses_a_rule_that_is_none(acme: Firm, olivia: Principal, row: dict[str, Any]) -> None:
    version = drafted(olivia)
    with as_(olivia), pytest.raises(IntegrityError, match="profile_rule"), transaction.atomic():
        PolicyProfileRule.objects.create(
            **{**TAX.as_json(), **row, "tenant_id": acme.id, "version_id": version.id, "position": 1}
        )


def test_a_disclaimer_of_an_intent_that_is_not_there_is_not_submitted(acme: Firm, olivia: Principal) -> None:
    version = drafted(olivia, with_rules(replace(PAST, intents=("nowhere",))))
    with pytest.raises(InvalidPolicyError, match="nowhere"):
        submitted(olivia, with_rules(replace(PAST, intents=("nowhere",))))
    with as_(olivia), pytest.raises(IntegrityError, match="speaks of the intent nowhere"), transaction.atomic():
        PolicyVersion.objects.filter(id=version.id).update(status="in_review")


def test_a_proof_of_another_profile_is_not_kept(acme: Firm, olivia: Principal) -> None:
    version = submitted(olivia, with_rules(TAX))
    with as_(olivia):
        kept = kept_proof(version)
    assert kept is not None
    told = json.loads(kept.text)
    told["after"]["content"]["profile"] = []
    text = json.dumps(told)
    row = {"version_id": version.id, "revision": version.revision, "text": text, "sha256": proof_sha256(text)}
    with as_(olivia), pytest.raises(IntegrityError, match="of the profile that its version has"), transaction.atomic():
        PolicyProof.objects.create(tenant_id=acme.id, **row)


def test_another_tenants_profile_is_never_seen(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    version = submitted(olivia, with_rules(TAX))
    with as_(rupert):
        version_approve(version.id)
    bolt = make_firm("bolt")
    zoe = make_member(bolt, "zoe", Role.COMPLIANCE_OFFICER)
    with as_(zoe):
        assert not PolicyProfileRule.objects.exists()
        assert policy_in_force().profile == ()
    assert Visitor("zoe").open("policy_draft", version.id).status == 404
    assert Visitor("zoe").send("policy_draft_try", version.id).status == 404


def test_a_copy_of_a_version_has_its_profile(acme: Firm, olivia: Principal, rupert: Principal) -> None:
    version = submitted(olivia, with_rules(TAX, PAST))
    with as_(rupert):
        version_approve(version.id)
    with as_(olivia):
        assert version_snapshot(draft_copy(version, reason="As it was.")).profile == (TAX, PAST)


# --- The draft's page -------------------------------------------------------------------------------------------------


@pytest.fixture
def draft(olivia: Principal) -> PolicyVersion:
    with as_(olivia):
        return draft_start(reason="Tax is not ours.")


@pytest.fixture
def officer(draft: PolicyVersion) -> Visitor:
    return Visitor("olivia")


def typed(officer: Visitor, draft: PolicyVersion) -> Typed:
    page = Typed.from_page(officer.open("policy_draft", draft.id).tree)
    return page.with_(
        profile__name__p1="Tax advice",
        profile__terms__p1="tax advice\n avoid  tax ",
        profile__text__p1="Ask the tax desk.",
        profile__name__p2="Past performance",
        profile__text__p2="Past performance promises no future returns.",
        profile__intents__p2="performance",
    )


def send(officer: Visitor, draft: PolicyVersion, form: Typed, name: str = "policy_draft") -> Page:
    return officer.send(name, draft.id, **form.values)


def rules_of(firm: Firm, draft: PolicyVersion) -> tuple[ProfileRule, ...]:
    with open_scope(tenant=firm.id, reason="a test"):
        return version_snapshot(PolicyVersion.objects.get(id=draft.id)).profile


def test_rules_are_typed_saved_and_taken_out_again(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    assert send(officer, draft, typed(officer, draft)).status == 302
    assert rules_of(acme, draft) == (TAX, PAST)
    page = officer.open("policy_draft", draft.id)
    assert "Profile: the topic “Tax advice” is new" in page.text
    form = Typed.from_page(page.tree)
    assert send(officer, draft, form).status == 302
    assert rules_of(acme, draft) == (TAX, PAST)
    form = Typed.from_page(officer.open("policy_draft", draft.id).tree)
    assert send(officer, draft, form.with_(profile__remove__p1="1")).status == 302
    assert rules_of(acme, draft) == (PAST,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"profile__terms__p1": ""}, "Enter 1 to 100 words or phrases"),
        ({"profile__text__p1": ""}, "Enter the reason that users read"),
        ({"profile__question__p1": "allow"}, "as it is, the rule does nothing"),
        ({"profile__key__p1": "Tax Advice"}, "Enter a key of lower-case letters"),
        ({"profile__key__p1": "same", "profile__key__p2": "same"}, "Another rule has the key same"),
        ({"profile__sort__p1": "rumour"}, "Choose what it is"),
        ({"profile__intents__p2": "No Intent!"}, "Write the short names of intents"),
        ({"profile__text__p2": "x" * 601}, "in at most 600 characters"),
        ({"profile__terms__p1": "x" * 121}, "more than 120 characters"),
        ({"profile__terms__p3": "bond", "profile__text__p3": "Ask."}, "Enter what the firm calls it"),
    ],
)
def test_what_can_not_be_stored_is_said_beside_its_rule_and_nothing_typed_is_lost(
    acme: Firm, officer: Visitor, draft: PolicyVersion, change: dict[str, str], said: str
) -> None:
    page = send(officer, draft, typed(officer, draft).with_(**change))
    assert (page.status, said in page.text) == (422, True)
    assert "Past performance" in page.tree.xpath("//input[@name='profile-name-p2']/@value")
    assert rules_of(acme, draft) == ()


def test_a_bound_is_typed_saved_and_tried(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    form = typed(officer, draft).with_(
        profile__name__p3="What we speak of",
        profile__terms__p3="bond\nfund",
        profile__text__p3="Ask the derivatives desk.",
        profile__intents__p3="performance",
    )
    tried = send(officer, draft, form.with_(try__text="Are interest rate swaps in it?"), "policy_draft_try")
    assert tried.tree.xpath("//mark/text()") == ["swaps"]
    assert "A question that names anything else is refused." in tried.text
    assert send(officer, draft, form).status == 302
    (bound,) = [rule for rule in rules_of(acme, draft) if rule.sort is RuleSort.INSTRUMENTS]
    assert (bound.key, bound.terms, bound.intents) == ("what_we_speak_of", ("bond", "fund"), ("performance",))
    page = send(officer, draft, Typed.from_page(officer.open("policy_draft", draft.id).tree))
    assert page.status == 302


def test_a_value_that_is_none_of_a_closed_list_is_said_beside_the_profile(
    officer: Visitor, draft: PolicyVersion
) -> None:
    form = typed(officer, draft).with_(
        profile__name__p3="Ours", profile__terms__p3="tulip", profile__text__p3="Ask the desk."
    )
    send(officer, draft, form)
    slot = officer.open("policy_draft", draft.id).tree.get_element_by_id("problems-part-profile")
    assert "permits “tulip”, which is none of" in slot.text_content()


def test_a_research_mode_is_tried(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    form = bounded(officer, draft, "research_modes", "standard\ndetailed").with_(try__text="What did it cost?")
    tried = send(officer, draft, form.with_(try__mode="direct"), "policy_draft_try")
    assert "As a question it is refused, by the bound of research modes “Ours”." in tried.text
    assert "A question in another mode than Standard, Detailed is refused." in tried.text
    for mode in ("standard", ""):
        assert "No rule fires." in send(officer, draft, form.with_(try__mode=mode), "policy_draft_try").text


def test_a_text_is_tried_on_what_is_typed_and_nothing_is_kept(
    acme: Firm, officer: Visitor, draft: PolicyVersion
) -> None:
    form = typed(officer, draft).with_(try__text=f"Could you give adv\u00adice on our {TAXES}?")
    page = send(officer, draft, form, "policy_draft_try")
    assert page.status == 200
    assert page.tree.xpath("//mark/text()") == [f"advice on our {TAXES}"]
    assert "1 of 1 rule fires" in page.text
    assert "Ask the tax desk." in page.text
    assert rules_of(acme, draft) == ()
    assert "No rule fires." in send(officer, draft, form.with_(try__text="What did it cost?"), "policy_draft_try").text


def bounded(officer: Visitor, draft: PolicyVersion, sort: str, values: str, **more: str) -> Typed:
    """The form with one bound of this sort, as it is typed."""
    effects = (
        {}
        if sort in ("models", "regions", "research_modes")
        else {"profile__question__p3": "refuse", "profile__answer__p3": "block"}
    )
    fixed = {"profile__question__p3": "allow", "profile__answer__p3": "allow", **effects}
    return typed(officer, draft).with_(
        profile__sort__p3=sort,
        profile__name__p3="Ours",
        profile__terms__p3=values,
        **{"profile__text__p3": "Ask the desk.", **fixed, **more},
    )


@pytest.mark.parametrize(
    ("sort", "values", "tried", "fires", "not_by"),
    [
        ("jurisdictions", "DE", {"text": "What does Swiss law say?"}, "Swiss", {"text": "What does German law say?"}),
        (
            "jurisdictions",
            "DE",
            {"text": "Was sagt das Schweizer Recht?", "language": "de"},
            "Schweizer",
            {"text": "Was sagt das deutsche Recht?", "language": "de"},
        ),
        (
            "clients",
            "professional",
            {"text": "What fits?", "client": "retail"},
            "Retail clients",
            {"client": "professional"},
        ),
        (
            "clients",
            "retail",
            {"text": "What fits?", "companies": "Eligible Counterparty AG"},
            "Eligible Counterparty",
            {},
        ),
        ("models", "small", {"text": "What fits?", "model": "large"}, "large", {"model": "small"}),
        ("regions", "eu", {"text": "What fits?", "region": "us"}, "us", {"region": "eu"}),
    ],
)
def test_every_sort_of_bound_is_tried_and_the_rule_that_decides_is_named(
    officer: Visitor,
    draft: PolicyVersion,
    sort: str,
    values: str,
    tried: dict[str, str],
    fires: str,
    not_by: dict[str, str],
) -> None:
    form = bounded(officer, draft, sort, values)

    def send_with(said: dict[str, str]) -> Page:
        return send(
            officer, draft, form.with_(**{f"try__{key}": value for key, value in said.items()}), "policy_draft_try"
        )

    page = send_with(tried)
    assert page.tree.xpath("//mark/text()") == [fires]
    if sort in ("models", "regions"):
        assert f"The model does not write the answer, by the bound of {sort} “Ours”." in page.text
    else:
        assert "As a question it is refused, by the bound of" in page.text
        assert "As an answer it is withheld, by the bound of" in page.text
    assert "No rule fires." in send_with({"text": "What fits?", **not_by}).text


def test_a_rule_for_other_intents_is_not_tried(officer: Visitor, draft: PolicyVersion) -> None:
    form = bounded(officer, draft, "jurisdictions", "DE", profile__intents__p3="performance").with_(
        try__text="What does Swiss law say?"
    )
    for intent, said in (("performance", "1 of 2 rules fires."), ("compliance", "No rule fires.")):
        page = send(officer, draft, form.with_(try__intent=intent), "policy_draft_try")
        assert said in page.text
        assert (f"An answer carries: “{PAST.text}”" in page.text) is PAST.holds_for(intent)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"try__text": " "}, "Enter a question or a text to try."),
        ({"try__text": "x" * 20_001}, "at most 20,000 are tried at once"),
        ({"try__text": "tax", "profile__terms__p1": ""}, "save it to see what has to be corrected first"),
    ],
)
def test_what_can_not_be_tried_says_why(
    officer: Visitor, draft: PolicyVersion, change: dict[str, str], said: str
) -> None:
    assert said in send(officer, draft, typed(officer, draft).with_(**change), "policy_draft_try").text


def test_only_its_author_tries_a_draft(acme: Firm, officer: Visitor, draft: PolicyVersion) -> None:
    make_member(acme, "oscar", Role.COMPLIANCE_OFFICER)
    make_member(acme, "anna", Role.ANALYST)
    assert Visitor("oscar").send("policy_draft_try", draft.id, try_text="tax").status == 403
    assert Visitor("anna").send("policy_draft_try", draft.id).status == 403
