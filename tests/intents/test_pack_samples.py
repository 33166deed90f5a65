"""The sample documents of a pack: one for each of its kinds, and each review example is answered from them.

With the shipped model and everything between a question and its context: the intent, the gate, the search, the budgets.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.intents.baseline import baseline_snapshot
from apps.intents.packs.catalogue import PACKS, sample_files
from apps.retrieval.contracts import ContextBlock
from apps.retrieval.services.ask import search
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Scope
from apps.tenants.roles import Role
from apps.tenants.services.tenants import tenant_create
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member
from tests.intents.pack_answers import ANSWERS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=ANSWERS)
def asked(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker, minilm: EmbeddingProvider
) -> Iterator[dict[str, str]]:
    """By question, what is wrong with its context; empty where it is answered."""
    minilm.embed_query("Outside of any scope: to load the model takes longer than a scope stays open.")
    with django_db_blocker.unblock():
        try:
            yield _wrong(request.param)
        finally:
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())
            cache.clear()


def _wrong(pack: str) -> dict[str, str]:
    tenant = tenant_create(
        slug=pack.replace("_", "-"), name=pack, residency_region="eu", packs=(pack,), reason="a test"
    )
    with open_scope(tenant=TenantId(tenant.id), reason="a test"):
        root = Scope.objects.get()
    firm = Firm(tenant=tenant, scopes={root.key: root})
    for kind, file in sample_files(pack).items():
        run(firm, ingest(firm, file.read_bytes(), filename=file.name, scope=root.key, kind=kind).job)
    analyst = make_member(firm, "alice", Role.ANALYST)
    policy = baseline_snapshot((pack,))
    assert {example.text for example in policy.examples if example.intent} == ANSWERS[pack].keys()
    wrong = {}
    for question, answer in ANSWERS[pack].items():
        outcome = search(text=question, principal=analyst).result.found.outcome
        context = " ".join(outcome.text.split()) if isinstance(outcome, ContextBlock) else str(outcome)
        if answer not in context:
            wrong[question] = f"“{answer}” is not in: {context}"
    return wrong


def test_every_review_example_is_answered_from_the_sample_documents(asked: dict[str, str]) -> None:
    assert asked == {}


@pytest.mark.parametrize("pack", ANSWERS)
def test_a_pack_has_a_sample_of_every_kind(pack: str) -> None:
    assert sample_files(pack).keys() == {budget.kind.value for budget in baseline_snapshot((pack,)).budgets}


def test_packs_of_which_the_demonstration_holds_documents_have_no_samples_of_their_own() -> None:
    assert {pack for pack in PACKS if not sample_files(pack)} == PACKS.keys() - ANSWERS.keys()
    assert all(isinstance(file, Path) for file in sample_files("insurance").values())
