"""The harness over a folder, as `manage.py evaluate` has it, in this process and with the shipped local model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from apps.corpus.providers.local import SentenceTransformersProvider
from apps.corpus.providers.protocol import Vectors
from apps.corpus.providers.tenant import tenant_provider
from apps.quality.evaluation.contracts import EvaluationQuestion
from apps.quality.evaluation.figures import Judged, Metrics
from apps.quality.evaluation.folder import read_folder
from apps.quality.evaluation.loading import load
from apps.quality.evaluation.questions import folder_questions
from apps.quality.evaluation.runner import Corpus, evaluate
from apps.quality.evaluation.tenant import REASON, dataset_scope, evaluation_tenant, policy_for
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from tests.corpus.test_ingest_command import HereRunner


class Silent:
    """Nobody watches."""

    def begin(self, what: str, total: float) -> None: ...

    def progress(self, done: float, detail: str = "") -> None: ...

    def say(self, line: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderRun:
    """What a run showed. names: the folder's id of a document, by the key that rankings name it by."""

    judged: Mapping[str, Judged]
    metrics: Metrics
    by_type: Mapping[str, Any]
    names: Mapping[str, str]
    failures: tuple[Any, ...]
    notes: tuple[str, ...]

    def first_document(self, key: str) -> str:
        """The document of the passage that is ranked first for a question; empty where nothing was found."""
        ranking = self.judged[key].seen.ranking
        return self.names[ranking[0].document] if ranking else ""


@contextmanager
def each_text_embedded_once() -> Iterator[None]:
    """Have the shipped model give a text's vector again, instead of computing it anew.

    Half of the work of a run is to compare sentences with a question, and most of them were compared with others.
    """
    compute = SentenceTransformersProvider.embed_documents
    known: dict[str, Any] = {}

    def embed_documents(provider: SentenceTransformersProvider, texts: Sequence[str]) -> Vectors:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        known.update(zip(new, compute(provider, new), strict=True))
        return np.stack([known[text] for text in texts])

    with mock.patch.object(SentenceTransformersProvider, "embed_documents", embed_documents):
        yield


def run_folder(directory: Path) -> FolderRun:
    """Ingest a folder into an empty installation and ask all of its questions.

    Jobs run here and not in processes of their own, each of which would load the model again.
    """
    folder = read_folder(directory)
    tenant_id = TenantId(evaluation_tenant().id)
    with open_scope(tenant=tenant_id, reason=REASON):
        provider = tenant_provider()
    # Outside of any scope: to load the model takes longer on a busy machine than a scope stays open.
    provider.embed_query("Which figures are there?")
    policy = policy_for(tenant_id, folder.kinds)
    scope_id = dataset_scope(tenant_id, folder.name)
    with (
        mock.patch("apps.corpus.batches.batch.LocalRunner", HereRunner),
        mock.patch("apps.corpus.batches.batch.workers_alive", return_value=False),
    ):
        loaded = load(folder, tenant_id=tenant_id, scope_id=scope_id, watcher=Silent())
    questions: list[EvaluationQuestion] = folder_questions(folder, loaded, scope_id)
    corpus = Corpus(
        dataset=folder.name,
        documents=loaded.documents,
        chunks=loaded.chunks,
        sha256=loaded.corpus_sha256,
        names=loaded.names,
        failed_documents=len(loaded.failures),
    )
    with each_text_embedded_once():
        outcome = evaluate(
            questions, tenant_id=tenant_id, corpus=corpus, changes={}, ablate=False, watcher=Silent(), policy=policy
        )
    return FolderRun(
        judged={each.question.key: each for each in outcome.judged},
        metrics=outcome.run.metrics,
        by_type=outcome.run.by_type,
        names=loaded.names,
        failures=loaded.failures,
        notes=loaded.notes,
    )
