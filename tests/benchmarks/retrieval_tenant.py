"""The tenant that the benchmark of retrieval asks: its reports come in as everybody's do, and run through ingest.

Only the vectors of passages may be made up: a seeded random direction each, which are scanned as fast as real ones.
Those of questions and of the classifier's examples are always the model's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from django.db.models import Count

from apps.corpus.jobs import RunOutcome, job_run
from apps.corpus.kinds import Kind
from apps.corpus.models import Chunk, Embedding384
from apps.corpus.providers.local import SentenceTransformersProvider
from apps.corpus.providers.profiles import EMBEDDING_PROFILES, EmbeddingProfile
from apps.corpus.providers.protocol import Vectors
from apps.corpus.providers.registry import PROVIDERS
from apps.corpus.providers.tenant import tenant_provider
from apps.corpus.services.ingest.document import document_ingest
from apps.corpus.services.ingest.lease import RunPolicy
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.intents.contracts import PolicySnapshot
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.models import VersionOrigin
from apps.intents.selectors import policy_in_force
from apps.intents.services.drafts import draft_of
from apps.intents.services.golden import golden_vectors
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.benchmarks.retrieval_reports import FUNDS, Report, planned, written
from tests.deciding import version_approve, version_submit
from tests.factories import Firm, make_firm, make_member

_POLICY = RunPolicy(batch_chunks=512)
_PROFILE = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Who asks, in which firm, under which policies: the one in force, and the shipped one that it came from."""

    firm: Firm
    alice: Principal
    in_force: PolicySnapshot
    shipped: PolicySnapshot


class MadeUpVectors(SentenceTransformersProvider):
    """The local model, but for passages: they get random directions from a seed."""

    def __init__(self, profile: EmbeddingProfile, *, seed: int) -> None:
        super().__init__(profile)
        self._chance = np.random.default_rng(seed)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        vectors = self._chance.standard_normal((len(texts), self.dimension)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def make_asking() -> Asking:
    """A firm with two funds, whose policy lets every question reach every kind: the most that a search can have to
    read. Alice asks in all of its scopes.
    """
    firm = make_firm("acme", funds=[fund.scope.removeprefix("fund:") for fund in FUNDS])
    alice = make_member(firm, "alice", Role.ANALYST)
    olga = make_member(firm, "olga", Role.COMPLIANCE_OFFICER)
    rita = make_member(firm, "rita", Role.REVIEWER)
    with open_scope(tenant=firm.id, reason="a benchmark"):
        shipped, provider = policy_in_force(), tenant_provider()
    # Loading the model takes longer than one scope should stay open.
    provider.embed_query("Which figures are there?")
    with open_scope(tenant=firm.id, reason="a benchmark"):
        golden_vectors(snapshot=shipped, provider=provider)
    everything = tuple(FUND_HOUSE)
    wide = replace(
        shipped,
        intents=tuple(replace(rule, kinds=everything) for rule in shipped.intents),
        fallback=replace(shipped.fallback, kinds=everything),
    )
    with open_scope(tenant=firm.id, principal=olga):
        draft = draft_of(wide, origin=VersionOrigin.DRAFT, reason="A benchmark: every kind in reach.")
        version_submit(draft.id)
    with open_scope(tenant=firm.id, principal=rita):
        version_approve(draft.id, reason="A benchmark: every kind in reach.")
    with open_scope(tenant=firm.id, reason="a benchmark"):
        return Asking(firm=firm, alice=alice, in_force=policy_in_force(), shipped=shipped)


def load(firm: Firm, passages: int, *, seed: int, embed: bool) -> dict[str, Any]:
    """Write, take in and ingest reports of about so many passages.

    Args:    embed: by the model, which takes minutes; else the passages' vectors are made up.
    Returns: what there is now: documents, passages by kind, mean tokens, seconds.
    """
    began = perf_counter()
    reports = planned(passages)
    with nullcontext() if embed else _made_up_vectors(seed):
        for number, report in enumerate(reports, start=1):
            ingest(firm, report, written(report, seed=seed))
            if not number % 20:
                say(f"{number} of {len(reports)} documents, {perf_counter() - began:.0f} s")
    return {**_counted(firm), "embedded": embed, "loading_s": perf_counter() - began}


def ingest(firm: Firm, report: Report, content: bytes) -> None:
    """Take one report in, and run its job here. Raises: RuntimeError: it did not succeed."""
    job = take_in(firm, report, content)
    if (outcome := job_run(job_id=job, tenant_id=firm.id, policy=_POLICY)) is not RunOutcome.SUCCEEDED:
        raise RuntimeError(f"{report.title}: {outcome}")


def take_in(firm: Firm, report: Report, content: bytes) -> Any:
    """Store one report and have a worker told. Returns: its job's id."""
    publisher = report.publisher
    with open_scope(tenant=firm.id, reason="a benchmark"):
        made = document_ingest(
            content=content,
            filename=f"{report.title}.pdf",
            scope_id=ScopeId(firm.scopes[publisher.scope].id),
            kind=report.kind.value,
            metadata=DocumentMetadata(
                title=report.title,
                document_type=report.document_type,
                company=publisher.name if report.year else "",
                ticker=publisher.ticker,
                fiscal_year=report.year,
                fiscal_quarter=report.quarter,
                language=publisher.language,
            ),
        )
        return made.job.id


def in_reach(firm: Firm, kinds: Sequence[Kind]) -> int:
    """How many passages of these kinds there are."""
    with open_scope(tenant=firm.id, reason="a benchmark"):
        return Embedding384.objects.filter(kind__in=[kind.value for kind in kinds]).count()


@contextmanager
def _made_up_vectors(seed: int) -> Iterator[None]:
    profile = EMBEDDING_PROFILES.named(_PROFILE)
    before = PROVIDERS.shared(profile)
    PROVIDERS._providers[profile] = MadeUpVectors(profile, seed=seed)
    try:
        yield
    finally:
        PROVIDERS._providers[profile] = before


def _counted(firm: Firm) -> dict[str, Any]:
    with open_scope(tenant=firm.id, reason="a benchmark"):
        rows = Chunk.objects.filter(is_parent=False).values_list("document_id", "kind", "token_count")
        found = list(rows)
        by_kind = dict(Embedding384.objects.values_list("kind").annotate(passages=Count("id")).order_by("kind"))
    return {
        "documents": len({document for document, _, _ in found}),
        "passages": len(found),
        "by_kind": by_kind,
        "mean_tokens": sum(tokens for _, _, tokens in found) / len(found),
    }
