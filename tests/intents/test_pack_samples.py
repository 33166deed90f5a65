"""The sample documents of a pack: some for each kind, and every review example is answered from them without a model.

With the shipped model for vectors and everything between a question and its answer: the intent, the gate, the search,
the budgets, the reader. An answer is right if it quotes the words that answer from the document that holds them.

The documents are ours, and were worded until the reader found what is asked in them. So this holds that the first
questions of a new tenant are answered; how often the documents of a firm answer is measured in tests/evaluation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.services.ingest.metadata import DocumentMetadata, metadata_from_row
from apps.intents.baseline import baseline_snapshot
from apps.intents.packs.catalogue import PACKS, SampleDocument, sample_documents
from apps.retrieval.contracts import Answer, AnswerOutcome
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models import Scope
from apps.tenants.roles import Role
from apps.tenants.services.tenants import tenant_create
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_member
from tests.intents.pack_answers import ANSWERS, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """right: whether the answer quotes the words that answer."""

    right: bool
    said: str


@pytest.fixture(scope="module", params=PACKS)
def asked(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker, minilm: EmbeddingProvider
) -> Iterator[tuple[str, Mapping[str, Asked]]]:
    """A pack, and what each of its review examples gets, by the question."""
    minilm.embed_query("Outside of any scope: to load the model takes longer than a scope stays open.")
    with django_db_blocker.unblock():
        try:
            yield request.param, _ask_all(request.param)
        finally:
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())
            cache.clear()


def _ask_all(pack: str) -> dict[str, Asked]:
    tenant = tenant_create(
        slug=pack.replace("_", "-"), name=pack, residency_region="eu", packs=(pack,), reason="a test"
    )
    with open_scope(tenant=TenantId(tenant.id), reason="a test"):
        root = Scope.objects.get()
    firm = Firm(tenant=tenant, scopes={root.key: root})
    files = {}
    for sample in sample_documents(pack):
        made = ingest(
            firm,
            sample.file.read_bytes(),
            filename=sample.file.name,
            scope=root.key,
            kind=sample.kind,
            **_metadata(sample),
        )
        run(firm, made.job)
        files[str(made.document.id)] = sample.file.name
    analyst = make_member(firm, "alice", Role.ANALYST)
    found = {}
    for question, wanted in ANSWERS[pack].items():
        result = ask(text=question, principal=analyst).result
        found[question] = Asked(right=_is_right(result.answer, wanted, files), said=_on_one_line(result.answer.text))
    return found


def _metadata(sample: SampleDocument) -> dict[str, Any]:
    about = {name: value for name, value in sample.about.items() if name not in ("file", "kind")}
    read = metadata_from_row(about, filename=sample.file.name)
    return {field.name: getattr(read, field.name) for field in fields(DocumentMetadata)}


def _is_right(answer: Answer, wanted: Wanted, files: Mapping[str, str]) -> bool:
    cited = [each for each in answer.citations if files[str(each.document_id)] == wanted.file and each.page == 1]
    quoted = any(wanted.words in _on_one_line(each.quote) for each in cited)
    # A figure that is calculated stands in the text, over rows of the one document that is cited.
    calculated = bool(cited) and len(cited) == len(answer.citations) and wanted.words in answer.text
    return answer.outcome is AnswerOutcome.ANSWERED and (quoted or calculated)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow
def test_every_review_example_is_answered_from_the_sample_documents(asked: tuple[str, Mapping[str, Asked]]) -> None:
    _, found = asked
    assert {question: each.said for question, each in found.items() if not each.right} == {}


@pytest.mark.parametrize("pack", PACKS)
def test_each_review_example_has_an_answer_that_a_sample_document_holds(pack: str) -> None:
    texts = {each.file.name: _on_one_line(each.file.read_text(encoding="utf-8")) for each in sample_documents(pack)}
    policy = baseline_snapshot((pack,))
    assert {each.text for each in policy.examples if each.intent} == ANSWERS[pack].keys()
    calculated = {"60.00", "14.42"}
    lost = {question: each for question, each in ANSWERS[pack].items() if each.words not in texts[each.file]}
    assert {each.words for each in lost.values()} <= calculated


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_has_samples_of_every_kind_and_lists_all_of_them(pack: str) -> None:
    samples = sample_documents(pack)
    assert {each.kind for each in samples} == {budget.kind.value for budget in baseline_snapshot((pack,)).budgets}
    folder = samples[0].file.parent
    assert sorted(each.file.name for each in samples) == sorted(each.name for each in folder.glob("*.md"))


@pytest.mark.parametrize("pack", PACKS)
def test_samples_are_of_both_languages_where_the_pack_is(pack: str) -> None:
    texts = " ".join(each.file.read_text(encoding="utf-8") for each in sample_documents(pack))
    assert " die " in texts.casefold()
    assert " the " in texts
