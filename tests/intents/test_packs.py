"""Shipped packs: each can be used as it is, reaches all its kinds and knows its own questions; some stand together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.registry import kinds_in_force
from apps.intents.baseline import BASELINE_REASON, baseline_snapshot
from apps.intents.check import golden_check
from apps.intents.classifier import classify_question
from apps.intents.context_budget import section_heading, share_context
from apps.intents.contracts import KindBudget, PolicySnapshot
from apps.intents.errors import PacksCollideError, UnknownPackError
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.instructions import core_question
from apps.intents.models import PolicyVersion
from apps.intents.pack_switch import unreached_documents
from apps.intents.packs import catalogue
from apps.intents.packs.catalogue import DEFAULT_PACKS, PACKS, chosen_packs
from apps.intents.policy_file import render_policy_file
from apps.intents.rendering import policy_sha256
from apps.intents.scoring import Vector
from apps.intents.selectors import policy_in_force
from apps.intents.validation import policy_problems
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Tenant
from apps.tenants.services.tenants import tenant_create
from tests.intents.pack_questions import NEW_QUESTIONS

TOGETHER = ("fund_house", "company_research")

Embed = Callable[[PolicySnapshot], Vector]
each_pack = pytest.mark.parametrize("pack", PACKS)


@pytest.fixture(scope="module")
def embed(minilm: EmbeddingProvider) -> Embed:
    known: dict[str, Vector] = {}

    def embed_once(policy: PolicySnapshot) -> Vector:
        texts = [example.text for example in policy.examples]
        new = [text for text in texts if text not in known]
        if new:
            known.update(zip(new, minilm.embed_documents(new), strict=True))
        return np.asarray([known[text] for text in texts])

    return embed_once


@each_pack
def test_a_pack_has_no_problems_and_is_written_as_it_is_exported(pack: str) -> None:
    policy = baseline_snapshot((pack,))
    file = Path(catalogue.__file__).with_name(f"{pack}.py")
    assert policy_problems(policy) == ()
    assert file.read_text(encoding="utf-8") == render_policy_file(policy)


@each_pack
def test_every_kind_of_a_pack_is_reached_by_an_intent(pack: str) -> None:
    policy = baseline_snapshot((pack,))
    by_intents = replace(policy, fallback=replace(policy.fallback, kinds=()))
    assert unreached_documents(by_intents, dict.fromkeys(policy.kinds, 1)) == ()


@each_pack
def test_every_kind_of_a_pack_says_what_belongs_to_it(pack: str) -> None:
    for budget in baseline_snapshot((pack,)).budgets:
        assert budget.description, budget.kind
        assert budget.examples, budget.kind


@each_pack
def test_nothing_is_left_out_of_the_context_where_every_kind_of_an_intent_is_full(pack: str) -> None:
    policy = baseline_snapshot((pack,))

    def full(budget: KindBudget, cap_chars: int) -> str:
        return section_heading(budget).ljust(cap_chars, ".")

    for rule in policy.reaches:
        budgets = [budget for budget in policy.budgets if budget.kind in rule.kinds]
        shared = share_context(budgets, total_cap_chars=policy.total_cap_chars, fill=full, size_of=len)
        assert shared.evicted == (), rule.label


@each_pack
def test_every_intent_of_a_pack_recognises_its_own_examples(pack: str, embed: Embed) -> None:
    policy = baseline_snapshot((pack,))
    vectors = embed(policy)
    found = {
        example.text: classify_question(example.text, policy, vector, vectors).intent
        for example, vector in zip(policy.examples, vectors, strict=True)
        if example.intent
    }
    assert {text: intent for text, intent in found.items() if intent != _intent_of(policy, text)} == {}


@each_pack
def test_a_pack_knows_examples_that_it_is_not_shown(pack: str, embed: Embed) -> None:
    policy = baseline_snapshot((pack,))
    assert golden_check(policy, embed(policy)).accuracy >= 0.9
    assert golden_check(policy, None).accuracy >= 0.85


@pytest.mark.parametrize("pack", NEW_QUESTIONS)
def test_questions_that_a_pack_has_not_seen_get_their_intent(
    pack: str, embed: Embed, minilm: EmbeddingProvider
) -> None:
    policy = baseline_snapshot((pack,))
    vectors = embed(policy)
    wrong = []
    for intent, questions in NEW_QUESTIONS[pack].items():
        for question in questions:
            vector = minilm.embed_query(core_question(question).text)
            found = classify_question(question, policy, vector, vectors).intent
            if found != intent:
                wrong.append((intent, found, question))
    asked = sum(map(len, NEW_QUESTIONS[pack].values()))
    assert len(wrong) / asked <= 0.2, wrong


def test_packs_share_their_thresholds() -> None:
    """Of packs that are combined, the first one's hold for all."""
    assert len({tuple(pack.classifier.items()) for pack in PACKS.values()}) == 1


def test_the_fund_house_is_the_default_and_what_it_was() -> None:
    policy = baseline_snapshot()
    assert DEFAULT_PACKS == ("fund_house",)
    # Written out, so that a change of the pack is seen as one: every new tenant gets this policy.
    assert policy_sha256(policy) == "1c88fe169d2b2394cf16637d253d16c6a31bec06f14731b9ccd54e344781c051"
    assert [budget.kind for budget in policy.budgets] == list(FUND_HOUSE)
    assert policy.reason == BASELINE_REASON


# --- together ---


def test_packs_together_have_the_intents_and_kinds_of_each_in_order() -> None:
    both = baseline_snapshot(TOGETHER)
    apart = [baseline_snapshot((pack,)) for pack in TOGETHER]
    assert [rule.name for rule in both.intents] == [rule.name for policy in apart for rule in policy.intents]
    assert list(both.kinds) == [kind for policy in apart for kind in policy.kinds]
    assert {rule.name: rule.kinds for rule in both.intents} == {
        rule.name: rule.kinds for policy in apart for rule in policy.intents
    }
    assert both.fallback.kinds == apart[0].fallback.kinds
    assert policy_problems(both) == ()


def test_packs_together_could_be_approved_as_they_are(embed: Embed) -> None:
    both = baseline_snapshot(TOGETHER)
    check = golden_check(both, embed(both))
    assert check.passed, check.misclassified
    assert check.accuracy >= 0.9


@pytest.mark.parametrize(
    "packs", [each for size in range(2, len(PACKS) + 1) for each in combinations(PACKS, size)], ids="+".join
)
def test_any_packs_can_be_combined_and_approved_as_they_are(packs: tuple[str, ...], embed: Embed) -> None:
    policy = baseline_snapshot(packs)
    assert policy_problems(policy) == ()
    by_intents = replace(policy, fallback=replace(policy.fallback, kinds=()))
    assert unreached_documents(by_intents, dict.fromkeys(policy.kinds, 1)) == ()
    check = golden_check(policy, embed(policy))
    assert check.passed, check.misclassified
    assert check.accuracy >= 0.9


def test_a_question_on_a_filing_belongs_to_company_research_where_it_stands_beside_the_fund_house(
    embed: Embed, minilm: EmbeddingProvider
) -> None:
    question = "What was Siemens' revenue in FY2016?"
    found = {}
    for packs in (DEFAULT_PACKS, TOGETHER):
        policy = baseline_snapshot(packs)
        found[packs] = classify_question(question, policy, minilm.embed_query(question), embed(policy)).intent
    assert found == {DEFAULT_PACKS: "narrative", TOGETHER: "company_figures"}


def test_packs_that_define_the_same_are_refused_with_each_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = replace(PACKS["fund_house"], key="twin", name="Twin", intents=PACKS["fund_house"].intents[:1])
    monkeypatch.setattr(catalogue, "PACKS", {**PACKS, "twin": twin})
    with pytest.raises(PacksCollideError) as refused:
        chosen_packs(("fund_house", "twin"))
    assert "Fund house and Twin both have the kind “run”; leave one of these packs out." in refused.value.detail
    assert "both have the intent “performance”" in refused.value.detail
    assert "both have the example “What did the bond fund return since inception?”" in refused.value.detail


@pytest.mark.parametrize(
    ("packs", "error", "told"),
    [
        (("bakery",), UnknownPackError, "There is no pack “bakery”. Choose one or more of: fund_house,"),
        ((), UnknownPackError, "Choose one or more of"),
        (("fund_house", "fund_house"), PacksCollideError, "Fund house is named twice; name it once."),
    ],
)
def test_a_choice_that_is_none_is_refused(packs: tuple[str, ...], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        baseline_snapshot(packs)


# --- a new tenant ---


@pytest.mark.django_db
def test_a_tenant_is_made_with_the_packs_that_it_chooses() -> None:
    tenant = tenant_create(slug="larch", name="Larch", residency_region="eu", packs=TOGETHER, reason="a test")
    with open_scope(tenant=TenantId(tenant.id), reason="a test"):
        assert policy_sha256(policy_in_force()) == policy_sha256(baseline_snapshot(TOGETHER))
        names = {each.kind.value: each.name for each in kinds_in_force()}
        assert (names["annual_report"], names["run"]) == ("Annual reports", "Past runs")
        reason = PolicyVersion.objects.get(number=1).reason
    assert reason == "Shipped for Fund house and Company research, put in force when the tenant was created."


@pytest.mark.django_db
def test_no_tenant_is_made_with_packs_that_do_not_go_together() -> None:
    with pytest.raises(PacksCollideError):
        tenant_create(
            slug="larch", name="Larch", residency_region="eu", packs=("fund_house", "fund_house"), reason="a test"
        )
    assert not Tenant.objects.filter(slug="larch").exists()


@pytest.mark.django_db
def test_the_command_makes_a_tenant_with_packs() -> None:
    said = StringIO()
    call_command("tenant", "create", "larch", "--pack", "company_research", stdout=said)
    assert "policy version 1 of company_research in force" in said.getvalue()
    with pytest.raises(CommandError, match="There is no pack “bakery”"):
        call_command("tenant", "create", "birch", "--pack", "bakery")


def test_a_pack_is_exported_and_compared_by_its_name(tmp_path: Path) -> None:
    said = StringIO()
    call_command("policy", "diff", "fund_house", "fund_house+company_research", stdout=said)
    assert "From the shipped Fund house to the shipped Fund house and Company research:" in said.getvalue()
    assert "There is a new intent, Figures of companies" in said.getvalue()


def _intent_of(policy: PolicySnapshot, text: str) -> str:
    return next(example.intent for example in policy.examples if example.text == text)
